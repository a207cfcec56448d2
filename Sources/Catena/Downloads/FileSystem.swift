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

/// The system calls of a download. Their failures are thrown as errors of the call.
enum FileSystem {
    /// Returns the type of a file, or `nil` if it does not exist. Follows links.
    static func type(of path: String) -> FileAttributeType? {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return nil }
        return isFolder.boolValue ? .typeDirectory : .typeRegular
    }

    /// Opens a file exclusively for this download. Returns `nil` if another download uses it, if it does not exist and is not to be created, or
    /// if the file system has no locks.
    static func openLocked(_ path: String, making: Bool, lock: (Int32, Int32) -> Int32 = flock) throws -> Int32? {
        var isNew = false
        // A symbolic or hard link in its place could lead to any file.
        var descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if descriptor >= 0, !isOwnFile(descriptor) {
            close(descriptor)
            guard making else { return nil }
            _ = unlink(path)
            descriptor = -1
            errno = ENOENT
        }
        if descriptor < 0, errno == ENOENT, making {
            descriptor = openNew(path)
            isNew = descriptor >= 0
        }
        guard descriptor >= 0 else {
            if errno == ENOENT, !making { return nil }
            // Another download created the file first.
            if errno == EEXIST { return nil }
            throw APIError.file("The file of the download could not be opened", code: errno)
        }
        // Between opening and locking, the previous owner may have moved the file to its target.
        if lock(descriptor, LOCK_EX | LOCK_NB) == 0 {
            if isFile(descriptor, at: path) { return descriptor }
        } else if isNew, errno != EWOULDBLOCK {
            // Without locks no download holds the file, and none would use it again.
            remove(path)
        }
        close(descriptor)
        return nil
    }

    /// Creates a file that only this download uses, because nothing else knows its path.
    static func makeFile(_ path: String) throws -> Int32 {
        let descriptor = openNew(path)
        guard descriptor >= 0 else { throw APIError.file("The file of the download could not be opened", code: errno) }
        return descriptor
    }

    /// Creates a file that only its owner can read. Returns a negative number if that fails.
    private static func openNew(_ path: String) -> Int32 {
        open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_CREAT | O_EXCL, 0o600)
    }

    /// Returns whether a file belongs to this user and has no other name.
    private static func isOwnFile(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG) && status.st_nlink == 1
            && status.st_uid == geteuid()
    }

    private static func isFile(_ descriptor: Int32, at path: String) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
    }

    /// Gives a file the permissions of a new file. Until it is complete, only its owner can read it.
    ///
    /// - Parameter probe: An unused path beside the file.
    static func useUsualPermissions(_ descriptor: Int32, probe: String) {
        let other = open(probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
        guard other >= 0 else { return }
        defer { close(other) }
        unlink(probe)
        var status = stat()
        if fstat(other, &status) == 0 { _ = fchmod(descriptor, status.st_mode & 0o777) }
    }

    static func size(_ descriptor: Int32) throws -> Int64 {
        let end = lseek(descriptor, 0, SEEK_END)
        guard end >= 0 else { throw APIError.file("The file of the download could not be read", code: errno) }
        return Int64(end)
    }

    static func empty(_ descriptor: Int32) throws {
        guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
            throw APIError.file("The file of the download could not be emptied", code: errno)
        }
    }

    /// Writes bytes at the end of a file of this size. Removes those of an unfinished write, because an attempt that follows would append to them.
    static func write(_ data: Data, to descriptor: Int32, at size: Int64) throws {
        if let code = data.withUnsafeBytes({ writeAll($0, to: descriptor) }) {
            _ = ftruncate(descriptor, off_t(size))
            _ = lseek(descriptor, off_t(size), SEEK_SET)
            throw APIError.file("The download could not be written", code: code)
        }
    }

    /// Passes the bytes of a file to `take` from its beginning, and leaves its position at the end.
    static func readAll(_ descriptor: Int32, _ take: (UnsafeRawBufferPointer) -> Void) throws {
        var buffer = [UInt8](repeating: 0, count: 256 * 1024)
        var position = off_t(0)
        while true {
            let count = pread(descriptor, &buffer, buffer.count, position)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw APIError.file("The file of the download could not be read", code: errno) }
            if count == 0 { break }
            buffer.withUnsafeBytes { take(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            position += off_t(count)
        }
        _ = lseek(descriptor, 0, SEEK_END)
    }

    /// Closes a file and releases its lock explicitly. A child process that is starting holds copies of the descriptors for a moment, and a
    /// lock lasts until the last copy is closed.
    static func close(_ descriptor: Int32) {
        _ = flock(descriptor, LOCK_UN)
        closeDescriptor(descriptor)
    }

    /// Creates an empty file to reserve a path. Returns `false` if the path exists.
    static func reserve(_ path: String) throws -> Bool {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            if errno == EEXIST { return false }
            throw APIError.file("The target of the download could not be made", code: errno)
        }
        close(descriptor)
        return true
    }

    static func move(_ path: String, to target: String) throws {
        guard rename(path, target) == 0 else { throw APIError.file("The download could not be moved to its target", code: errno) }
    }

    static func remove(_ path: String) {
        _ = unlink(path)
    }
}

extension APIError {
    /// Returns a failure of the file system, with the system's message, and its error as ``APIError/underlying``.
    static func file(_ what: String, code: Int32) -> APIError {
        let underlying = POSIXErrorCode(rawValue: code).map { POSIXError($0) }
        return APIError(.file, message: "\(what): \(String(cString: strerror(code))).", underlying: underlying)
    }

    package static func file(_ what: String, underlying: any Error) -> APIError {
        APIError(.file, message: "\(what): \(APIError.wrapping(underlying).message)", underlying: underlying)
    }
}

/// Calls the system's function, whose name a method shadows.
private func closeDescriptor(_ descriptor: Int32) {
    _ = close(descriptor)
}
