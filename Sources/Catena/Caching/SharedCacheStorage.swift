import Foundation

/// Keeps responses where several machines find them. While that cannot be reached they are kept here, and forgotten when it can be again.
///
/// An address has a mark in the store, which a change of what is there replaces: responses from before it, whoever they are for and on whichever
/// machine they are still under way, are told by the former mark. A mark that the store has lost is replaced too.
final class SharedCacheStorage: CacheStorage {
    /// What has been changed here and is not known to the others yet, each change with a number of its own.
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
    }

    private static let mostOverdue = 1000

    private let store: any SharedStore
    private let limit: Int
    private let lifetime: Duration
    private let local: MemoryCacheStorage
    private let isAway = Mutex(false)
    /// What has been changed and is not written yet: on its way, or put off while the store could not be reached.
    private let overdue = Mutex(Overdue())

    init(_ store: any SharedStore, limit: Int, lifetime: Duration, localLimit: Int) {
        self.store = store
        self.limit = limit
        self.lifetime = lifetime
        local = MemoryCacheStorage(limit: localLimit)
    }

    /// A session of this process means nothing to the others.
    var isLasting: Bool { true }

    var size: Int { local.size }

    func load(_ key: RequestKey) -> CachedResponse? { local.load(key) }

    func save(_ response: CachedResponse, for key: RequestKey) { local.save(response, for: key) }

    func remove(_ key: RequestKey) {
        local.remove(key)
        Task { try? await store.write(nil, for: Self.name(of: key), lifetime: lifetime) }
    }

    func removeAll(of place: String) { local.removeAll(of: place) }

    func clear() {
        local.clear()
        overdue.withLock { $0.noteEverything() }
        // What fails is done with the next call.
        Task { try? await settleOverdue(in: store) }
    }

    func find(_ key: RequestKey, _ watch: SharedWatch) async -> (response: CachedResponse?, mark: String?) {
        let (name, place) = (Self.name(of: key), Self.name(ofPlace: key.place))
        let found = await attempt(watch) { store -> (CachedResponse?, String) in
            try await self.settleOverdue(in: store)
            let reading = try await store.read([place, Self.everything, name])
            let mark = try await self.mark(reading[0], of: place, in: store)
            let all = try await self.mark(reading[1], of: Self.everything, in: store)
            let marks = all + mark
            guard let content = SharedValue.open(reading[2], of: name), content.starts(with: Data(marks.utf8)) else { return (nil, marks) }
            return (CacheFileFormat.decode(Data(content.dropFirst(marks.utf8.count)), of: key), marks)
        }
        guard let found else { return (local.load(key), nil) }
        return found
    }

    func keep(_ response: CachedResponse, for key: RequestKey, mark: String?, _ watch: SharedWatch) async {
        guard let mark else {
            // What was asked for while the store was away belongs to this machine.
            if isAway.withLock({ $0 }) { local.save(response, for: key) }
            return
        }
        guard response.size <= limit, let file = try? CacheFileFormat.encode(response.withoutCookies, for: key) else { return }
        let name = Self.name(of: key)
        let value = SharedValue.seal(Data(mark.utf8) + file, for: name)
        _ = await attempt(watch) { try await $0.write(value, for: name, lifetime: self.lifetime) }
    }

    func forget(_ place: String, _ watch: SharedWatch) async {
        local.removeAll(of: place)
        overdue.withLock { $0.note(place) }
        _ = await attempt(watch) { try await self.settleOverdue(in: $0) }
    }

    private func attempt<Value>(_ watch: SharedWatch, _ work: (any SharedStore) async throws -> Value) async -> Value? {
        let value = await SharedAccess(store: store, watch: watch).attempt(work)
        let isBack = isAway.withLock { isAway in
            defer { isAway = value == nil }
            return isAway && value != nil
        }
        if isBack { local.clear() }
        return value
    }

    /// Does what is still to be done.
    ///
    /// It stays noted until it is done: who asks meanwhile does it too, and never reads by a mark that is being replaced. A change that comes
    /// meanwhile has another number, and is not covered by a mark that is under way.
    private func settleOverdue(in store: any SharedStore) async throws {
        let due = overdue.withLock { $0 }
        if let number = due.everything {
            try await renewMark(of: Self.everything, in: store)
            overdue.withLock { overdue in
                if overdue.everything == number { overdue.everything = nil }
                for (place, number) in due.places where overdue.places[place] == number { overdue.places[place] = nil }
            }
            return
        }
        for (place, number) in due.places {
            try await renewMark(of: Self.name(ofPlace: place), in: store)
            overdue.withLock { if $0.places[place] == number { $0.places[place] = nil } }
        }
    }
}

extension SharedCacheStorage {
    private static let everything = "cache:all"

    private static func name(of key: RequestKey) -> String { "cache:response:\(key.place):\(key.digest)" }

    private static func name(ofPlace place: String) -> String { "cache:address:\(place)" }

    /// A mark outlives the responses that have it.
    private var lifetimeOfMark: Duration { lifetime * 2 }

    private static func newMark() -> String { UUID().uuidString }

    private func renewMark(of name: String, in store: any SharedStore) async throws {
        try await store.write(SharedValue.seal(Data(Self.newMark().utf8), for: name), for: name, lifetime: lifetimeOfMark)
    }

    /// The mark that was read, or a new one; that of whoever was first, if several make one.
    private func mark(_ read: Data?, of name: String, in store: any SharedStore) async throws -> String {
        if let mark = SharedValue.open(read, of: name) { return String(decoding: mark, as: UTF8.self) }
        let mark = Self.newMark()
        let value = SharedValue.seal(Data(mark.utf8), for: name)
        if try await store.replace(read, with: value, for: name, lifetime: lifetimeOfMark) { return mark }
        let present = SharedValue.open(try await store.read([name])[0], of: name)
        // What nobody else has keeps nothing.
        return present.map { String(decoding: $0, as: UTF8.self) } ?? mark
    }
}
