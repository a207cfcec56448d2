/// Does work once for all who want it at the same time.
///
/// Every caller gets the result of the one flight that is under way for his key. A caller who is cancelled leaves the others alone.
final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    struct State: Sendable {
        var table = FlightTable<Key, Turn<Value>>()
        var lastID: UInt64 = 0
    }

    /// Whether the work is stopped when the last one who waited for it is cancelled.
    private let endsWithLast: Bool
    let state = Monitor(State())

    init(endsWithLast: Bool = true) {
        self.endsWithLast = endsWithLast
    }

    /// Whether nothing is under way.
    var isIdle: Bool { state.withLock { $0.table.isEmpty } }

    func waiters(of key: Key) -> Int { state.withLock { $0.table.waiters(of: key) } }

    /// Gives the result of the flight under way, or of `work`, which then is the flight.
    func run(_ key: Key, _ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        // Work that asks for its own result would wait for itself.
        if isWithin(key) { return try await work() }
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return try await awaitTurn { turn in
            let entry = state.withLock { state in Task.isCancelled ? nil : state.table.join(key, turn, id: id) }
            switch entry {
            case .started(let number): start(number, work)
            case .joined: break
            case nil: turn.resume(throwing: CancellationError())
            }
        } withdraw: { [self] in
            let (turn, stop) = state.withLock { $0.table.withdraw(id, endsWithLast: endsWithLast) }
            stop?()
            return turn
        }
    }

    /// Whether something is under way for a key that the current task is no part of.
    func isUnderWay(_ key: Key) -> Bool {
        state.withLock { $0.table.number(of: key) } != nil && !isWithin(key)
    }

    /// Ends the flight under way from outside, for everybody in it.
    func end(_ key: Key, with result: Result<Value, any Error>) {
        let (waiters, stop) = state.withLock { $0.table.end(key) }
        for turn in waiters { turn.resume(with: result) }
        stop?()
    }
}

extension SingleFlight {
    private func start(_ number: UInt64, _ work: @escaping @Sendable () async throws -> Value) {
        let flight = FlightScope.Flight(table: ObjectIdentifier(self), number: number)
        // The call that started the work waits for it like any other, and may leave before it ends.
        let presence = CurrentCall.presence?.another()
        let task = Task {
            let result: Result<Value, any Error>
            do {
                result = .success(
                    try await CurrentCall.$presence.withValue(presence) {
                        try await FlightScope.$current.withValue(FlightScope.current + [flight], operation: work)
                    })
            } catch {
                result = .failure(error)
            }
            // Until all go on.
            defer { withExtendedLifetime(presence) {} }
            for turn in state.withLock({ $0.table.land(number) }) { turn.resume(with: result) }
        }
        // Everybody may have left already, or the work may have ended.
        if !state.withLock({ $0.table.setStop({ task.cancel() }, of: number) }) { task.cancel() }
    }

    private func isWithin(_ key: Key) -> Bool {
        guard !FlightScope.current.isEmpty, let number = state.withLock({ $0.table.number(of: key) }) else { return false }
        return FlightScope.current.contains(FlightScope.Flight(table: ObjectIdentifier(self), number: number))
    }
}

/// The flights as part of which the current task runs.
private enum FlightScope {
    struct Flight: Sendable, Equatable {
        let table: ObjectIdentifier
        let number: UInt64
    }

    @TaskLocal static var current: [Flight] = []
}
