import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
#error("The C library of this platform is not known.")
#endif

/// The reason why a body cannot be sent. It names a file without its path, which may be private.
struct BodyFault: Error {
    let reason: String
}

/// A file, or a range of its bytes, as part of a body.
struct FileRange: Sendable, Equatable {
    let path: String
    /// The last part of the path, for messages.
    let name: String
    let offset: Int64
    let length: Int64
    /// Whether the range is the whole file, so that a file that grows is another body.
    let isWhole: Bool

    /// Checks that the file exists and is readable, and reads its size.
    init(_ url: URL, range: Range<Int64>? = nil) throws(BodyFault) {
        guard url.isFileURL else { throw BodyFault(reason: "the address is not that of a file") }
        path = url.path
        name = url.lastPathComponent
        let status = try FileStatus(path: path, name: name)
        guard access(path, R_OK) == 0 else { throw .system("cannot be read", name) }
        if range == nil, status.size == 0, try Self.hasContent(path) {
            throw BodyFault(reason: "the file \"\(name)\" says that it is empty, but it is not; read it and send its bytes")
        }
        offset = range?.lowerBound ?? 0
        length = range.map { $0.upperBound - $0.lowerBound } ?? status.size
        isWhole = range == nil
        guard offset >= 0, offset + length <= status.size else {
            throw BodyFault(reason: "the file \"\(name)\" has \(status.size) bytes, fewer than the range")
        }
    }
}

extension FileRange {
    /// Returns whether a file has a byte to read although its size is zero, such as a file whose content the system generates.
    private static func hasContent(_ path: String) throws(BodyFault) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var byte: UInt8 = 0
        return read(descriptor, &byte, 1) == 1
    }

    static func hasChanged(_ name: String) -> BodyFault {
        BodyFault(reason: "the file \"\(name)\" has changed since the request was made")
    }

    /// Throws if the length of a whole file has changed.
    func checkLength() throws(BodyFault) {
        guard try FileStatus(path: path, name: name).size == length else { throw Self.hasChanged(name) }
    }
}

/// The properties that distinguish the states of a file.
struct FileStatus: Sendable, Equatable {
    let size: Int64
    /// The system's time of the last change, used only for comparisons.
    private let changed: [UInt8]

    init(path: String, name: String) throws(BodyFault) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .system("cannot be read", name) }
        try self.init(status, name: name)
    }

    init(descriptor: Int32, name: String) throws(BodyFault) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system("cannot be read", name) }
        try self.init(status, name: name)
    }

    private init(_ status: stat, name: String) throws(BodyFault) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw BodyFault(reason: "\"\(name)\" is a directory")
        // A pipe or a device might block forever.
        default: throw BodyFault(reason: "\"\(name)\" is not a regular file")
        }
        size = Int64(status.st_size)
        #if canImport(Darwin)
        changed = withUnsafeBytes(of: status.st_mtimespec) { Array($0) }
        #else
        changed = withUnsafeBytes(of: status.st_mtim) { Array($0) }
        #endif
    }
}

extension BodyFault {
    /// Returns a fault with the system's message for the call that has just failed.
    static func system(_ what: String, _ name: String) -> BodyFault {
        BodyFault(reason: "the file \"\(name)\" \(what): \(String(cString: strerror(errno)))")
    }
}
