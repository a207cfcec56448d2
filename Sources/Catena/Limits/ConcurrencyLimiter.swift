/// Lets a bounded number of calls run at a time.
final class ConcurrencyLimiter: Sendable {
    struct State: Sendable {
        var queue: ConcurrencyQueue<Turn<Void>>
        var nextID: UInt64 = 0
    }

    private let clock: any TimerClock
    let state: Monitor<State>

    init(_ limit: ConcurrencyLimit, clock: any TimerClock) {
        self.clock = clock
        state = Monitor(State(queue: ConcurrencyQueue(limit)))
    }

    /// How many run and how many wait.
    var load: (running: Int, waiting: Int) { state.withLock { ($0.queue.running, $0.queue.waiting) } }

    /// Waits for a place. Cancelling the task ends the wait at once.
    func enter(priority: CallPriority) async throws -> ConcurrencyPlace {
        try await wait(priority)
        return ConcurrencyPlace { [self, start = clock.now] in
            let next = state.withLock { $0.queue.leave(after: clock.now - start) }
            next?.resume()
        }
    }

    private func wait(_ priority: CallPriority) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await awaitTurn { turn in
            let entry = state.withLock { Task.isCancelled ? nil : $0.queue.enter(turn, id: id, priority: priority) }
            switch entry {
            case .admitted: turn.resume()
            case .queued: break
            case .rejected(let retryAfter):
                turn.resume(throwing: APIError.rejection(.overloaded, "Too many calls wait already", retryAfter: retryAfter))
            case nil: turn.resume(throwing: CancellationError())
            }
        } withdraw: { [self] in
            state.withLock { $0.queue.withdraw(id) }
        }
    }
}
