import CatenaPlatform

/// Stores responses in memory, for as long as the app runs.
package final class MemoryCacheStorage: CacheStorage {
    private struct State {
        var index: CacheIndex
        var responses: [RequestKey: CachedResponse] = [:]
    }

    private let limit: Int
    private let state: Mutex<State>

    package init(limit: Int) {
        self.limit = limit
        state = Mutex(State(index: CacheIndex(limit: limit)))
    }

    package var isLasting: Bool { false }

    package var emptied: MemoryCacheStorage { MemoryCacheStorage(limit: limit) }

    package var size: Int { state.withLock { $0.index.size } }

    package func load(_ key: RequestKey) -> CachedResponse? {
        state.withLock { $0.index.touch(key) ? $0.responses[key] : nil }
    }

    package func save(_ response: CachedResponse, for key: RequestKey) {
        let removed = state.withLock { state in
            var removed = [state.responses.updateValue(response, forKey: key)]
            for key in state.index.insert(key, size: response.size) { removed.append(state.responses.removeValue(forKey: key)) }
            return removed
        }
        // Free the responses outside the lock.
        _ = consume removed
    }

    package func remove(_ key: RequestKey) {
        let removed = state.withLock { state in
            state.index.remove(key)
            return state.responses.removeValue(forKey: key)
        }
        _ = consume removed
    }

    package func removeAll(of place: String) {
        let removed = state.withLock { state in
            state.index.removeAll(of: place).map { state.responses.removeValue(forKey: $0) }
        }
        _ = consume removed
    }

    package func removeAll(named patterns: [PathPattern]) {
        // The names are compared outside the lock, because there may be thousands of responses.
        let responses = state.withLock { $0.responses }
        for (key, response) in responses where response.head.isNamed(by: patterns) { remove(key) }
    }

    package func clear() {
        let former = state.withLock { state in
            let former = state
            state = State(index: CacheIndex(limit: limit))
            return former
        }
        _ = consume former
    }
}

extension CachedResponse {
    /// The approximate number of bytes that the response occupies.
    package var size: Int {
        head.fields.reduce(body.count + 256) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
    }
}

/// Keys with sizes, in the order of their last use. Every operation except eviction takes constant time.
struct RecencyIndex<Key: Hashable> {
    private struct Link {
        let key: Key
        var size: Int
        var older: Int?
        var newer: Int?
    }

    private var places: [Key: Int] = [:]
    private var links: [Link?] = []
    private var free: [Int] = []
    private var oldest: Int?
    private var newest: Int?
    private(set) var totalSize = 0

    var count: Int { places.count }

    var keys: some Collection<Key> { places.keys }

    /// Adds a key, or updates its size, as the most recently used one.
    mutating func insert(_ key: Key, size: Int) {
        remove(key)
        let place = free.popLast() ?? links.count
        if place == links.count { links.append(nil) }
        links[place] = Link(key: key, size: size, older: newest)
        if let newest { links[newest]?.newer = place } else { oldest = place }
        newest = place
        places[key] = place
        totalSize += size
    }

    /// Marks a key as the most recently used one. Returns `false` if it is missing.
    @discardableResult
    mutating func touch(_ key: Key) -> Bool {
        guard let place = places[key], let size = links[place]?.size else { return false }
        insert(key, size: size)
        return true
    }

    @discardableResult
    mutating func remove(_ key: Key) -> Bool {
        guard let place = places.removeValue(forKey: key), let link = links[place] else { return false }
        if let older = link.older { links[older]?.newer = link.newer } else { oldest = link.newer }
        if let newer = link.newer { links[newer]?.older = link.older } else { newest = link.older }
        links[place] = nil
        free.append(place)
        totalSize -= link.size
        return true
    }

    /// Returns the least recently used key that meets a condition, or `nil` if none does.
    func leastRecent(where condition: (Key) -> Bool) -> Key? {
        var place = oldest
        while let current = place, let link = links[current] {
            if condition(link.key) { return link.key }
            place = link.newer
        }
        return nil
    }

    /// Removes the least recently used keys until the total size is at most `limit`, and returns them.
    mutating func evict(to limit: Int) -> [Key] {
        var evicted: [Key] = []
        while totalSize > limit, let key = oldest.flatMap({ links[$0]?.key }) {
            remove(key)
            evicted.append(key)
        }
        return evicted
    }
}
