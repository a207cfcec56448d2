/// Runs a piece of work once for all concurrent callers with the same key.
///
/// Each caller receives the result of the flight in progress for its key. Cancelling a caller does not affect the others.
///
/// Its functions are not specialized, because they wait for work that takes much longer, and each copy would take 10 KB.
package final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    struct State: Sendable {
        var table = FlightTable<Key, Waiter<Value>>()
        var lastID: UInt64 = 0
    }

    /// Whether the work is cancelled when its last waiter is cancelled.
    private let endsWithLast: Bool
    let state = Monitor(State())

    package init(endsWithLast: Bool = true) {
        self.endsWithLast = endsWithLast
    }

    /// Whether no flight is in progress.
    var isIdle: Bool { state.withLock { $0.table.isEmpty } }

    @_semantics("optimize.sil.specialize.generic.never")
    func waiters(of key: Key) -> Int { state.withLock { $0.table.waiters(of: key) } }

    /// Joins the flight in progress for a key, or starts one with `work`. Returns its result.
    @_semantics("optimize.sil.specialize.generic.never")
    package func run(_ key: Key, _ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        // Run the work directly inside its own flight, because it would wait for itself.
        if isWithin(key) { return try await work() }
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return try await waitCancellably { turn in
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

    /// Whether a flight is in progress for a key, and the current task is not part of it.
    @_semantics("optimize.sil.specialize.generic.never")
    func isUnderWay(_ key: Key) -> Bool {
        state.withLock { $0.table.number(of: key) } != nil && !isWithin(key)
    }

    /// Ends the flight in progress for all of its waiters.
    @_semantics("optimize.sil.specialize.generic.never")
    func end(_ key: Key, with result: Result<Value, any Error>) {
        let (waiters, stop) = state.withLock { $0.table.end(key) }
        for turn in waiters { turn.resume(with: result) }
        stop?()
    }
}

extension SingleFlight {
    private func start(_ number: UInt64, _ work: @escaping @Sendable () async throws -> Value) {
        let flight = FlightScope.Flight(table: ObjectIdentifier(self), number: number)
        // The call that starts the work waits like any other, and may leave earlier.
        let presence = CurrentCall.presence?.another()
        let fly = { @Sendable [self] in
            // Begin only after `stop` has been set, and only if there are still waiters.
            guard state.withLock({ $0.table.contains(number) }) else { return }
            let result: Result<Value, any Error>
            do {
                result = .success(
                    try await CurrentCall.$presence.withValue(presence) {
                        try await FlightScope.$current.withValue(FlightScope.current + [flight], operation: work)
                    })
            } catch {
                result = .failure(error)
            }
            // Keep the presence until all waiters have been resumed.
            defer { withExtendedLifetime(presence) {} }
            for turn in state.withLock({ $0.table.land(number) }) { turn.resume(with: result) }
        }
        state.withLock { state in
            guard state.table.contains(number) else { return }
            let task = Task(operation: fly)
            state.table.setStop({ task.cancel() }, of: number)
        }
    }

    private func isWithin(_ key: Key) -> Bool {
        guard !FlightScope.current.isEmpty, let number = state.withLock({ $0.table.number(of: key) }) else { return false }
        return FlightScope.current.contains(FlightScope.Flight(table: ObjectIdentifier(self), number: number))
    }
}

/// The flights that the current task is part of.
private enum FlightScope {
    struct Flight: Sendable, Equatable {
        let table: ObjectIdentifier
        let number: UInt64
    }

    @TaskLocal static var current: [Flight] = []
}

/// The flights in progress by key, with their waiters. It has no side effects.
struct FlightTable<Key: Hashable & Sendable, Waiter: Sendable>: Sendable {
    enum Entry: Equatable {
        /// The caller is the first and has to start the work.
        case started(UInt64)
        case joined
    }

    private struct Flight: Sendable {
        let key: Key
        var waiters: [UInt64: Waiter] = [:]
        var stop: (@Sendable () -> Void)?
    }

    private var current: [Key: UInt64] = [:]
    private var flights: [UInt64: Flight] = [:]
    /// The flight of each waiter.
    private var seats: [UInt64: UInt64] = [:]
    private var lastNumber: UInt64 = 0

    var isEmpty: Bool { flights.isEmpty && current.isEmpty && seats.isEmpty }

    /// Returns the number of the flight in progress for a key.
    func number(of key: Key) -> UInt64? { current[key] }

    func waiters(of key: Key) -> Int { current[key].flatMap { flights[$0]?.waiters.count } ?? 0 }

    mutating func join(_ key: Key, _ waiter: Waiter, id: UInt64) -> Entry {
        if let number = current[key] {
            flights[number]?.waiters[id] = waiter
            seats[id] = number
            return .joined
        }
        lastNumber += 1
        current[key] = lastNumber
        flights[lastNumber] = Flight(key: key, waiters: [id: waiter])
        seats[id] = lastNumber
        return .started(lastNumber)
    }

    /// Whether a flight is in progress.
    func contains(_ number: UInt64) -> Bool { flights[number] != nil }

    /// Sets the closure that cancels the work of a flight.
    mutating func setStop(_ stop: @escaping @Sendable () -> Void, of number: UInt64) {
        flights[number]?.stop = stop
    }

    /// Removes one waiter. If it was the last one and `endsWithLast` is set, ends the flight and returns its `stop`, too.
    mutating func withdraw(_ id: UInt64, endsWithLast: Bool) -> (waiter: Waiter?, stop: (@Sendable () -> Void)?) {
        guard let number = seats.removeValue(forKey: id), let waiter = flights[number]?.waiters.removeValue(forKey: id) else {
            return (nil, nil)
        }
        guard endsWithLast, flights[number]?.waiters.isEmpty == true else { return (waiter, nil) }
        return (waiter, remove(number)?.stop)
    }

    /// Ends a flight. Returns its waiters in the order of their arrival.
    mutating func land(_ number: UInt64) -> [Waiter] {
        guard let flight = remove(number) else { return [] }
        for id in flight.waiters.keys { seats.removeValue(forKey: id) }
        return flight.waiters.valuesInOrder()
    }

    /// Ends the flight of a key. Returns its waiters and the closure that cancels its work.
    mutating func end(_ key: Key) -> (waiters: [Waiter], stop: (@Sendable () -> Void)?) {
        guard let number = current[key] else { return ([], nil) }
        let stop = flights[number]?.stop
        return (land(number), stop)
    }

    private mutating func remove(_ number: UInt64) -> Flight? {
        guard let flight = flights.removeValue(forKey: number) else { return nil }
        if current[flight.key] == number { current.removeValue(forKey: flight.key) }
        return flight
    }
}
