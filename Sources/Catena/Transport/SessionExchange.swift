import Dispatch
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request under way on a URLSession: turns the delegate's callbacks, which may come early, late, repeatedly or never, into one
/// answer.
final class SessionExchange: Sendable {
    private typealias Head = UnsafeContinuation<TransportResponse, any Error>

    private struct State {
        var head: Head?
        var response: HTTPURLResponse?
        var pipe: BodyPipe?
        var isCancelled = false
        var isFinished = false
    }

    let task: URLSessionDataTask
    private let state = Mutex(State())

    /// Where tasks are cancelled: on Linux `cancel()` blocks until the session's own queue is free, and takes locks that the
    /// cancelling thread may hold.
    private static let cancelling = DispatchQueue(label: "catena.urlsession.cancel")

    init(task: URLSessionDataTask) {
        self.task = task
    }

    func start(_ continuation: UnsafeContinuation<TransportResponse, any Error>, in exchanges: SessionExchanges) {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.head = continuation }
            return state.isCancelled
        }
        if isCancelled { return continuation.resume(throwing: CancellationError()) }
        exchanges.add(self)
        task.resume()
    }

    /// Ends the exchange for its caller at once; the task follows.
    func cancel() {
        let head = state.withLock { state -> Head? in
            guard !state.isCancelled else { return nil }
            state.isCancelled = true
            return state.head.take()
        }
        head?.resume(throwing: CancellationError())
        stopTask()
    }

    private func stopTask() {
        Self.cancelling.async { [task] in task.cancel() }
    }

    // MARK: Callbacks

    func didReceive(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else { return }
        state.withLock { state in
            // Interim answers (1xx) come as responses too; what counts is the last one (RFC 9110 §15.2).
            guard state.pipe == nil else { return }
            state.response = response
        }
        if response.statusCode >= 200 { deliverHead() }
    }

    func didReceive(_ data: Data) {
        deliverHead()
        state.withLock { $0.isCancelled ? nil : $0.pipe }?.receive(data)
    }

    /// Whether a redirect or a challenge may be answered: answering for a cancelled task crashes on Linux.
    var mayAnswer: Bool {
        state.withLock { !$0.isCancelled && !$0.isFinished }
    }

    func didComplete(with error: (any Error)?) {
        let late = task.response as? HTTPURLResponse
        let (hasHead, isCancelled) = state.withLock { state in
            if state.response == nil { state.response = late }
            defer { state.isFinished = true }
            return (state.response != nil, state.isCancelled)
        }
        if isCancelled { return }
        // A challenge that was turned down ends in "cancelled" although the answer, a plain 401, is complete.
        let failure = error.flatMap { isCancellation($0) && hasHead ? nil : SessionFailure.error(from: $0) }
        guard hasHead else {
            let head = state.withLock { $0.head.take() }
            let nothing = APIError(.connectionLost, message: "The connection ended without an answer.")
            head?.resume(throwing: failure ?? nothing)
            return
        }
        if failure == nil { deliverHead() }
        let (head, pipe) = state.withLock { ($0.head.take(), $0.pipe) }
        if let failure { head?.resume(throwing: failure) }
        pipe?.finish(throwing: failure)
    }

    private func deliverHead() {
        let delivery = state.withLock { state -> (Head, TransportResponse)? in
            guard !state.isCancelled, state.pipe == nil, let response = state.response, let head = state.head.take() else { return nil }
            let pipe = BodyPipe { [self] in cancel() }
            state.pipe = pipe
            return (head, Self.response(response, body: pipe))
        }
        if let (head, response) = delivery { head.resume(returning: response) }
    }

    private func isCancellation(_ error: any Error) -> Bool {
        (error as? URLError)?.code == .cancelled
    }

    private static func response(_ response: HTTPURLResponse, body: BodyPipe) -> TransportResponse {
        var headers = HTTPHeaders()
        for (name, value) in response.allHeaderFields {
            if let name = name as? String { headers.add(String(describing: value), for: name) }
        }
        return TransportResponse(status: response.statusCode, headers: headers, body: TransportBody(body))
    }
}
