public import Catena

extension ResponseCache {
    /// Creates a cache that several machines share, such as one in Redis.
    ///
    /// Responses of calls that only a session or a token identifies are not cached. While the store cannot be reached, this machine caches responses
    /// in memory, and discards them when the store can be reached again.
    ///
    /// - Parameters:
    ///   - store: The store. Anyone who can read it can read the responses.
    ///   - limit: The maximum number of bytes of one response. The store itself limits their total size.
    ///   - lifetime: The time after which the store removes a response. The `CachePolicy` determines whether a response is used.
    ///   - localLimit: The maximum number of bytes in memory while the store cannot be reached.
    public static func shared(
        _ store: any SharedStore,
        limit: Int = 1024 * 1024,
        lifetime: Duration = .seconds(24 * 3600),
        localLimit: Int = 10 * 1024 * 1024
    ) -> ResponseCache {
        ResponseCache(storage: SharedCacheStorage(store, limit: limit, lifetime: lifetime, localLimit: localLimit))
    }
}
