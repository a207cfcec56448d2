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

/// Files that nobody but their owner can read, from the first byte on.
package enum OwnerOnlyFile {
    /// Puts bytes in a file, all or none: they are written beside it and take its place in one step (rename(2)).
    ///
    /// - Parameter isDurable: Whether the bytes have to outlive a power failure.
    package static func write(_ data: Data, to url: URL, isDurable: Bool) throws {
        let folder = url.deletingLastPathComponent()
        let temporary = folder.appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString)\(temporaryEnding)").path
        // Never through a link that somebody else has put there, and never readable by others, whatever the umask.
        let descriptor = open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, mode_t(0o600))
        guard descriptor >= 0 else { throw failure("create", temporary) }
        defer { close(descriptor) }
        // As long as it is locked, somebody is at work on it; a process that has just begun leaves it alone.
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

    /// Opens a file, which is made if it is not there, and takes its lock; `nil` if it is locked already. The system takes the lock back when the
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

    /// Whose files are this process's own.
    package static var user: uid_t { geteuid() }

    /// The bytes of a file, and whose it is; `nil` if it is not there. Links are not followed.
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

    /// Makes a folder that nobody but its owner can enter. One that is there stays as it is, since it is somebody's.
    package static func makeFolder(_ url: URL) throws {
        let parent = url.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        guard mkdir(url.path, mode_t(0o700)) == 0 else {
            if errno == EEXIST { return try checkFolder(url) }
            throw failure("create", url.path)
        }
        // What the umask has taken from the owner is given back.
        guard chmod(url.path, mode_t(0o700)) == 0 else { throw failure("protect", url.path) }
    }

    /// Throws unless the place is a folder in which nobody else can put anything.
    private static func checkFolder(_ url: URL) throws {
        var status = stat()
        guard lstat(url.path, &status) == 0 else { throw failure("read", url.path) }
        guard status.st_mode & mode_t(S_IFMT) == mode_t(S_IFDIR) else { throw FileError(action: "use", path: url.path, code: ENOTDIR) }
        guard status.st_uid == user, status.st_mode & 0o022 == 0 else { throw FileError(action: "use", path: url.path, code: EPERM) }
    }

    // MARK: Files that were never put in place

    private static let temporaryEnding = ".partial"
    /// In seconds. No file is written for that long.
    private static let longestWriting: TimeInterval = 3600

    /// The name of the file for which a file of this name was written; `nil` if none has such a name here.
    static func target(ofTemporary name: String) -> String? {
        guard name.hasPrefix("."), name.hasSuffix(temporaryEnding) else { return nil }
        let parts = name.dropFirst().dropLast(temporaryEnding.count)
        guard let dot = parts.lastIndex(of: "."), UUID(uuidString: String(parts[parts.index(after: dot)...])) != nil else { return nil }
        return String(parts[..<dot])
    }

    /// Removes a temporary file whose writer is gone: it has let go of it, and for a good while nothing was written.
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

    /// Removes a file; a folder of that name is somebody else's and stays.
    static func remove(_ url: URL) {
        unlink(url.path)
    }

    private static func failure(_ action: String, _ path: String) -> FileError {
        FileError(action: action, path: path, code: errno)
    }
}

/// What went wrong with a file.
struct FileError: Error, Equatable, CustomStringConvertible {
    let action: String
    let path: String
    /// The system's number for the reason (errno).
    let code: Int32

    var description: String { "Cannot \(action) \(path): \(String(cString: strerror(code)))" }
}

/// Writes all of the bytes, however many calls of the system it takes. Gives the system's number for what went wrong; `nil` if nothing did.
func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
    var rest = bytes[...]
    while !rest.isEmpty {
        let part = UnsafeRawBufferPointer(rebasing: rest)
        let count = write(descriptor, part.baseAddress, part.count)
        if count < 0, errno == EINTR { continue }
        // No error and no bytes: there is no room.
        guard count > 0 else { return count < 0 ? errno : ENOSPC }
        rest = rest.dropFirst(count)
    }
    return nil
}
