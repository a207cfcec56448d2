import CatenaPlatform

/// Moves a body from an asynchronous sequence into a pipe, no faster than the pipe is read.
final class BodyPump: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        /// Whether the reader has caught up since the pipe was last full.
        var hasCaughtUp = false
        var waiting: Resolver<Void>?
    }

    private let state = Mutex(State())

    static func pipe(from start: @escaping @Sendable () -> TransportBody.Next) -> BodyPipe {
        let pump = BodyPump()
        let pipe = BodyPipe(stop: { pump.stop() }, resume: { pump.goOn() })
        let task = Task {
            let next = start()
            do {
                while let piece = try await next() {
                    pipe.receive(piece)
                    switch pipe.room {
                    case .open: continue
                    case .full: try await pump.room()
                    case .closed: return
                    }
                }
                pipe.finish()
            } catch {
                pipe.finish(throwing: error)
            }
        }
        pump.state.withLock { $0.task = task }
        return pipe
    }

    private func stop() {
        let task = state.withLock { $0.task.take() }
        task?.cancel()
    }

    private func goOn() {
        let waiting = state.withLock { state in
            state.hasCaughtUp = state.waiting == nil
            return state.waiting.take()
        }
        waiting?.fulfill(())
    }

    /// Waits until the reader has caught up.
    private func room() async throws {
        let (promise, resolver) = Promise<Void>.pending()
        let mustWait = state.withLock { state in
            if !state.hasCaughtUp { state.waiting = resolver }
            defer { state.hasCaughtUp = false }
            return !state.hasCaughtUp
        }
        if mustWait { try await promise.value }
    }
}
