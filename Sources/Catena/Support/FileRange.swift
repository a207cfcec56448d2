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

/// Why a body cannot be sent. It names a file without its path, which is nobody else's business.
struct BodyFault: Error {
    let reason: String
}

/// A file, or some of its bytes, as a part of a body.
struct FileRange: Sendable, Equatable {
    let path: String
    /// The last part of the path, for messages.
    let name: String
    let offset: Int64
    let length: Int64
    /// Whether the range is all there is, so that a file that grows is another body.
    let isWhole: Bool

    /// Looks whether the file is there and how long it is.
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
    /// Whether there is a byte to be read, as in files that the system makes when they are read.
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

    /// Whether a whole file is still as long as it was.
    func checkLength() throws(BodyFault) {
        guard try FileStatus(path: path, name: name).size == length else { throw Self.hasChanged(name) }
    }
}

/// What tells one state of a file from another.
struct FileStatus: Sendable, Equatable {
    let size: Int64
    /// The moment of the last change as the system writes it, only to be compared.
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
        // A pipe or a device might block for ever.
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
    /// What the system says about the call that failed just now.
    static func system(_ what: String, _ name: String) -> BodyFault {
        BodyFault(reason: "the file \"\(name)\" \(what): \(String(cString: strerror(errno)))")
    }
}
