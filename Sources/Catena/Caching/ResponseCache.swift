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
    ///   - onFailure: Is told when the folder cannot be used, once until it can again.
    public static func disk(
        folder: URL,
        limit: Int,
        onFailure: @escaping @Sendable (any Error) -> Void = { _ in }
    ) -> ResponseCache {
        ResponseCache(storage: DiskCacheStorage(folder: folder, limit: limit, onFailure: onFailure))
    }

    /// How many bytes it holds.
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
    func keep(_ response: CachedResponse, for key: RequestKey, asOf generation: Int) {
        guard generations.isCurrent(generation, of: key.place) else { return }
        storage.save(response, for: key)
        // The change may have come, and removed nothing, just before.
        if !generations.isCurrent(generation, of: key.place) { storage.remove(key) }
    }

    /// Forgets what is kept of a place, and what somebody is just asking for.
    func forget(_ place: String) {
        generations.change(place)
        storage.removeAll(of: place)
    }
}
