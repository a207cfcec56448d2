/// Which work is under way for which key, and who waits for it. Pure.
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
    /// In which flight each waiter is.
    private var seats: [UInt64: UInt64] = [:]
    private var lastNumber: UInt64 = 0

    var isEmpty: Bool { flights.isEmpty && current.isEmpty && seats.isEmpty }

    /// The flight that is under way for a key.
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

    /// Says how to stop the work of a flight; false if nobody waits for it any more.
    mutating func setStop(_ stop: @escaping @Sendable () -> Void, of number: UInt64) -> Bool {
        guard flights[number] != nil else { return false }
        flights[number]?.stop = stop
        return true
    }

    /// Takes one waiter out. If he was the last and the flight does not go on without any, gives how to stop it, too.
    mutating func withdraw(_ id: UInt64, endsWithLast: Bool) -> (waiter: Waiter?, stop: (@Sendable () -> Void)?) {
        guard let number = seats.removeValue(forKey: id), let waiter = flights[number]?.waiters.removeValue(forKey: id) else {
            return (nil, nil)
        }
        guard endsWithLast, flights[number]?.waiters.isEmpty == true else { return (waiter, nil) }
        return (waiter, remove(number)?.stop)
    }

    /// Ends a flight. Gives those who waited, in the order in which they came.
    mutating func land(_ number: UInt64) -> [Waiter] {
        guard let flight = remove(number) else { return [] }
        let waiters = flight.waiters.sorted { $0.key < $1.key }
        for (id, _) in waiters { seats.removeValue(forKey: id) }
        return waiters.map(\.value)
    }

    /// Ends the flight of a key from outside. Gives how to stop its work, too.
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
