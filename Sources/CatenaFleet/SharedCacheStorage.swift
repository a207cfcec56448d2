import Catena
import CatenaPlatform
import CatenaPromise

/// Stores responses in a store that several machines share. While the store cannot be reached, responses are stored in memory, and discarded
/// afterwards.
///
/// Each address has a mark in the store, and each response is stored with the mark. A change of the address replaces the mark, so that older
/// responses become invalid for all users, even those still in progress on other machines. A mark that the store has lost is replaced, too. The mark of
/// everything carries a log of the paths and groups that have changed, whose number each response is stored with.
final class SharedCacheStorage: CacheStorage {
    /// Local changes that have not been written to the store, each with its own number.
    private struct Overdue {
        var places: [String: Int] = [:]
        var everything: Int?
        private var last = 0

        mutating func note(_ place: String) {
            last += 1
            if places.count < SharedCacheStorage.mostOverdue || places[place] != nil { places[place] = last } else { everything = last }
        }

        mutating func noteEverything() {
            last += 1
            everything = last
        }

        func isDue(_ number: Int) -> Bool { everything == number || places.values.contains(number) }

        /// Records that a change has been written, and with it the changes that it includes. A newer change of the same place has another number.
        mutating func settle(_ number: Int, including places: [String: Int]) {
            if everything == number { everything = nil }
            for (place, number) in places where self.places[place] == number { self.places[place] = nil }
        }
    }

    private static let mostOverdue = 1000

    private let store: any SharedStore
    private let limit: Int
    private let lifetime: Duration
    private let local: MemoryCacheStorage
    private let isAway = Mutex(false)
    /// The changes that are being written, or were postponed because the store could not be reached.
    private let overdue = Mutex(Overdue())
    /// The changes that are being written, by number.
    private let writes = SingleFlight<Int, Void>(endsWithLast: false)

    init(_ store: any SharedStore, limit: Int, lifetime: Duration, localLimit: Int) {
        self.store = store
        self.limit = limit
        self.lifetime = lifetime
        local = MemoryCacheStorage(limit: localLimit)
    }

    /// Returns `true`, so that responses of a session are not stored. Other machines do not know the sessions of this process.
    var isLasting: Bool { true }
    var isShared: Bool { true }

    var emptied: MemoryCacheStorage { local.emptied }

    var size: Int { local.size }

    func load(_ key: RequestKey) -> CachedResponse? { local.load(key) }

    func save(_ response: CachedResponse, for key: RequestKey) { local.save(response, for: key) }

    func remove(_ key: RequestKey) {
        local.remove(key)
        Task {
            _ = await SharedAccess(store: store, outageHandler: .silent).attempt {
                try await $0.write(nil, for: Self.name(of: key), lifetime: self.lifetime)
            }
        }
    }

    func removeAll(of place: String) { local.removeAll(of: place) }

    func removeAll(named patterns: [PathPattern]) { local.removeAll(named: patterns) }

    func clear() {
        local.clear()
        overdue.withLock { $0.noteEverything() }
        // If this fails, the next call tries again.
        Task {
            let access = SharedAccess(store: store, outageHandler: .silent)
            _ = await access.attempt { try await self.settleOverdue(in: $0, access.outageHandler.clock) }
        }
    }

    func find(_ key: RequestKey, _ outageHandler: OutageHandler) async -> (response: CachedResponse?, mark: String?) {
        let (name, place) = (Self.name(of: key), Self.name(ofPlace: key.place))
        let found = await attempt(outageHandler) { store -> (CachedResponse?, String) in
            try await self.settleOverdue(in: store, outageHandler.clock)
            let reading = try await store.read([place, Self.everything, name])
            let mark = try await self.mark(reading[0], of: place, in: store)
            let all = SharedChanges(try await self.mark(reading[1], of: Self.everything, in: store))
            let marks = all.mark + mark
            guard let content = SharedValue.open(reading[2], of: name), content.starts(with: Data(marks.utf8)) else {
                return (nil, marks + all.number)
            }
            let rest = content.dropFirst(marks.utf8.count)
            guard let response = CacheFileFormat.decode(Data(rest.dropFirst(all.number.utf8.count)), of: key),
                !all.makesStale(response, of: rest.prefix(all.number.utf8.count))
            else { return (nil, marks + all.number) }
            return (response, marks + all.number)
        }
        guard let found else { return (local.load(key), nil) }
        return found
    }

    func keep(_ response: CachedResponse, for key: RequestKey, mark: String?, _ outageHandler: OutageHandler) async {
        guard let mark else {
            // A request that began while the store was unreachable has no mark, so its response is stored on this machine only.
            if isAway.withLock({ $0 }) { local.save(response, for: key) }
            return
        }
        guard response.size <= limit, let file = try? CacheFileFormat.encode(response, for: key) else { return }
        let name = Self.name(of: key)
        let value = SharedValue.seal(Data(mark.utf8) + file, for: name)
        _ = await attempt(outageHandler) { try await $0.write(value, for: name, lifetime: self.lifetime) }
    }

    func forget(_ place: String, _ outageHandler: OutageHandler) async {
        local.removeAll(of: place)
        overdue.withLock { $0.note(place) }
        _ = await attempt(outageHandler) { try await self.settleOverdue(in: $0, outageHandler.clock) }
    }

