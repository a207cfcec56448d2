package import CatenaPlatform

/// The file format of a cached response: mark, checksum, length of the head, head, body. The checksum covers the key and everything after it.
///
/// The checksum includes the key, so that a file renamed to another key is invalid. It also reveals truncated or changed files. The mark reveals
/// files of other versions.
package enum CacheFileFormat {
    private static let mark = Data("Catena cache 2\n".utf8)
    private static let checksumLength = 32

    package static func encode(_ response: CachedResponse, for key: RequestKey) throws -> Data {
        let head = try JSONEncoder().encode(response.head)
        var content = Data()
        content.reserveCapacity(head.count + response.body.count + 8)
        withUnsafeBytes(of: UInt64(head.count).bigEndian) { content.append(contentsOf: $0) }
        content.append(head)
        content.append(response.body)
        return mark + Data(checksum(of: content, key)) + content
    }

    private static func checksum(of content: Data, _ key: RequestKey) -> [UInt8] {
        MessageDigest.sha256(Data("\(key.place) \(key.digest)\n".utf8) + content).bytes
    }

    /// Returns the response in a file, or `nil` if the file is invalid.
    package static func decode(_ file: Data, of key: RequestKey) -> CachedResponse? {
        guard file.starts(with: mark) else { return nil }
        let checksum = file.dropFirst(mark.count).prefix(checksumLength)
        let content = Data(file.dropFirst(mark.count + checksumLength))
        guard checksum.count == checksumLength, Array(checksum) == self.checksum(of: content, key) else {
            return nil
        }
        return head(in: content).map { CachedResponse(head: $0.head, body: Data(content.dropFirst(8 + $0.length))) }
    }

    /// Returns the head of a response from the start of its file, or `nil` if the start does not contain it. The checksum is not compared.
    static func head(of start: Data) -> CachedResponse.Head? {
        start.starts(with: mark) ? head(in: Data(start.dropFirst(mark.count + checksumLength)))?.head : nil
    }

    private static func head(in content: Data) -> (head: CachedResponse.Head, length: Int)? {
        let length = content.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard content.count >= 8, length <= UInt64(content.count - 8) else { return nil }
        let head = content.dropFirst(8).prefix(Int(length))
        return (try? JSONDecoder().decode(CachedResponse.Head.self, from: Data(head))).map { ($0, Int(length)) }
    }
}

/// The keys of the stored responses, with their sizes and the order of their last use. It has no side effects.
struct CacheIndex {
    private var recency = RecencyIndex<RequestKey>()
    private var places: [String: Set<RequestKey>] = [:]
    private let limit: Int

    init(limit: Int) {
        self.limit = max(limit, 0)
    }

    var size: Int { recency.totalSize }

    var keys: [RequestKey] { Array(recency.keys) }

    /// Adds a response. Returns the keys to evict, which include `key` itself if the response is too large.
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

    /// Records a use of a response. Returns `false` if the response is not stored.
    mutating func touch(_ key: RequestKey) -> Bool { recency.touch(key) }

    mutating func remove(_ key: RequestKey) {
        if recency.remove(key) { forget(key) }
    }

    /// Removes all responses of an address and returns their keys.
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
