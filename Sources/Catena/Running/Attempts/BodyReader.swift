import CatenaPlatform

/// Reads the body of one response piece by piece.
///
/// Releasing the reader stops the transfer.
final class BodyReader: Sendable {
    let owner: PipeOwner
    private let run: CallRun
    /// The maximum time without data while a reader waits.
    private let idleLimit: Duration?

    /// The idle limit of streams and downloads without one of their own, which nothing else would end.
    static let usualIdleLimit = Duration.seconds(60)

    init(_ owner: PipeOwner, of run: CallRun, idleLimit: Duration?) {
        self.owner = owner
        self.run = run
        self.idleLimit = idleLimit
    }

    deinit {
        // The owner stops the transfer.
        end(as: .cancelled, CancellationError())
    }

    private var pipe: BodyPipe { owner.pipe }

    var progress: ProgressReporter? { run.progress }

    /// The number of bytes of the body on the wire, or `nil` if the transport does not report it.
    var wireBytes: Int64? { pipe.wireBytes }

    /// Returns the next bytes, or `nil` at the end. Cancelling the task stops the transfer.
    func next() async throws -> Data? {
        do {
            try await waitWhileHeldUp()
            let inactivity = watchInactivity()
            defer { inactivity?.cancel() }
            let piece = try await pipe.next()
            if let piece { run.inspected?.note(received: Int64(piece.count), of: nil) } else { end(as: .completed) }
            return piece
        } catch {
            stop(with: error)
            throw error
        }
    }

    /// Waits while the call is suspended, or until the body ends, such as by a cancellation or a limit. A call that has ended is in no list in
    /// which it could be resumed.
    private func waitWhileHeldUp() async throws {
        guard run.task.isHeldUp else { return }
        let release = Promise<Void> { [task = run.task] in try await task.waitWhileSuspended() }
        pipe.whenOver { release.cancel() }
        do {
            try await release.value
        } catch {
            try Task.checkCancellation()
        }
    }

    /// Ends the body if nothing arrives for too long while a reader waits. The time between reads has no limit, because a slow reader delays the
    /// server itself.
    private func watchInactivity() -> ScheduledAction? {
        idleLimit.map { limit in schedule(.silent(for: limit), after: limit) }
    }

    /// Ends the call with an error of the transfer, or with one found in the data read. Returns the error as the call reports it.
    func failure(_ error: any Error) async -> any Error {
        stop(with: error)
        return await run.conclude(error, after: pipe)
    }

    /// Ends the transfer after the reader has received all that it needs.
    func finish() {
        end(as: .completed)
        pipe.stop(with: CancellationError())
    }

    /// Stops the transfer. After a failure the call stays active until ``failure(_:)`` has ended it.
    func stop(with error: any Error) {
        pipe.stop(with: error)
        if error is CancellationError { end(as: .cancelled, error) } else { endStream(error) }
    }

    private func end(as state: CallTask.State, _ error: (any Error)? = nil) {
        endStream(error)
        run.end(pipe, as: state)
    }

    private func endStream(_ error: (any Error)?) {
        run.inspected?.endStream(error, at: run.now)
        run.stopper.remove(pipe)
    }

    /// Ends the body with an error after a time, unless the action is cancelled or the body has ended by then.
    func schedule(_ error: APIError, after time: Duration) -> ScheduledAction {
        run.client.clock.schedule(after: time) { [pipe] in pipe.stop(with: error) }
    }
}

extension APIError {
    fileprivate static func silent(for limit: Duration) -> APIError {
        var error = APIError(.timeout, message: "Nothing was received for longer than the limit of \(limit).")
        error.contents.isInactivity = true
        return error
    }
}

extension HTTPResponse {
    /// The announced length of the body, or `nil` if it is unknown or that of compressed data.
    var bodyLength: Int64? { headers.bodyLength }

    /// Whether the head announces an empty body (RFC 9110 §6.4.1).
    var saysItIsEmpty: Bool { status == 204 || status == 205 || bodyLength == 0 }
}
