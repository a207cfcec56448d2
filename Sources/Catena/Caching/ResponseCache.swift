public import Foundation

/// Keeps answers, in memory or on disk.
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

/// Where answers are kept.
protocol CacheStorage: Sendable {
    var size: Int { get }
    /// Whether what is kept is still there for the next process.
    var isLasting: Bool { get }
    func load(_ key: RequestKey) -> CachedResponse?
    func save(_ response: CachedResponse, for key: RequestKey)
    func remove(_ key: RequestKey)
    /// Removes all answers of an address, whoever they are for.
    func removeAll(of place: String)
    func clear()
}

/// Which answers are being renewed while the old ones are still used.
final class CacheRenewals: Sendable {
    let keys = Monitor<Set<RequestKey>>([])

    /// Begins to renew an answer; false if somebody does already.
    func begin(_ key: RequestKey) -> Bool { keys.withLock { $0.insert(key).inserted } }

    func end(_ key: RequestKey) { _ = keys.withLock { $0.remove(key) } }
}
