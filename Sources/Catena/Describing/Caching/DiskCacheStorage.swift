import CatenaPlatform

/// Stores responses on disk, each in a file that only its owner can read, in a subfolder of the given folder.
///
/// Other programs and processes may use both folders, so this storage removes only files whose names it has made.
///
/// Files are replaced atomically, so that a crash leaves the former response, the new one or a file that is detected as invalid. Disk access never
/// happens under the lock.
final class DiskCacheStorage: CacheStorage {
    private struct State {
        var index: CacheIndex
        var hasFailed = false
    }

    private static let ending = ".response"
    /// The number of bytes that are read to compare the names of a response.
    private static let longestStart = 16 * 1024
    /// The number of files in the subfolder above which it is not read.
    static let mostFiles = 1_000_000
    /// The name of the subfolder.
    static let folderName = "catena-responses"

    private let folder: URL
    private let limit: Int
    private let mostFiles: Int
    private let onFailure: @Sendable (any Error) -> Void
    private let state: Mutex<State>

    init(folder: URL, limit: Int, mostFiles: Int = DiskCacheStorage.mostFiles, onFailure: @escaping @Sendable (any Error) -> Void) {
        let folder = folder.appendingPathComponent(Self.folderName, isDirectory: true)
        self.folder = folder
        self.limit = limit
        self.mostFiles = mostFiles
        self.onFailure = onFailure
        var index = CacheIndex(limit: limit)
        var surplus: [RequestKey] = []
        // The time of writing approximates the time of the last use, which is not stored.
        let former = Result { try Self.files(in: folder, atMost: mostFiles) }
        for (key, size) in (try? former.get()) ?? [] { surplus += index.insert(key, size: size) }
        state = Mutex(State(index: index))
        attempt {
            try OwnerOnlyFile.makeFolder(folder)
            _ = try former.get()
        }
        for key in surplus { delete(key) }
    }

    var isLasting: Bool { true }

    var emptied: MemoryCacheStorage { MemoryCacheStorage(limit: limit) }

    var size: Int { state.withLock { $0.index.size } }

    func load(_ key: RequestKey) -> CachedResponse? {
        let isKnown = state.withLock { $0.index.touch(key) }
        // Another process may have a higher limit.
        let file = (try? LocalFile.read(url(of: key).path, .own, limit: max(limit, 64 << 20)))?.0
        if let file, let response = CacheFileFormat.decode(file, of: key) {
            // Another process may have written the file.
            if !isKnown, file.count <= limit { insert(key, size: file.count) }
            return response
        }
        if isKnown || file != nil { remove(key) }
        return nil
    }

    func save(_ response: CachedResponse, for key: RequestKey) {
        attempt {
            let file = try CacheFileFormat.encode(response, for: key)
            try OwnerOnlyFile.write(file, to: url(of: key), isDurable: false)
            state.withLock { $0.hasFailed = false }
            insert(key, size: file.count)
        }
    }

    private func insert(_ key: RequestKey, size: Int) {
        for key in state.withLock({ $0.index.insert(key, size: size) }) { delete(key) }
    }

    func remove(_ key: RequestKey) {
        state.withLock { $0.index.remove(key) }
        delete(key)
    }

    func removeAll(of place: String) {
        for key in state.withLock({ $0.index.removeAll(of: place) }) { delete(key) }
        removeFiles { $0.place == place }
    }

    func removeAll(named patterns: [PathPattern]) {
        removeFiles { key in
            let start = try? LocalFile.start(of: url(of: key).path, .own, length: Self.longestStart)
            // A head that is longer than the start cannot be compared.
            return start.flatMap { CacheFileFormat.head(of: $0) }?.isNamed(by: patterns) ?? true
        }
    }

    func clear() {
        for key in state.withLock({ $0.index.keys }) { remove(key) }
        removeFiles { _ in true }
    }

    /// Removes responses by the names of their files, because other processes may have written some of them.
    ///
    /// A folder with more files than ``mostFiles`` can be emptied, too. Each reading of the folder ends before files are removed, because a file system
    /// may leave out names otherwise.
    private func removeFiles(where isMeant: (RequestKey) -> Bool) {
        attempt {
            let most = max(mostFiles / 10, 1)
            var isWhole = false
            while !isWhole {
                var keys: [RequestKey] = []
                isWhole = try LocalFile.readNames(in: folder.path) { name in
                    if let key = Self.key(of: name), isMeant(key) { keys.append(key) }
                    return keys.count < most
                }
                // Files that cannot be removed would be found again.
                var hasRemoved = false
                for key in keys {
                    state.withLock { $0.index.remove(key) }
                    if delete(key) { hasRemoved = true }
                }
                guard hasRemoved else { return }
            }
        }
    }

    private func url(of key: RequestKey) -> URL {
        folder.appendingPathComponent("\(key.place)-\(key.digest)\(Self.ending)")
    }

    /// Removes the file of a response. Returns whether there is none now.
    @discardableResult
    private func delete(_ key: RequestKey) -> Bool {
        (try? LocalFile.remove(url(of: key).path)) != nil
    }

    /// Reports the first of several consecutive failures, so that a full disk is not reported with every call.
    private func attempt(_ work: () throws -> Void) {
        do {
            try work()
        } catch {
            let isNews = state.withLock { state in
                defer { state.hasFailed = true }
                return !state.hasFailed
            }
            if isNews { onFailure(error) }
        }
    }

    /// Returns the responses of former runs, the oldest first. Removes this cache's unfinished files.
    private static func files(in folder: URL, atMost mostFiles: Int) throws -> [(key: RequestKey, size: Int)] {
        var found: [(key: RequestKey, size: Int, written: Int)] = []
        for name in try LocalFile.names(in: folder.path, limit: mostFiles) {
            let file = folder.appendingPathComponent(name)
            if let target = OwnerOnlyFile.target(ofTemporary: name), key(of: target) != nil { OwnerOnlyFile.removeAbandoned(file) }
            guard let key = key(of: name), let status = try? LocalFile.status(of: file.path, followsLinks: false), status.isRegular
            else { continue }
            found.append((key, Int(status.size), status.written))
        }
        return found.ordered { $0.written < $1.written }.map { ($0.key, $0.size) }
    }

    /// Returns the key that a file name stands for, or `nil` if the file is not this cache's.
    private static func key(of name: String) -> RequestKey? {
        name.hasSuffix(ending) ? RequestKey(name: String(name.dropLast(ending.count))) : nil
    }
}

extension RequestKey {
    /// Parses the name of a file.
    fileprivate init?(name: String) {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2,
            parts.allSatisfy({ $0.utf8.count == 64 && $0.utf8.allSatisfy { PercentDecoding.hexValue($0) != nil } })
        else { return nil }
        self.init(place: parts[0], digest: parts[1])
    }
}
