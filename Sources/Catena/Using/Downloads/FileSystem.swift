import CatenaPlatform

/// The system calls of a download. Their failures are thrown as errors of the call.
enum FileSystem {
    /// Opens a file exclusively for this download. Returns `nil` if another download uses it, if it does not exist and is not to be created, or
    /// if the file system has no locks.
    static func openLocked(_ path: String, making: Bool, lock: (Int32, Int32) -> Int32 = flock) throws -> Int32? {
        var isNew = false
        var descriptor: Int32 = -1
        do throws(FileError) {
            var found = try LocalFile.status(of: path, followsLinks: false)
            if making, let status = found, status.isRegular, status.owner == geteuid(), status.links > 1 {
                // Only this name of the file is removed. Another one could be that of any file.
                try LocalFile.remove(path)
                found = nil
            }
            if let status = found {
                // The download uses a path of its own beside anything else.
                guard status.isRegular, status.links == 1, status.owner == geteuid() else { return nil }
                descriptor = try LocalFile.openToWrite(path, making: false)
            } else if making {
                descriptor = LocalFile.create(path)
                isNew = descriptor >= 0
                // Another download created the file first.
                if descriptor < 0, errno == EEXIST { return nil }
                guard isNew else { throw FileError("create", path) }
            } else {
                return nil
            }
        } catch {
            if error.code == ENOENT, !making { return nil }
            throw APIError.file("The file of the download could not be opened", error)
        }
        // Between opening and locking, the previous owner may have moved the file to its target.
        if lock(descriptor, LOCK_EX | LOCK_NB) == 0 {
            if isFile(descriptor, at: path) { return descriptor }
        } else if isNew, errno != EWOULDBLOCK {
            // Without locks no download holds the file, and none would use it again.
            try? remove(path)
        }
        close(descriptor)
        return nil
    }

    /// Creates a file that only this download uses, because nothing else knows its path.
    static func makeFile(_ path: String) throws -> Int32 {
        let descriptor = LocalFile.create(path)
        guard descriptor >= 0 else { throw APIError.file("The file of the download could not be opened", code: errno) }
        return descriptor
    }

    private static func isFile(_ descriptor: Int32, at path: String) -> Bool {
        guard let opened = try? LocalFile.status(of: descriptor, path),
            let named = try? LocalFile.status(of: path, followsLinks: false)
        else { return false }
        return opened.place == named.place
    }

    /// Gives a file the permissions of a new file. Until it is complete, only its owner can read it.
    ///
    /// - Parameter probe: An unused path beside the file.
    static func useUsualPermissions(_ descriptor: Int32, probe: String) {
        let other = LocalFile.create(probe, permissions: 0o666)
        guard other >= 0 else { return }
        defer { close(other) }
        try? LocalFile.remove(probe)
        if let status = try? LocalFile.status(of: other, probe) { _ = fchmod(descriptor, status.permissions & 0o777) }
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
        let descriptor = LocalFile.create(path, permissions: 0o666)
        guard descriptor >= 0 else {
            if errno == EEXIST { return false }
            throw APIError.file("The target of the download could not be made", code: errno)
        }
        close(descriptor)
        return true
    }

    static func move(_ path: String, to target: String) throws {
        do throws(FileError) {
            try LocalFile.move(path, to: target, replacing: .any)
        } catch {
            throw APIError.file("The download could not be moved to its target", error)
        }
    }

    /// Removes a file of a download.
    static func remove(_ path: String) throws {
        do throws(FileError) {
            try LocalFile.remove(path)
        } catch {
            throw APIError.file("A file of the download could not be removed", error)
        }
    }
}

extension APIError {
    /// Returns a failure of the file system, with the system's message, and its error as ``APIError/underlying``.
    static func file(_ what: String, code: Int32) -> APIError {
        let underlying = POSIXErrorCode(rawValue: code).map { POSIXError($0) }
        return APIError(.file, message: "\(what): \(String(cString: strerror(code))).", underlying: underlying)
    }

    static func file(_ what: String, _ error: FileError) -> APIError {
        var failure = file(what, code: error.code)
        if let reason = error.reason { failure.message = "\(what): \(reason)." }
        return failure
    }

    package static func file(_ what: String, underlying: any Error) -> APIError {
        APIError(.file, message: "\(what): \(APIError.wrapping(underlying).message)", underlying: underlying)
    }
}

/// Calls the system's function, whose name a method shadows.
private func closeDescriptor(_ descriptor: Int32) {
    _ = close(descriptor)
}
