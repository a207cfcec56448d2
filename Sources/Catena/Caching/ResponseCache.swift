public import Foundation

/// Keeps responses, in memory or on disk.
///
/// ```swift
/// forum.cache = .memory(limit: 10 * 1024 * 1024)
/// forum.cache = .disk(folder: cachesFolder.appending(path: "forum"), limit: 50 * 1024 * 1024)
/// ```
///
/// What cannot be written or read is a miss and never fails a call.
public struct ResponseCache: Sendable {
    let storage: any CacheStorage
    let renewals = CacheRenewals()
    let generations = CacheGenerations()

    /// A cache that is gone with the app.
    ///
    /// - Parameter limit: How many bytes it may hold; what was not used for longest goes first.
    public static func memory(limit: Int) -> ResponseCache {
        ResponseCache(storage: MemoryCacheStorage(limit: limit))
    }

    /// A cache on disk that only the owner can read.
    ///
    /// - Parameters:
    ///   - folder: Where the cache makes a folder of its own, `catena-responses`. Nothing else in it is touched, and several processes
    ///     may be given the same one.
    ///   - limit: How many bytes it may hold; what was not used for longest goes first.
    ///   - onFailure: Is called when the folder cannot be used, once until it can be used again.
    public static func disk(
        folder: URL,
        limit: Int,
        onFailure: @escaping @Sendable (any Error) -> Void = { _ in }
    ) -> ResponseCache {
        ResponseCache(storage: DiskCacheStorage(folder: folder, limit: limit, onFailure: onFailure))
    }

    /// A cache that several machines have in common, such as one in Redis.
    ///
    /// Nothing of a caller who is known only by a session or a token is kept. While the store cannot be reached, responses are kept in the memory of
    /// this machine, and forgotten when it can be again.
    ///
    /// - Parameters:
    ///   - store: Where the responses are kept, readable by whoever can read the store.
    ///   - limit: How many bytes a response may have to be kept. How many there may be in all is for the store to say.
    ///   - lifetime: For how long a response is kept; whether it is used is for the ``CachePolicy`` to say.
    ///   - localLimit: How many bytes may be kept in memory while the store cannot be reached.
    public static func shared(
        _ store: any SharedStore,
        limit: Int = 1024 * 1024,
        lifetime: Duration = .seconds(24 * 3600),
        localLimit: Int = 10 * 1024 * 1024
    ) -> ResponseCache {
        ResponseCache(storage: SharedCacheStorage(store, limit: limit, lifetime: lifetime, localLimit: localLimit))
    }

    /// How many bytes it holds; of a shared cache, what it holds in memory.
    public var size: Int { storage.size }

    /// Forgets everything.
    public func clear() { storage.clear() }
}

/// Where responses are kept.
protocol CacheStorage: Sendable {
    var size: Int { get }
    /// Whether what is kept is still there for the next process.
    var isLasting: Bool { get }
    func load(_ key: RequestKey) -> CachedResponse?
    func save(_ response: CachedResponse, for key: RequestKey)
    func remove(_ key: RequestKey)
    /// Removes all responses of an address, whoever they are for.
    func removeAll(of place: String)
    func clear()

    // The same where what is kept may be on another machine.

    /// Gives what is kept, and a mark with which a new response is kept.
    func find(_ key: RequestKey, _ watch: SharedWatch) async -> (response: CachedResponse?, mark: String?)
    func keep(_ response: CachedResponse, for key: RequestKey, mark: String?, _ watch: SharedWatch) async
    func forget(_ place: String, _ watch: SharedWatch) async
}

extension CacheStorage {
    func find(_ key: RequestKey, _ watch: SharedWatch) async -> (response: CachedResponse?, mark: String?) { (load(key), nil) }

    func keep(_ response: CachedResponse, for key: RequestKey, mark: String?, _ watch: SharedWatch) async {
        save(response, for: key)
    }

    func forget(_ place: String, _ watch: SharedWatch) async { removeAll(of: place) }
}

/// Which responses are being renewed while the old ones are still used.
final class CacheRenewals: Sendable {
    let keys = Monitor<Set<RequestKey>>([])

    /// Begins to renew a response; false if somebody does already.
    func begin(_ key: RequestKey) -> Bool { keys.withLock { $0.insert(key).inserted } }

    func end(_ key: RequestKey) { _ = keys.withLock { $0.remove(key) } }
}

/// Which places have been changed while somebody was asking for them: a response from before the change must not be kept after it.
///
/// Knows only of places for which somebody asks at the moment.
final class CacheGenerations: Sendable {
    private struct Place {
        var generation = 0
        var asking = 0
    }

    private let places = Mutex<[String: Place]>([:])

    /// Begins to ask for what is at a place. Gives what tells whether it has been changed meanwhile.
    func begin(_ place: String) -> Int {
        places.withLock { places in
            places[place, default: Place()].asking += 1
            return places[place]?.generation ?? 0
        }
    }

    func isCurrent(_ generation: Int, of place: String) -> Bool {
        places.withLock { $0[place]?.generation == generation }
    }

    func end(_ place: String) {
        places.withLock { places in
            places[place]?.asking -= 1
            if places[place]?.asking == 0 { places[place] = nil }
        }
    }

    /// Notes that what is at a place has been changed.
    func change(_ place: String) {
        places.withLock { $0[place]?.generation += 1 }
    }
}

extension ResponseCache {
    /// Keeps a response, unless the place was changed after it was asked for.
    func keep(_ response: CachedResponse, for key: RequestKey, asOf generation: Int, mark: String?, _ watch: SharedWatch) async {
        guard generations.isCurrent(generation, of: key.place) else { return }
        await storage.keep(response, for: key, mark: mark, watch)
        // The change may have come, and removed nothing, just before.
        if !generations.isCurrent(generation, of: key.place) { storage.remove(key) }
    }

    /// Forgets what is kept of a place, and what somebody is just asking for.
    func forget(_ place: String, _ watch: SharedWatch) async {
        generations.change(place)
        await storage.forget(place, watch)
    }
}
