import CatenaPlatform
import Dispatch

/// The file of one download, from its first byte to its target.
///
/// An actor with its own queue, because every file system call may block.
actor DownloadFile {
    private let target: DownloadTarget
    private let sha256: String?
    private let call: CallTask
    private let executor = QueueExecutor(label: "catena.download")

    private var partialPath: String
    private var descriptor: Int32 = -1
    /// The record that identifies the bytes, or `nil` if they could not be resumed.
    private var record: PartialRecord?
    /// Whether the bytes are kept for a later download.
    private var keepsPart = true
    private var hash: LongDigest?
    private(set) var size: Int64 = 0
    /// Whether the file is at its target.
    private var hasMoved = false
    /// Whether the download has ended; a late piece must not be written then.
    private var isOver = false

    /// The incomplete files that downloads of this process hold, by path.
    ///
    /// A cancelled download holds its file until its task ends. With this table, the next download to the same target takes the file at once.
    private static let holders = Mutex<[String: DownloadFile]>([:])

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ target: DownloadTarget, sha256: String?, of call: CallTask) {
        self.target = target
        self.sha256 = sha256
        self.call = call
        partialPath = target.partialPath
    }

    /// Whether the call was cancelled, so that another download may take the part file before the task of this one has ended.
    nonisolated var isCancelled: Bool { call.isCancelled }

    deinit {
        if descriptor >= 0 { FileSystem.close(descriptor) }
    }

    /// Throws if the download would fail at its end.
    func check() throws {
        try target.check()
    }

    /// Returns the existing bytes of a download with this identity, from an earlier attempt or an earlier process.
    func part(of identity: String) async throws -> (offset: Int64, record: PartialRecord)? {
        try checkIsOpen()
        if descriptor < 0, try await hold(making: false) {
            // Read under the lock, because a download that ends replaces or removes its record.
            record = PartialRecord(at: target.recordPath)
            size = try FileSystem.size(descriptor)
        }
        guard let record, record.belongs(to: identity), size > 0, size <= record.total ?? .max else { return nil }
        return (size, record)
    }

    /// Continues after the existing bytes.
    func resume() throws {
        try checkIsOpen()
        // A hash that exists covers all bytes. Without one, an earlier process wrote them.
        guard sha256 != nil, hash == nil else { return }
        hash = try earlierBytes()
    }

    /// Reads the existing bytes.
    private func earlierBytes() throws -> LongDigest {
        let hash = LongDigest()
        try FileSystem.readAll(descriptor) { hash.update($0) }
        return hash
    }

    /// Restarts with the first byte.
    ///
    /// - Parameter isLasting: Whether a later download may continue this one.
    func restart(_ record: PartialRecord?, isLasting: Bool = true) async throws {
        try checkIsOpen()
        if descriptor < 0 {
            try target.makeFolder()
            try await open()
        }
        try FileSystem.empty(descriptor)
        size = 0
        hash = sha256.map { _ in LongDigest() }
        let isShared = partialPath == target.partialPath
        self.record = isShared ? record : nil
        // Write the record before the bytes that it describes.
        keepsPart = isLasting
        if let record = self.record, isLasting {
            try record.write(to: target.recordPath)
        } else if isShared {
            try? FileSystem.remove(target.recordPath)
        }
    }

    private func open() async throws {
        if try await hold(making: true) { return }
        partialPath = target.sparePath()
        descriptor = try FileSystem.makeFile(partialPath)
    }

    /// Opens the part file, unless another download holds it. Takes it from a download whose call was cancelled.
    private func hold(making: Bool) async throws -> Bool {
        var opened = try FileSystem.openLocked(target.partialPath, making: making)
        if opened == nil, let holder = Self.holders.withLock({ $0[target.partialPath] }), holder.isCancelled {
            await holder.leave()
            try checkIsOpen()
            opened = try FileSystem.openLocked(target.partialPath, making: making)
        }
        guard let opened else { return false }
        descriptor = opened
        Self.holders.withLock { $0[target.partialPath] = self }
        return true
    }

    func write(_ piece: Data) throws {
        try checkIsOpen()
        try FileSystem.write(piece, to: descriptor, at: size)
        if let hash { piece.withUnsafeBytes { hash.update($0) } }
        size += Int64(piece.count)
    }

    /// Verifies the bytes and moves the file to its target.
    func finish() throws -> URL {
        try checkIsOpen()
        // Remove the partial file even after a failure, because more bytes would not help.
        defer { leave(keeping: false) }
        if let sha256 { try verify(sha256) }
        FileSystem.useUsualPermissions(descriptor, probe: target.sparePath())
        return try place()
    }

    private func verify(_ sha256: String) throws {
        // No byte was received, so none was read, if an earlier download had received all of them.
        guard let digest = try (hash ?? earlierBytes()).finish().map(Hexadecimal.text) else {
            throw APIError(.checksum, message: "OpenSSL could not compute the SHA-256 of the download.")
        }
        guard digest == sha256 else { throw APIError(.checksum, message: "The download has the SHA-256 \(digest) instead of \(sha256).") }
    }

    private func place() throws -> URL {
        switch target.existing {
        case .replace:
            try movePart(to: target.path)
            return target.url
        case .fail:
            guard try FileSystem.reserve(target.path) else {
                throw APIError.file("The target of the download exists already", code: EEXIST)
            }
            try move(toReserved: target.path)
            return target.url
        case .keepBoth:
            var number = 1
            while try !FileSystem.reserve(target.path(number: number)) { number += 1 }
            let path = target.path(number: number)
            try move(toReserved: path)
            return URL(filePath: path, directoryHint: .notDirectory)
        }
    }

    private func move(toReserved path: String) throws {
        do {
            try movePart(to: path)
        } catch {
            // Remove the empty file that reserved the path.
            try? FileSystem.remove(path)
            throw error
        }
    }

    private func movePart(to path: String) throws {
        // Removed before the move, after which the paths may already belong to another download.
        if partialPath == target.partialPath { try? FileSystem.remove(target.recordPath) }
        try FileSystem.move(partialPath, to: path)
        hasMoved = true
    }

    /// Ends a download that failed or was cancelled. Keeps the bytes if they can be resumed.
    func leave() {
        leave(keeping: keepsPart && record != nil && size > 0)
    }

    private func leave(keeping: Bool) {
        guard !isOver else { return }
        isOver = true
        guard descriptor >= 0 else { return }
        if !keeping, !hasMoved {
            // The file is still locked, so no other download has begun to write it.
            try? FileSystem.remove(partialPath)
            if partialPath == target.partialPath { try? FileSystem.remove(target.recordPath) }
        }
        // Another download may hold the file by now.
        Self.holders.withLock { if $0[target.partialPath] === self { $0[target.partialPath] = nil } }
        FileSystem.close(descriptor)
        descriptor = -1
    }

    private func checkIsOpen() throws {
        if isOver { throw CancellationError() }
    }
}

/// Runs an actor on its own queue, so that blocking calls do not occupy the few threads of the concurrency runtime.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    #if canImport(Darwin)
    // `ExecutorJob` requires newer systems than the minimum. The runtime calls this form where it is unavailable.
    func enqueue(_ job: UnownedJob) { run(job) }
    #else
    func enqueue(_ job: consuming ExecutorJob) { run(UnownedJob(job)) }
    #endif

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    private func run(_ job: UnownedJob) {
        queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
    }
}
