public import CatenaPlatform

/// Stores responses, in memory or on disk.
///
/// ```swift
/// forum.cache = .memory(limit: 10 * 1024 * 1024)
/// forum.cache = .disk(folder: cachesFolder.appending(path: "forum"), limit: 50 * 1024 * 1024)
/// ```
///
/// Errors of reading or writing count as misses and never fail a call.
public struct ResponseCache: Sendable {
    let storage: any CacheStorage
    let renewals = CacheRenewals()
    let generations = CacheGenerations()

    package init(storage: any CacheStorage) {
        self.storage = storage
    }

    /// An empty cache of the same size in memory.
    var emptied: ResponseCache { ResponseCache(storage: storage.emptied) }

    /// Creates a cache in memory, which is lost when the app ends.
    ///
    /// - Parameter limit: The maximum number of bytes. The cache evicts the least recently used responses.
    public static func memory(limit: Int) -> ResponseCache {
        ResponseCache(storage: MemoryCacheStorage(limit: limit))
    }

    /// Creates a cache on disk that only the owner can read.
    ///
    /// - Parameters:
    ///   - folder: The folder in which the cache creates a subfolder, `catena-responses`. It uses nothing else there, and several processes may share
    ///     the folder.
    ///   - limit: The maximum number of bytes. The cache evicts the least recently used responses.
    ///   - onFailure: Receives the first error of writing, and no further one until a write has succeeded.
    public static func disk(
        folder: URL,
        limit: Int,
        onFailure: @escaping @Sendable (any Error) -> Void = { _ in }
    ) -> ResponseCache {
        ResponseCache(storage: DiskCacheStorage(folder: folder, limit: limit, onFailure: onFailure))
    }

    /// The number of bytes in the cache, or of a shared cache the number in memory.
    public var size: Int { storage.size }

    /// Removes all responses.
    public func clear() { storage.clear() }
}

/// The storage of a cache's responses.
package protocol CacheStorage: Sendable {
    var size: Int { get }
    /// An empty storage of the same size in memory, whose responses no other process or machine has.
    var emptied: MemoryCacheStorage { get }
    /// Whether stored responses are available to the next process.
    var isLasting: Bool { get }
    /// Whether other machines share the storage, so that a call has to wait for it.
    var isShared: Bool { get }
    func load(_ key: RequestKey) -> CachedResponse?
    func save(_ response: CachedResponse, for key: RequestKey)
    func remove(_ key: RequestKey)
    /// Removes all responses of an address, for all users.
    func removeAll(of place: String)
    /// Removes all responses with a name that one of the patterns matches.
    func removeAll(named patterns: [PathPattern])
    func clear()

    // Variants for storage that other machines share.

    /// Returns the stored response, and a mark to pass to `keep` with a new response.
    func find(_ key: RequestKey, _ outageHandler: OutageHandler) async -> (response: CachedResponse?, mark: String?)
    func keep(_ response: CachedResponse, for key: RequestKey, mark: String?, _ outageHandler: OutageHandler) async
    func forget(_ place: String, _ outageHandler: OutageHandler) async
    func forget(named names: [String], _ outageHandler: OutageHandler) async
}

extension CacheStorage {
    package var isShared: Bool { false }

    package func find(_ key: RequestKey, _ outageHandler: OutageHandler) async -> (response: CachedResponse?, mark: String?) {
        (load(key), nil)
    }

    package func keep(_ response: CachedResponse, for key: RequestKey, mark: String?, _ outageHandler: OutageHandler) async {
        save(response, for: key)
    }

    package func forget(_ place: String, _ outageHandler: OutageHandler) async { removeAll(of: place) }

    package func forget(named names: [String], _ outageHandler: OutageHandler) async {
        let patterns = names.map { PathPattern($0) }
        // A storage on disk reads the beginning of every file.
        try? await BlockingWork.run { removeAll(named: patterns) }
    }
}

/// The responses that are being refreshed in the background.
final class CacheRenewals: Sendable {
    let keys = Monitor<Set<RequestKey>>([])

    /// Starts a refresh. Returns `false` if another call is already refreshing the response.
    func begin(_ key: RequestKey) -> Bool { keys.withLock { $0.insert(key).inserted } }

    func end(_ key: RequestKey) { _ = keys.withLock { $0.remove(key) } }
}

/// Detects changes of an address during a request for it, because a response from before the change must not be cached after it.
///
/// Stores only addresses that are being requested.
final class CacheGenerations: Sendable {
    private struct Place {
        var generation = 0
        var asking = 0
    }

    private struct State {
        var places: [String: Place] = [:]
        /// The changes of several addresses at once.
        var log = InvalidationLog()
    }

    /// The state when a request begins, to compare with afterwards.
    struct Start: Sendable {
        fileprivate let generation: Int
        fileprivate let number: Int
    }

    private let state = Mutex(State())

    /// Begins a request for an address.
    func begin(_ place: String) -> Start {
        state.withLock { state in
            state.places[place, default: Place()].asking += 1
            return Start(generation: state.places[place]?.generation ?? 0, number: state.log.number)
        }
    }

    /// Whether neither the address nor the names of a response have changed since its request began.
    func isCurrent(_ start: Start, of place: String, named names: [String]?) -> Bool {
        state.withLock { state in
            state.places[place]?.generation == start.generation && !state.log.makesStale(names, since: start.number)
        }
    }

    func end(_ place: String) {
        state.withLock { state in
            state.places[place]?.asking -= 1
            if state.places[place]?.asking == 0 { state.places[place] = nil }
        }
    }

    /// Records that the resource at an address has changed.
    func change(_ place: String) {
        state.withLock { $0.places[place]?.generation += 1 }
    }

    /// Records that the resources with these names have changed.
    func change(named names: [String]) {
        state.withLock { $0.log.add(names) }
    }
}

extension ResponseCache {
    /// Caches a response, unless its address was changed after the request began.
    func keep(
        _ response: CachedResponse, for key: RequestKey, asOf start: CacheGenerations.Start, mark: String?, _ outageHandler: OutageHandler
    ) async {
        guard generations.isCurrent(start, of: key.place, named: response.head.names) else { return }
        await storage.keep(response, for: key, mark: mark, outageHandler)
        // Check again, because the change may have come between the check and the write, when there was nothing to remove yet.
        if !generations.isCurrent(start, of: key.place, named: response.head.names) { storage.remove(key) }
    }

    /// Removes the responses of an address, and prevents requests in progress from caching theirs.
    func forget(_ place: String, _ outageHandler: OutageHandler) async {
        generations.change(place)
        await storage.forget(place, outageHandler)
    }

    /// Removes the responses with these names, which may be patterns, and prevents requests in progress from caching theirs.
    func forget(named names: [String], _ outageHandler: OutageHandler) async {
        generations.change(named: names)
        await storage.forget(named: names, outageHandler)
    }
}
