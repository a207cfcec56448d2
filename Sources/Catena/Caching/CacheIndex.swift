/// Which answers there are, how large they are, and which one was not used for longest. Pure.
struct CacheIndex {
    private var recency = RecencyIndex<RequestKey>()
    private var places: [String: Set<RequestKey>] = [:]
    private let limit: Int

    init(limit: Int) {
        self.limit = max(limit, 0)
    }

    var size: Int { recency.totalSize }

    var keys: [RequestKey] { Array(recency.keys) }

    /// Adds an answer. Gives those that have to go for it; that may be itself, if it is too large.
    mutating func insert(_ key: RequestKey, size: Int) -> [RequestKey] {
        guard size <= limit else {
            remove(key)
            return [key]
        }
        recency.insert(key, size: size)
        places[key.place, default: []].insert(key)
        let evicted = recency.evict(to: limit)
        for key in evicted { forget(key) }
        return evicted
    }

    /// Notes a use; false if the answer is not there.
    mutating func touch(_ key: RequestKey) -> Bool { recency.touch(key) }

    mutating func remove(_ key: RequestKey) {
        if recency.remove(key) { forget(key) }
    }

    /// Removes all answers of an address and gives their keys.
    mutating func removeAll(of place: String) -> [RequestKey] {
        let keys = places.removeValue(forKey: place) ?? []
        for key in keys { recency.remove(key) }
        return Array(keys)
    }

    private mutating func forget(_ key: RequestKey) {
        places[key.place]?.remove(key)
        if places[key.place]?.isEmpty == true { places.removeValue(forKey: key.place) }
    }
}