    func forget(named names: [String], _ outageHandler: OutageHandler) async {
        local.removeAll(named: names.map { PathPattern($0) })
        let isNoted = await SharedAccess(store: store, outageHandler: outageHandler).change { store -> SharedAccess.Change<Bool> in
            let read = try await store.read([Self.everything])[0]
            // A lost mark is replaced, which makes everything stale.
            let content = SharedValue.open(read, of: Self.everything).map { String(decoding: $0, as: UTF8.self) }
            var all = SharedChanges(content ?? Self.newMark())
            all.log.add(names)
            let value = SharedValue.seal(all.content, for: Self.everything)
            let isStored = try await store.replace(read, with: value, for: Self.everything, lifetime: self.lifetimeOfMark)
            return isStored ? .done(true) : .lost
        }
        // A change that was not stored makes everything stale, once the store can be reached.
        if isNoted == nil { overdue.withLock { $0.noteEverything() } }
    }

    private func attempt<Value>(_ outageHandler: OutageHandler, _ work: (any SharedStore) async throws -> Value) async -> Value? {
        let value = await SharedAccess(store: store, outageHandler: outageHandler).attempt(work)
        let isBack = isAway.withLock { isAway in
            defer { isAway = value == nil }
            return isAway && value != nil
        }
        if isBack { local.clear() }
        return value
    }

    /// Writes the changes that are due.
    ///
    /// A change remains recorded until it has been written. Concurrent calls wait for one write, so that none uses a mark that is about to be
    /// replaced. Each waits no longer than for an operation of its own.
    private func settleOverdue(in store: any SharedStore, _ clock: any TimerClock) async throws {
        let due = overdue.withLock { $0 }
        if let number = due.everything { return try await write(number, to: Self.everything, including: due.places, in: store, clock) }
        for (place, number) in due.places {
            try await write(number, to: Self.name(ofPlace: place), including: [place: number], in: store, clock)
        }
    }

    private func write(
        _ number: Int, to mark: String, including places: [String: Int], in store: any SharedStore, _ clock: any TimerClock
    ) async throws {
        try await StoreLimit.within(clock) { [self] in
            try await writes.run(number) { [self] in
                // A caller may have read the changes before an earlier flight ended. A second write would invalidate responses that came after the
                // first.
                guard overdue.withLock({ $0.isDue(number) }) else { return }
                try await renewMark(of: mark, in: store)
                overdue.withLock { $0.settle(number, including: places) }
            }
        }
    }
}

extension SharedCacheStorage {
    private static let everything = "cache:all"

    private static func name(of key: RequestKey) -> String { "cache:response:\(key.place):\(key.digest)" }

    private static func name(ofPlace place: String) -> String { "cache:address:\(place)" }

    /// The lifetime of a mark, which must exceed that of its responses.
    private var lifetimeOfMark: Duration { lifetime * 2 }

    private static func newMark() -> String { UUID().uuidString }

    private func renewMark(of name: String, in store: any SharedStore) async throws {
        try await store.write(SharedValue.seal(Data(Self.newMark().utf8), for: name), for: name, lifetime: lifetimeOfMark)
    }

    /// Returns the mark that was read, or creates one. If several machines create one at the same time, the first one wins.
    private func mark(_ read: Data?, of name: String, in store: any SharedStore) async throws -> String {
        if let mark = SharedValue.open(read, of: name) { return String(decoding: mark, as: UTF8.self) }
        let mark = Self.newMark()
        let value = SharedValue.seal(Data(mark.utf8), for: name)
        if try await store.replace(read, with: value, for: name, lifetime: lifetimeOfMark) { return mark }
        let present = SharedValue.open(try await store.read([name])[0], of: name)
        // If the mark is missing again, use the local one. No other machine has it, so no response is found under it.
        return present.map { String(decoding: $0, as: UTF8.self) } ?? mark
    }
}

/// The mark of everything, with the log of the paths and groups that have changed since it was made.
private struct SharedChanges {
    /// The length of a mark, which is a UUID.
    private static let lengthOfMark = 36
    private static let digits = 16

    let mark: String
    var log: InvalidationLog

    init(_ content: String) {
        mark = String(content.prefix(Self.lengthOfMark))
        let rest = Data(content.dropFirst(Self.lengthOfMark).utf8)
        log = rest.isEmpty ? InvalidationLog() : (try? JSONDecoder().decode(InvalidationLog.self, from: rest)) ?? InvalidationLog()
    }

    var content: Data { Data(mark.utf8) + ((try? JSONEncoder().encode(log)) ?? Data()) }

    /// The number of the log in the form in which a response is stored with it.
    var number: String {
        let text = String(log.number, radix: 16)
        return String(repeating: "0", count: max(Self.digits - text.count, 0)) + text
    }

    /// Whether a response is stale that is stored with a number.
    func makesStale(_ response: CachedResponse, of number: Data) -> Bool {
        guard let start = Int(String(decoding: number, as: UTF8.self), radix: 16) else { return true }
        return log.makesStale(response.names, since: start)
    }
}
