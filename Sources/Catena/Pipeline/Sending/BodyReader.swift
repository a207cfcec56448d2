import Foundation

/// Reads the body of one response piece by piece, as the steps of its call want it.
///
/// Whoever lets go of the reader has read enough: the transfer is stopped.
final class BodyReader: Sendable {
    let lease: PipeOwner
    private let execution: Execution
    /// How long nothing may arrive while somebody waits for it.
    private let idleLimit: Duration?
    private let timer = Mutex<ScheduledAction?>(nil)

    /// How long a stream or a download may be silent unless the call or its tag says otherwise: nothing else would end it.
    static let usualIdleLimit = Duration.seconds(60)

    init(_ lease: PipeOwner, of execution: Execution, idleLimit: Duration?) {
        self.lease = lease
        self.execution = execution
        self.idleLimit = idleLimit
    }

    deinit {
        // The lease stops the transfer.
        end(as: .cancelled, CancellationError())
    }

    private var pipe: BodyPipe { lease.pipe }

    var progress: ProgressReporter? { execution.progress }

    /// How many bytes of the body came over the wire; `nil` if the transport does not say.
    var wireBytes: Int64? { pipe.wireBytes }

    /// The next bytes; `nil` is the end. Cancelling the task stops the transfer.
    func next() async throws -> Data? {
        do {
            try await waitWhileHeldUp()
            let silence = watchSilence()
            defer { silence?.cancel() }
            let piece = try await pipe.next()
            if let piece { execution.trace?.note(received: Int64(piece.count), of: nil) } else { end(as: .completed) }
            return piece
        } catch {
            stop(with: error)
            throw error
        }
    }

    /// Waits while somebody holds the call up. Whatever ends the body meanwhile, such as a cancellation or a limit, is not held up: the call may be
    /// in no list any more in which it could be found to let it go on.
    private func waitWhileHeldUp() async throws {
        guard execution.task.isHeldUp else { return }
        let release = Promise<Void> { [task = execution.task] in try await task.waitWhileSuspended() }
        pipe.whenOver { release.cancel() }
        do {
            try await release.value
        } catch {
            try Task.checkCancellation()
        }
    }

    /// Ends the body if nothing arrives for too long; only while somebody waits for it, since a reader who takes his time holds the server up.
    private func watchSilence() -> ScheduledAction? {
        idleLimit.map { limit in schedule(.silent(for: limit), after: limit) }
    }

    /// Does something when the reader has come to the end, or the body has been stopped.
    func whenOver(_ action: @escaping @Sendable () -> Void) {
        pipe.whenOver(action)
    }

    /// Ends the call with an error of the transfer, or with one that somebody has found in what was handed out. Gives the error as it leaves
    /// the call.
    func failure(_ error: any Error) async -> any Error {
        // Before the handlers are asked, who may take their time.
        stop(with: error)
        return await execution.conclude(error)
    }

    /// Ends the transfer of which somebody has all that he wants.
    func finish() {
        end(as: .completed)
        pipe.stop(with: CancellationError())
    }

    func stop(with error: any Error) {
        pipe.stop(with: error)
        end(as: error is CancellationError ? .cancelled : .completed, error)
    }

    private func end(as state: CallTask.State, _ error: (any Error)? = nil) {
        execution.trace?.endStream(error, at: execution.now)
        timer.withLock { $0 }?.cancel()
        execution.task.end(pipe, as: state)
    }

    /// Ends the body with an error unless it has ended by then.
    func limit(to time: Duration, error: APIError) {
        let scheduled = schedule(error, after: time)
        timer.withLock { $0 = scheduled }
    }

    /// Ends the body with an error after a time, unless that is called off or the body has ended by then.
    func schedule(_ error: APIError, after time: Duration) -> ScheduledAction {
        execution.client.clock.schedule(after: time) { [pipe] in pipe.stop(with: error) }
    }
}

extension APIError {
    fileprivate static func silent(for limit: Duration) -> APIError {
        var error = APIError(.timeout, message: "Nothing was received for longer than the limit of \(limit).")
        error.isSilence = true
        return error
    }
}

extension HTTPResponse {
    /// The announced length of the body; `nil` if it is not known, or if it is the length of something compressed.
    var bodyLength: Int64? { headers.bodyLength }

    /// Whether the head says that nothing follows it (RFC 9110 §6.4.1).
    var saysItIsEmpty: Bool { status == 204 || status == 205 || bodyLength == 0 }
}
