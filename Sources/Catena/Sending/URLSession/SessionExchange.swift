#if CATENA_SESSION
import Dispatch
import Foundation

#if canImport(FoundationNetworking)
import Catena
import CatenaPromise
import FoundationNetworking
#endif

/// One request in progress on a URLSession. Turns the delegate's callbacks, which may come early, late, repeatedly or never, into one
/// response.
final class SessionExchange: Sendable {
    /// The continuation that waits for the response.
    struct Reader {
        let continuation: UnsafeContinuation<TransportResponse, any Error>
        /// The greatest length of the whole response, or `nil` if its head is enough.
        let limit: Int?
        var isForWhole: Bool { limit != nil }
    }

    private struct State {
        var reader: Reader?
        var response: HTTPURLResponse?
        var body = Data()
        /// The pipe that receives the body after the head has been delivered.
        var pipe: BodyPipe?
        /// The measured durations, which arrive shortly before the end.
        var timings: CallTimings?
        /// Whether the exchange has ended. Later callbacks are ignored.
        var isOver = false
    }

    let task: URLSessionDataTask
    private let inactivity: InactivityWatch?
    private let meter: (any TransferMeter)?
    /// The body file that is being sent. Retained because a temporary file must exist until the task has ended.
    private let file: BodyFile?
    private let state = Mutex(State())

    /// The queue on which tasks are cancelled. On Linux, `cancel()` blocks until the session's own queue is free, and takes locks that the
    /// cancelling thread may hold.
    private static let cancelling = DispatchQueue(label: "catena.urlsession.cancel")

    init(
        task: URLSessionDataTask, file: BodyFile?, notifying inactivity: InactivityWatch?,
        _ meter: (any TransferMeter)?
    ) {
        self.task = task
        self.file = file
        (self.inactivity, self.meter) = (inactivity, meter)
    }

    func start(for reader: Reader, in exchanges: SessionDelegate) {
        let isOver = state.withLock { state in
            if !state.isOver { state.reader = reader }
            return state.isOver
        }
        if isOver { return reader.fail(CancellationError()) }
        exchanges.add(self)
        task.resume()
    }

    /// Ends the exchange for its caller at once, and cancels the task afterwards.
    func stop(with error: any Error = CancellationError()) {
        let (isFirst, reader, pipe, timings) = state.withLock { state in
            let isFirst = !state.isOver
            state.isOver = true
            return (isFirst, state.reader.take(), state.pipe, state.timings)
        }
        guard isFirst else { return }
        let error = APIError.adding(timings, to: error)
        reader?.fail(error)
        pipe?.finish(throwing: error)
        Self.cancelling.async { [task] in task.cancel() }
    }

    // MARK: Callbacks

    func didSend(_ count: Int64) {
        inactivity?.noteSent()
        meter?.noteSent(count)
        guard let onSent = file?.onSent, state.withLock({ !$0.isOver }) else { return }
        onSent(count, task.countOfBytesExpectedToSend > 0 ? task.countOfBytesExpectedToSend : nil)
    }

    func didMeasure(_ timings: CallTimings) {
        state.withLock { $0.timings = timings }
    }

    func didReceive(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else { return }
        inactivity?.noteReceived()
        state.withLock { state in
            // Interim responses (1xx) are delivered like final ones, so keep the last response (RFC 9110 §15.2).
            if state.pipe == nil { state.response = response }
        }
        if response.statusCode >= 200 { handOverHead() }
    }

    func didReceive(_ data: Data) {
        inactivity?.noteReceived()
        let (pipe, excess) = state.withLock { state -> (BodyPipe?, APIError?) in
            // A 205 has no body, so ignore any bytes that follow it (RFC 9110 §15.3.6).
            guard !state.isOver, state.response?.statusCode != 205 else { return (nil, nil) }
            if let pipe = state.pipe { return (pipe, nil) }
            if state.body.isEmpty { state.body = data } else { state.body.append(data) }
            guard let limit = state.reader?.limit, let response = state.response else { return (nil, nil) }
            let longest = response.isRedirect ? RedirectBody.limit : ErrorBody.limit(limit, status: response.statusCode)
            guard state.body.count > longest else { return (nil, nil) }
            let head = TransportResponse(response, body: TransportBody(Data()))
            return (nil, TransportBody.tooLarge(longest, status: head.status, headers: head.headers))
        }
        pipe?.receive(data)
        if let excess {
            if !finishRedirect() { stop(with: excess) }
        } else if let meter, pipe == nil {
            tell(meter)
        }
    }

