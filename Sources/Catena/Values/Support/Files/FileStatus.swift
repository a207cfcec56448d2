package import CatenaPlatform

extension LocalFile {
    /// The attributes of a file, as the system states them.
    package struct Status: Sendable, Equatable {
        package let size: Int64
        package let owner: uid_t
        package let permissions: mode_t
        let kind: mode_t
        let links: Int
        /// Distinguishes the file from every other one on its disk, and its disk.
        let place: [UInt64]
        /// The system's time of the last change, in seconds, and its bytes for comparisons.
        let written: Int
        let change: [UInt8]

        init(_ status: stat) {
            (size, owner) = (Int64(status.st_size), status.st_uid)
            (permissions, kind) = (status.st_mode & 0o7777, status.st_mode & mode_t(S_IFMT))
            links = Int(status.st_nlink)
            place = [UInt64(truncatingIfNeeded: status.st_ino), UInt64(truncatingIfNeeded: status.st_dev)]
            #if canImport(Darwin)
            let time = status.st_mtimespec
            #else
            let time = status.st_mtim
            #endif
            change = withUnsafeBytes(of: time) { Array($0) }
            // The seconds come first. The compiler counts `tv_sec` to the module that is imported first, which may be that of libcurl.
            written = change.withUnsafeBytes { Int($0.loadUnaligned(as: time_t.self)) }
        }

        var isRegular: Bool { kind == mode_t(S_IFREG) }
        var isFolder: Bool { kind == mode_t(S_IFDIR) }

        /// Throws unless a reader may have the file.
        func check(_ trust: Trust, _ action: String, _ path: String) throws(FileError) {
            guard isRegular else { throw failure(action, path) }
            guard trust == .any || owner == geteuid() else {
                throw FileError(action: action, path: path, code: EPERM, reason: "It belongs to another user")
            }
        }

        func failure(_ action: String, _ path: String) -> FileError {
            switch kind {
            case mode_t(S_IFDIR): FileError(action: action, path: path, code: EISDIR)
            case mode_t(S_IFLNK): FileError(action: action, path: path, code: ELOOP, reason: "It is a link")
            default: FileError(action: action, path: path, code: EINVAL, reason: "It is not a regular file")
            }
        }
    }

    /// Returns the status of what is at a path, or `nil` if there is nothing.
    static func status(of path: String, followsLinks: Bool) throws(FileError) -> Status? {
        var found = stat()
        guard (followsLinks ? stat(path, &found) : lstat(path, &found)) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw FileError("read", path)
        }
        return Status(found)
    }

    static func status(of descriptor: Int32, _ path: String) throws(FileError) -> Status {
        var found = stat()
        guard fstat(descriptor, &found) == 0 else { throw FileError("read", path) }
        return Status(found)
    }
}

/// A failure of a file operation.
package struct FileError: Error, Equatable, CustomStringConvertible {
    let action: String
    let path: String
    /// The system's error number (errno).
    let code: Int32
    /// The reason in place of the system's, if the system has none.
    var reason: String?

    package var description: String { "Cannot \(action) \(path): \(words)" }

    var words: String { reason ?? String(cString: strerror(code)) }
}

extension FileError {
    /// Describes the failure of the system call that has just been made.
    init(_ action: String, _ path: String) {
        self.init(action: action, path: path, code: errno)
    }
}

/// Writes all bytes, with as many system calls as needed. Returns the system's error number, or `nil` on success.
func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
    var rest = bytes[...]
    while !rest.isEmpty {
        let part = UnsafeRawBufferPointer(rebasing: rest)
        let count = write(descriptor, part.baseAddress, part.count)
        if count < 0, errno == EINTR { continue }
        // Neither an error nor bytes written means that there is no space.
        guard count > 0 else { return count < 0 ? errno : ENOSPC }
        rest = rest.dropFirst(count)
    }
    return nil
}
