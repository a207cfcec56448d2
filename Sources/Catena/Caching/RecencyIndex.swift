/// Keys with sizes, in the order in which they were last used. Pure; every operation costs the same however many there are.
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

    /// Adds a key as the one used last, or makes it that.
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

    /// Makes a key the one used last; false if it is not there.
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

    /// Takes out what was not used for longest, until the rest is no larger than `limit`.
    mutating func evict(to limit: Int) -> [Key] {
        var evicted: [Key] = []
        while totalSize > limit, let key = oldest.flatMap({ links[$0]?.key }) {
            remove(key)
            evicted.append(key)
        }
        return evicted
    }
}
