import Foundation

/// A temporary file of one test, removed when this object is freed.
final class ScratchFile: Sendable {
    let url: URL

    /// - Parameter size: The length in bytes, or `nil` for that of `contents`. Bytes behind `contents` are a hole, which takes no disk space.
    init(_ contents: Data = Data(), name: String = "scratch.bin", size: UInt64? = nil) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("catena-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        url = folder.appendingPathComponent(name)
        try contents.write(to: url)
        if let size { try resize(to: size) }
    }

    convenience init(_ text: String, name: String = "scratch.txt") throws {
        try self.init(Data(text.utf8), name: name)
    }

    deinit {
        try? FileManager.default.removeItem(at: url.deletingLastPathComponent())
    }

    func resize(to size: UInt64) throws {
        let handle = try FileHandle(forWritingTo: url)
        defer { try? handle.close() }
        try handle.truncate(atOffset: size)
    }

    func append(_ text: String) throws {
        let handle = try FileHandle(forWritingTo: url)
        defer { try? handle.close() }
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(text.utf8))
    }

    /// Replaces the first byte and sets the modification date.
    func overwrite(_ byte: UInt8, modified: Date) throws {
        let handle = try FileHandle(forWritingTo: url)
        try handle.write(contentsOf: Data([byte]))
        try handle.close()
        try FileManager.default.setAttributes([.modificationDate: modified], ofItemAtPath: url.path)
    }
}

extension Data {
    /// Returns bytes in which a lost, repeated or misplaced piece can be seen.
    static func pattern(_ count: Int) -> Data {
        let period = Data((0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        var bytes = Data(capacity: count + period.count)
        while bytes.count < count { bytes.append(period) }
        return bytes.prefix(count)
    }
}
