import Foundation
import Synchronization

/// Reads the body of one answer piece by piece, as the steps of its call want it.
///
/// Whoever lets go of the reader has read enough: the transfer is stopped.
final class BodyReader: Sendable {
    let pipe: BodyPipe
    private let call: Call
    private let timer = Mutex<ScheduledAction?>(nil)

    init(_ pipe: BodyPipe, of call: Call) {
        self.pipe = pipe
        self.call = call
    }

    deinit {
        timer.withLock { $0 }?.cancel()
        pipe.stop(with: CancellationError())
    }

    var progress: ProgressReporter? { call.execution.progress }

    /// The next bytes; `nil` is the end. Cancelling the task stops the transfer.
    func next() async throws -> Data? {
        do {
            try await call.execution.request.options.control?.passage()
            let silence = watchSilence()
            defer { silence?.cancel() }
            return try await pipe.next()
        } catch {
            pipe.stop(with: error)
            throw call.annotate(error)
        }
    }

    /// Ends the body if nothing arrives for too long; only while somebody waits for it, since a reader who takes his time holds the server up.
    private func watchSilence() -> ScheduledAction? {
        call.silenceLimits.idle.map { limit in
            call.client.clock.schedule(after: limit) { [pipe] in
                pipe.stop(with: APIError(.timeout, message: "Nothing was received for longer than the limit of \(limit)."))
            }
        }
    }

    func stop(with error: any Error) {
        pipe.stop(with: error)
    }

    /// Ends the body with an error unless it has ended by then.
    func limit(to time: Duration, error: APIError) {
        let scheduled = call.client.clock.schedule(after: time) { [pipe] in pipe.stop(with: error) }
        timer.withLock { $0 = scheduled }
    }
}

extension HTTPResponse {
    /// The announced length of the body; `nil` if it is not known, or if it is the length of something compressed.
    var bodyLength: Int64? {
        guard !hasContentCoding, let text = headers["Content-Length"], let length = Int64(text), length >= 0 else { return nil }
        return length
    }

    /// Whether the bytes went through a content coding on their way (RFC 9110 §8.4).
    var hasContentCoding: Bool {
        headers["Content-Encoding"].map { $0.lowercased() != "identity" } ?? false
    }
}
