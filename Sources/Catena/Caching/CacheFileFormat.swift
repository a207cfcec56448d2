import Foundation

/// How an answer is written to a file: a mark, a checksum of all that follows, the length of the head, the head, the body.
///
/// A file that was cut off, changed or written by another version is told by its checksum or its mark, and is no answer.
enum CacheFileFormat {
    private static let mark = Data("Catena cache 1\n".utf8)
    private static let checksumLength = 32

    static func encode(_ response: CachedResponse) throws -> Data {
        let head = try JSONEncoder().encode(response.head)
        var content = Data()
        content.reserveCapacity(head.count + response.body.count + 8)
        withUnsafeBytes(of: UInt64(head.count).bigEndian) { content.append(contentsOf: $0) }
        content.append(head)
        content.append(response.body)
        return mark + Data(MessageDigest.sha256(content).bytes) + content
    }

    /// The answer in a file; `nil` if there is no whole one.
    static func decode(_ file: Data) -> CachedResponse? {
        guard file.starts(with: mark) else { return nil }
        let checksum = file.dropFirst(mark.count).prefix(checksumLength)
        let content = Data(file.dropFirst(mark.count + checksumLength))
        guard checksum.count == checksumLength, Array(checksum) == MessageDigest.sha256(content).bytes, content.count >= 8 else {
            return nil
        }
        let length = content.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard length <= UInt64(content.count - 8) else { return nil }
        let head = content.dropFirst(8).prefix(Int(length))
        guard let decoded = try? JSONDecoder().decode(CachedResponse.Head.self, from: Data(head)) else { return nil }
        return CachedResponse(head: decoded, body: Data(content.dropFirst(8 + Int(length))))
    }
}
