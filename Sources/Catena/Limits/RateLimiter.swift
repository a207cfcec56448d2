/// Lets calls begin at a bounded rate; those that come too early wait.
final class RateLimiter: Sendable {
    struct State: Sendable {
        var queue: RateQueue<Turn<Void>>
        var nextID: UInt64 = 0
    }

    private let clock: any TimerClock
    let state: Monitor<State>

    /// - Parameters:
    ///   - limits: All of them hold.
    ///   - queueLimit: How many calls may wait.
    ///   - longestWait: A call that would wait longer is turned away at once.
    init(_ limits: [RateLimit], queueLimit: Int = .max, longestWait: Duration = .seconds(60), clock: any TimerClock) {
        self.clock = clock
        state = Monitor(State(queue: RateQueue(limits, queueLimit: queueLimit, longestWait: longestWait)))
    }

    /// Waits for the turn. Cancelling the task ends the wait at once and costs nobody else anything.
    func enter(priority: CallPriority) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await awaitTurn { turn in
            let entry = state.withLock { Task.isCancelled ? nil : $0.queue.enter(turn, id: id, priority: priority, at: clock.now) }
            switch entry {
            case .admitted: turn.resume()
            case .queued(let wake): if let wake { schedule(wake) }
            case .rejected(let retryAfter):
                turn.resume(throwing: APIError.rejection(.rateLimited, "More calls than the rate allows", retryAfter: retryAfter))
            case nil: turn.resume(throwing: CancellationError())
            }
        } withdraw: { [self] in
            state.withLock { $0.queue.withdraw(id) }
        }
    }

    /// Lets nothing begin for a while, since the server has asked for that.
    func hold(for time: Duration) {
        state.withLock { $0.queue.hold(until: clock.now + time) }
    }

    /// Sleeps, since somebody waits for it: a limit that may never strike would not move the clock of a test.
    private func schedule(_ delay: Duration) {
        let presence = CurrentCall.presence?.another()
        Task {
            await CurrentCall.$presence.withValue(presence) {
                try? await clock.sleep(for: delay)
                let (admitted, wake) = state.withLock { $0.queue.advance(to: clock.now) }
                for turn in admitted { turn.resume() }
                if let wake { schedule(wake) }
            }
        }
    }
}