    private func tell(_ meter: any TransferMeter) {
        let (count, announced) = state.withLock { (Int64($0.body.count), $0.response?.expectedContentLength ?? -1) }
        // Do not report the last piece, because it arrives with the response itself. Most responses have only this piece.
        if count > 0, count != announced { meter.noteReceived(count, of: announced > 0 ? announced : nil) }
    }

    /// Ends a redirect without the rest of its body. Returns `false` if the response is not a redirect.
    private func finishRedirect() -> Bool {
        let ending = state.withLock { state -> State? in
            guard !state.isOver, state.response?.isRedirect == true, state.reader?.isForWhole == true else { return nil }
            let ending = state
            state.isOver = true
            state.reader = nil
            return ending
        }
        guard let ending, let response = ending.response else { return false }
        ending.reader?.succeed(response, body: Data())
        Self.cancelling.async { [task] in task.cancel() }
        return true
    }

    /// Whether a redirect may be answered. Answering it for a cancelled task crashes on Linux.
    var mayAnswer: Bool { state.withLock { !$0.isOver } }

    func didComplete(with error: (any Error)?) {
        // Some responses are not announced by a callback, but are present at the end.
        if let late = task.response as? HTTPURLResponse {
            state.withLock { state in
                if state.response == nil { state.response = late }
            }
        }
        let ending = state.withLock { state -> State? in
            guard !state.isOver else { return nil }
            state.isOver = true
            defer {
                state.reader = nil
                state.body = Data()
            }
            return state
        }
        guard let ending else { return }
        if let response = ending.response, response.isRedirect, ending.reader?.isForWhole == true {
            ending.reader?.succeed(response, body: Data(), ending.timings)
            return
        }
        // A declined challenge ends the task with `cancelled`, although its response, a plain 401, is complete.
        let isDeclined = (error as? URLError)?.code == .cancelled && ending.response != nil
        if let error, !isDeclined {
            let fault = SessionFailure.error(from: error)
            if let response = ending.response, ending.reader?.isForWhole == true, ErrorBody.isForgiven(fault, status: response.statusCode) {
                ending.reader?.succeed(response, body: ending.body, ending.timings, fault: fault)
                return
            }
            let failure = APIError.adding(ending.timings, to: fault)
            ending.reader?.fail(failure)
            ending.pipe?.finish(throwing: failure)
        } else if let response = ending.response {
            ending.reader?.succeed(response, body: ending.body, ending.timings)
            ending.pipe?.finish()
        } else {
            ending.reader?.fail(APIError(.connectionLost, message: "The connection ended without a response."))
        }
    }

    /// Delivers the head to a reader that waits only for it.
    private func handOverHead() {
        let handover = state.withLock { state -> (UnsafeContinuation<TransportResponse, any Error>, TransportResponse)? in
            guard !state.isOver, let response = state.response, let reader = state.reader, !reader.isForWhole else { return nil }
            state.reader = nil
            let pipe = BodyPipe { [self] in stop() }
            state.pipe = pipe
            return (reader.continuation, TransportResponse(response, body: TransportBody(pipe)))
        }
        if let (continuation, response) = handover { continuation.resume(returning: response) }
    }
}

extension SessionExchange.Reader {
    func fail(_ error: any Error) { continuation.resume(throwing: error) }

    func succeed(_ response: HTTPURLResponse, body: Data, _ timings: CallTimings? = nil, fault: APIError? = nil) {
        var answer = TransportResponse(response, body: TransportBody(body))
        answer.timings = timings
        answer.bodyFault = fault
        continuation.resume(returning: answer)
    }
}

extension HTTPURLResponse {
    fileprivate var isRedirect: Bool {
        RedirectBody.belongs(toStatus: statusCode, location: value(forHTTPHeaderField: "Location"))
    }
}

extension TransportResponse {
    init(_ response: HTTPURLResponse, body: TransportBody) {
        var headers = HTTPHeaders()
        for (name, value) in response.allHeaderFields {
            guard let name = name as? String else { continue }
            let value = value as? String ?? "\(value)"
            if sameHeaderName(name, "Set-Cookie") {
                for line in JoinedCookies.split(value) { headers.add(line, for: name) }
            } else {
                headers.add(value, for: name)
            }
        }
        self.init(status: response.statusCode, headers: headers, body: body)
    }
}
#endif
