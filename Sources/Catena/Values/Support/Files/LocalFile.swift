package import CatenaPlatform

/// Opens, reads, replaces and removes files by path. No other code of Catena does (`.ci/files`).
///
/// A path may lead to anything: a pipe without a writer, a device, a folder, a link, another user's file. So each function opens without
/// waiting, and decides by the status of the opened file before it reads a byte.
package enum LocalFile {
    /// The files that a reader accepts.
    package enum Trust: Sendable {
        /// Any regular file, also one behind a link. For files that the app names.
        case any
        /// A regular file of this user, not behind a link. For files that Catena writes.
        case own
    }

    /// A file that is open until it is released.
    package final class Opened: Sendable {
        let descriptor: Int32
        let status: Status

        fileprivate init(_ descriptor: Int32, _ status: Status) {
            (self.descriptor, self.status) = (descriptor, status)
        }

        deinit { close(descriptor) }
    }

    // MARK: Reading

    /// Opens a regular file for reading, or returns `nil` if there is no file.
    package static func open(_ path: String, _ trust: Trust) throws(FileError) -> Opened? {
        // Opening a device can have effects, so its kind is looked at before as well.
        guard let named = try status(of: path, followsLinks: trust == .any) else { return nil }
        try named.check(trust, "read", path)
        let links = trust == .any ? 0 : O_NOFOLLOW
        let descriptor = systemOpen(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | links)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw FileError("read", path)
        }
        do throws(FileError) {
            let opened = try status(of: descriptor, path)
            try opened.check(trust, "read", path)
            return Opened(descriptor, opened)
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Returns the bytes of a file and its status, or `nil` if there is no file. Throws if the file has more than `limit` bytes.
    package static func read(_ path: String, _ trust: Trust, limit: Int) throws(FileError) -> (Data, Status)? {
        guard let file = try open(path, trust) else { return nil }
        return (try read(file, path, limit: limit), file.status)
    }

    /// Returns the bytes of an open file. Throws if it has more than `limit` bytes, or gets more while it is read.
    static func read(_ file: Opened, _ path: String, limit: Int) throws(FileError) -> Data {
        guard file.status.size <= limit else { throw tooLarge(path, limit) }
        var data = Data()
        // A file may grow while it is read, and one whose content the system makes has no size.
        while data.count <= limit {
            var piece = Data(count: min(max(Int(file.status.size) - data.count + 1, 4096), 1 << 20))
            let count = piece.withUnsafeMutableBytes { systemRead(file.descriptor, $0) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileError("read", path) }
            if count == 0 { return data }
            data += piece.prefix(count)
        }
        throw tooLarge(path, limit)
    }

    /// Returns the first bytes of a file, at most `length`, or `nil` if there is no file.
    static func start(of path: String, _ trust: Trust, length: Int) throws(FileError) -> Data? {
        guard let file = try open(path, trust) else { return nil }
        var start = Data(count: length)
        let count = start.withUnsafeMutableBytes { systemRead(file.descriptor, $0) }
        guard count >= 0 else { throw FileError("read", path) }
        return start.prefix(count)
    }

    /// Returns the bytes of a file of tests, which has at most a gigabyte.
    package static func contents(of file: URL) throws -> Data {
        guard let (data, _) = try read(file.path, .any, limit: 1 << 30) else {
            throw FileError(action: "read", path: file.path, code: ENOENT)
        }
        return data
    }

    private static func tooLarge(_ path: String, _ limit: Int) -> FileError {
        FileError(action: "read", path: path, code: EFBIG, reason: "It has more than \(limit) bytes")
    }

    // MARK: Making

    /// Creates a file that did not exist. Returns its descriptor, or a negative number with the reason in `errno`.
    static func create(_ path: String, permissions: mode_t = 0o600) -> Int32 {
        systemOpen(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, permissions)
    }

    /// Creates a file with a name of its own in the folder for temporary files. Returns its descriptor and its path.
    static func createTemporary(_ name: String) throws(FileError) -> (Int32, String) {
        let path = FileManager.default.temporaryDirectory.path + "/\(name)-\(UUID().uuidString)"
        let descriptor = create(path)
        guard descriptor >= 0 else { throw FileError("create", path) }
        return (descriptor, path)
    }

    /// Writes a file that did not exist, in the folder for temporary files. Returns its path.
    package static func writeTemporary(_ data: Data, _ name: String) throws(FileError) -> String {
        let (descriptor, path) = try createTemporary(name)
        defer { close(descriptor) }
        if let code = data.withUnsafeBytes({ writeAll($0, to: descriptor) }) {
            unlink(path)
            throw FileError(action: "write", path: path, code: code)
        }
        return path
    }

    /// Opens a regular file of this user for reading and writing, and creates it if there is none. Returns its descriptor.
    static func openToWrite(_ path: String, making: Bool) throws(FileError) -> Int32 {
        if let named = try status(of: path, followsLinks: false) { try named.check(.own, "open", path) }
        let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (making ? O_CREAT : 0)
        let descriptor = systemOpen(path, flags, 0o600)
        guard descriptor >= 0 else { throw FileError("open", path) }
        do throws(FileError) {
            try status(of: descriptor, path).check(.own, "open", path)
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    // MARK: Replacing and removing

    /// Moves a file to a path, where it replaces a regular file. Throws if the path has anything else, or a file that may not be replaced.
    static func move(_ path: String, to target: String, replacing trust: Trust) throws(FileError) {
        if let present = try status(of: target, followsLinks: false) { try present.check(trust, "replace", target) }
        guard rename(path, target) == 0 else { throw FileError("replace", target) }
    }

    /// Removes a regular file of this user. Does nothing if there is none, and throws if the path has anything else.
    package static func remove(_ path: String) throws(FileError) {
        guard let present = try status(of: path, followsLinks: false) else { return }
        try present.check(.own, "remove", path)
        // Removes no folder, even if one has taken the place of the file.
        guard unlink(path) == 0 || errno == ENOENT else { throw FileError("remove", path) }
    }

    // MARK: Folders

    /// Whether there is anything at the path, behind links too.
    package static func exists(_ path: String) -> Bool { (try? status(of: path, followsLinks: true)) != nil }

    /// Returns the names in a folder, or none if there is no folder. Throws if there are more than `limit`.
    package static func names(in folder: String, limit: Int) throws(FileError) -> [String] {
        var names: [String] = []
        let isWhole = try readNames(in: folder) { name in
            guard names.count < limit else { return false }
            names.append(name)
            return true
        }
        guard isWhole else {
            throw FileError(action: "read", path: folder, code: EOVERFLOW, reason: "It has more than \(limit) files")
        }
        return names
    }

    /// Passes each name in a folder to a closure until it returns `false`, so that a folder of any size is read in bounded memory. Returns whether all
    /// names were read.
    static func readNames(in folder: String, _ read: (String) -> Bool) throws(FileError) -> Bool {
        guard let stream = opendir(folder) else {
            if errno == ENOENT { return true }
            throw FileError("read", folder)
        }
        defer { closedir(stream) }
        while true {
            // Only the number of the error distinguishes the end from an error (readdir(3)).
            errno = 0
            guard let entry = readdir(stream) else { break }
            // Safe, because the system ends the name with a zero, and the entry is valid until the next read.
            let name = withUnsafePointer(to: &entry.pointee.d_name) { start in
                start.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)) { String(cString: $0) }
            }
            if name == "." || name == ".." { continue }
            guard read(name) else { return false }
        }
        guard errno == 0 else { throw FileError("read", folder) }
        return true
    }

    /// Creates a folder and those above it, if they do not exist.
    package static func makeFolders(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// Creates one folder. Returns whether it did not exist.
    static func makeFolder(_ path: String, permissions: mode_t) throws(FileError) -> Bool {
        guard mkdir(path, permissions) == 0 else {
            if errno == EEXIST { return false }
            throw FileError("create", path)
        }
        // Restore permissions that the umask has removed from the owner.
        guard chmod(path, permissions) == 0 else { throw FileError("protect", path) }
        return true
    }
}

/// Calls the system's function, whose name a method shadows.
private func systemOpen(_ path: String, _ flags: Int32, _ permissions: mode_t = 0) -> Int32 { open(path, flags, permissions) }

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, bytes.baseAddress, bytes.count)
}
