package import Foundation

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

/// Files that only their owner can read, from the first byte on.
package enum OwnerOnlyFile {
    /// Writes bytes to a file atomically: to a temporary file beside it, which then replaces it (rename(2)).
    ///
    /// - Parameter isDurable: Whether the bytes must survive a power failure.
    package static func write(_ data: Data, to url: URL, isDurable: Bool) throws {
        let folder = url.deletingLastPathComponent()
        let temporary = folder.appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString)\(temporaryEnding)").path
        // Never follow a link that another user has placed there, and never be readable by others, whatever the umask.
        let descriptor = open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, mode_t(0o600))
        guard descriptor >= 0 else { throw failure("create", temporary) }
        defer { close(descriptor) }
        // The lock shows that the file is being written, so that another process does not remove it.
        _ = flock(descriptor, LOCK_EX | LOCK_NB)
        do {
            guard fchmod(descriptor, mode_t(0o600)) == 0 else { throw failure("protect", temporary) }
            if let code = data.withUnsafeBytes({ writeAll($0, to: descriptor) }) {
                throw FileError(action: "write", path: temporary, code: code)
            }
            guard !isDurable || fsync(descriptor) == 0 else { throw failure("write", temporary) }
        } catch {
            unlink(temporary)
            throw error
        }
        guard rename(temporary, url.path) == 0 else {
            let error = failure("replace", url.path)
            unlink(temporary)
            throw error
        }
    }

    /// Opens a file, creating it if necessary, and locks it. Returns `nil` if it is locked already. The system releases the lock when the
    /// process ends.
    static func lock(_ url: URL) throws -> Int32? {
        let descriptor = open(url.path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode_t(0o600))
        guard descriptor >= 0 else { throw failure("open", url.path) }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
        let isLocked = errno == EWOULDBLOCK
        defer { close(descriptor) }
        guard isLocked else { throw failure("lock", url.path) }
        return nil
    }

    static func unlock(_ descriptor: Int32) {
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    package struct Status: Equatable {
        package let owner: uid_t
        package let permissions: mode_t
    }

    /// The user id of this process.
    package static var user: uid_t { geteuid() }

    /// Returns the bytes of a file and its owner, or `nil` if it does not exist. Does not follow links.
    package static func read(_ url: URL) throws -> (Data, Status)? {
        let descriptor = open(url.path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("read", url.path)
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("read", url.path) }
        let data = try handle.readToEnd() ?? Data()
        return (data, Status(owner: status.st_uid, permissions: status.st_mode & 0o7777))
    }

    /// Creates a folder that only its owner can enter. An existing folder is left unchanged, because it may be used for other files.
    package static func makeFolder(_ url: URL) throws {
        let parent = url.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        guard mkdir(url.path, mode_t(0o700)) == 0 else {
            if errno == EEXIST { return try checkFolder(url) }
            throw failure("create", url.path)
        }
        // Restore permissions that the umask has removed from the owner.
        guard chmod(url.path, mode_t(0o700)) == 0 else { throw failure("protect", url.path) }
    }

    /// Throws unless the path is a folder in which no other user can create files.
    private static func checkFolder(_ url: URL) throws {
        var status = stat()
        guard lstat(url.path, &status) == 0 else { throw failure("read", url.path) }
        guard status.st_mode & mode_t(S_IFMT) == mode_t(S_IFDIR) else { throw FileError(action: "use", path: url.path, code: ENOTDIR) }
        guard status.st_uid == user, status.st_mode & 0o022 == 0 else { throw FileError(action: "use", path: url.path, code: EPERM) }
    }

    // MARK: Abandoned temporary files

    private static let temporaryEnding = ".partial"
    /// The maximum time of writing a file, in seconds.
    private static let longestWriting: TimeInterval = 3600

    /// Returns the name of the file for which a temporary file was written, or `nil` if the name is not that of a temporary file.
    static func target(ofTemporary name: String) -> String? {
        guard name.hasPrefix("."), name.hasSuffix(temporaryEnding) else { return nil }
        let parts = name.dropFirst().dropLast(temporaryEnding.count)
        guard let dot = parts.lastIndex(of: "."), UUID(uuidString: String(parts[parts.index(after: dot)...])) != nil else { return nil }
        return String(parts[..<dot])
    }

    /// Removes a temporary file whose writer has gone: it is not locked, and was not written for a long time.
    static func removeAbandoned(_ url: URL, now: Date = Date()) {
        let descriptor = open(url.path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG), status.st_uid == user,
            flock(descriptor, LOCK_EX | LOCK_NB) == 0
        else { return }
        #if canImport(Darwin)
        let written = TimeInterval(status.st_mtimespec.tv_sec)
        #else
        let written = TimeInterval(status.st_mtim.tv_sec)
        #endif
        if now.timeIntervalSince1970 - written > longestWriting { unlink(url.path) }
    }

    /// Removes a file. A folder with this name is not removed.
    static func remove(_ url: URL) {
        unlink(url.path)
    }

    private static func failure(_ action: String, _ path: String) -> FileError {
        FileError(action: action, path: path, code: errno)
    }
}

/// A failure of a file operation.
struct FileError: Error, Equatable, CustomStringConvertible {
    let action: String
    let path: String
    /// The system's error number (errno).
    let code: Int32

    var description: String { "Cannot \(action) \(path): \(String(cString: strerror(code)))" }
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
