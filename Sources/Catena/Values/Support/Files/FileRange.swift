import CatenaPlatform

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
        let file = try Self.open(path, name)
        let status = file.status
        if range == nil, status.size == 0, Self.hasContent(file) {
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
    private static func hasContent(_ file: LocalFile.Opened) -> Bool {
        var byte: UInt8 = 0
        return read(file.descriptor, &byte, 1) == 1
    }

    /// Opens the file, which the app has named, behind a link too.
    static func open(_ path: String, _ name: String) throws(BodyFault) -> LocalFile.Opened {
        do throws(FileError) {
            if let file = try LocalFile.open(path, .any) { return file }
        } catch {
            if error.code == EISDIR { throw BodyFault(reason: "\"\(name)\" is a directory") }
            // A pipe or a device might block forever.
            if error.code == EINVAL { throw BodyFault(reason: "\"\(name)\" is not a regular file") }
            throw BodyFault(reason: "the file \"\(name)\" cannot be read: \(error.words)")
        }
        throw BodyFault(reason: "the file \"\(name)\" cannot be read: \(String(cString: strerror(ENOENT)))")
    }

    static func hasChanged(_ name: String) -> BodyFault {
        BodyFault(reason: "the file \"\(name)\" has changed since the request was made")
    }

    /// Throws if the length of a whole file has changed.
    func checkLength() throws(BodyFault) {
        guard try Self.open(path, name).status.size == length else { throw Self.hasChanged(name) }
    }
}

extension BodyFault {
    /// Returns a fault with the system's message for the call that has just failed.
    static func system(_ what: String, _ name: String) -> BodyFault {
        BodyFault(reason: "the file \"\(name)\" \(what): \(String(cString: strerror(errno)))")
    }
}
