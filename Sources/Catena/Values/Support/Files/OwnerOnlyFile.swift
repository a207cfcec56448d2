package import CatenaPlatform

/// Files that only their owner can read, from the first byte on.
package enum OwnerOnlyFile {
    /// Writes bytes to a file atomically: to a temporary file beside it, which then replaces it (rename(2)).
    ///
    /// - Parameter isDurable: Whether the bytes must survive a power failure.
    package static func write(_ data: Data, to url: URL, isDurable: Bool) throws {
        let folder = url.deletingLastPathComponent()
        let temporary = folder.appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString)\(temporaryEnding)").path
        // Never readable by others, whatever the umask.
        let descriptor = LocalFile.create(temporary)
        guard descriptor >= 0 else { throw FileError("create", temporary) }
        defer { close(descriptor) }
        // The lock shows that the file is being written, so that another process does not remove it.
        _ = flock(descriptor, LOCK_EX | LOCK_NB)
        do {
            guard fchmod(descriptor, mode_t(0o600)) == 0 else { throw FileError("protect", temporary) }
            if let code = data.withUnsafeBytes({ writeAll($0, to: descriptor) }) {
                throw FileError(action: "write", path: temporary, code: code)
            }
            guard !isDurable || fsync(descriptor) == 0 else { throw FileError("write", temporary) }
            try LocalFile.move(temporary, to: url.path, replacing: .own)
        } catch {
            try? LocalFile.remove(temporary)
            throw error
        }
    }

    /// Opens a file, creating it if necessary, and locks it. Returns `nil` if it is locked already. The system releases the lock when the
    /// process ends.
    static func lock(_ url: URL) throws -> Int32? { try lock(url, LOCK_EX | LOCK_NB) }

    /// Opens a file, creating it if necessary, and locks it as soon as no other process has locked it. Only for a lock that is held shortly.
    static func awaitLock(_ url: URL) throws -> Int32 {
        while true {
            if let descriptor = try lock(url, LOCK_EX) { return descriptor }
        }
    }

    /// Returns `nil` if another process has the lock, or if a signal has interrupted the wait.
    private static func lock(_ url: URL, _ operation: Int32) throws -> Int32? {
        let descriptor = try LocalFile.openToWrite(url.path, making: true)
        if flock(descriptor, operation) == 0 { return descriptor }
        let mayFollow = errno == EWOULDBLOCK || errno == EINTR
        defer { close(descriptor) }
        guard mayFollow else { throw FileError("lock", url.path) }
        return nil
    }

    static func unlock(_ descriptor: Int32) {
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Returns the bytes of a file, or `nil` if it does not exist. Throws if it is behind a link, belongs to another user, is accessible to other
    /// users, has more than `limit` bytes, or is no regular file.
    package static func read(_ url: URL, limit: Int) throws -> Data? {
        guard let (data, status) = try LocalFile.read(url.path, .own, limit: limit) else { return nil }
        guard status.permissions & 0o077 == 0 else {
            throw FileError(action: "read", path: url.path, code: EPERM, reason: "Others than its owner can read it")
        }
        return data
    }

    /// Creates a folder that only its owner can enter. An existing folder is left unchanged, because it may be used for other files.
    package static func makeFolder(_ url: URL) throws {
        try LocalFile.makeFolders(url.deletingLastPathComponent().path)
        guard try !LocalFile.makeFolder(url.path, permissions: 0o700) else { return }
        // No other user may create files in it.
        guard let status = try LocalFile.status(of: url.path, followsLinks: false), status.isFolder else {
            throw FileError(action: "use", path: url.path, code: ENOTDIR)
        }
        guard status.owner == geteuid(), status.permissions & 0o022 == 0 else {
            throw FileError(action: "use", path: url.path, code: EPERM)
        }
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
        guard let file = try? LocalFile.open(url.path, .own), flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else { return }
        if now.timeIntervalSince1970 - TimeInterval(file.status.written) > longestWriting { try? LocalFile.remove(url.path) }
    }
}
