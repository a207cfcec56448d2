public import Foundation

extension Request {
    /// Sends the request and returns a promise of the response as a file.
    ///
    /// ```swift
    /// API.get("/reports/7.pdf").download(to: file)
    ///     .then { download in self.open(download.url) }
    /// ```
    ///
    /// The bytes go to a hidden file beside the target, which takes the target's place when all of them are there; folders on the way are
    /// made. What a failed or cancelled download has received stays if the server says how to tell whether the file is still the same: the
    /// next attempt, or the next download to the same place, also by another process, only asks for the rest. What cannot be resumed is
    /// removed. An error status gives an ``APIError`` and no file.
    ///
    /// - Parameters:
    ///   - target: The file; its folder need not be there yet.
    ///   - existing: What becomes of a file that is there already.
    ///   - sha256: The SHA-256 of the file in hexadecimal digits. Other bytes are removed and reject the promise.
    ///   - resumes: Whether what an earlier download left is used, and is left for a later one.
    ///   - limit: How many bytes the file may have; `nil` is what ``Profile/downloadLimit`` says. More reject the promise with
    ///     ``APIError/Kind/bodyTooLarge``.
    ///   - file: The file of the call, for diagnostics.
    ///   - line: The line of the call, for diagnostics.
    @discardableResult
    public func download(
        to target: URL,
        ifExists existing: ExistingFile = .replace,
        sha256: String? = nil,
        resumes: Bool = true,
        limit: Int64? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Download> {
        let execution = Execution(self)
        return execution.promise(file, line) {
            try await execution.download(to: target, ifExists: existing, sha256: sha256, resumes: resumes, limit: limit)
        }
    }

    /// Sends the request and awaits the response as a file.
    ///
    /// ```swift
    /// let download = try await API.get("/reports/7.pdf").download(to: file)
    /// ```
    ///
    /// The parameters are those of ``download(to:ifExists:sha256:resumes:limit:file:line:)``. Cancelling the task stops the download.
    ///
    /// - Throws: An ``APIError`` if the call fails, a `CancellationError` if the task is cancelled.
    @discardableResult
    public func download(
        to target: URL,
        ifExists existing: ExistingFile = .replace,
        sha256: String? = nil,
        resumes: Bool = true,
        limit: Int64? = nil
    ) async throws -> Download {
        let promise: Promise<Download> = download(to: target, ifExists: existing, sha256: sha256, resumes: resumes, limit: limit)
        return try await promise.value
    }
}

extension Execution {
    fileprivate func download(
        to target: URL, ifExists existing: ExistingFile, sha256: String?, resumes: Bool, limit: Int64?
    ) async throws -> Download {
        try await Pipeline.run(
            self,
            until: FileMode(
                file: DownloadFile(try DownloadTarget(target, ifExists: existing), sha256: try sha256.map(Self.checked)), resumes: resumes,
                limit: limit ?? profile.downloadLimit))
    }

    private static func checked(_ digest: String) throws -> String {
        let digest = digest.lowercased()
        guard digest.utf8.count == 64, digest.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 || $0 >= 0x61 && $0 <= 0x66 }) else {
            throw APIError.invalid("download", "the SHA-256 is not 64 hexadecimal digits")
        }
        return digest
    }
}

/// A file that has been downloaded.
public struct Download: Sendable {
    /// Where it is; another place than was asked for with ``ExistingFile/keepBoth``.
    public let url: URL
    /// The HTTP status of the last response: 206 if an earlier download was resumed.
    public let status: Int
    /// The headers of the last response.
    public let headers: HTTPHeaders
    /// The size of the file.
    public let byteCount: Int64
    /// How many of the bytes were there from an earlier attempt or an earlier download.
    public let resumedFrom: Int64

    /// The name that the server suggests for the file (RFC 6266), or `nil` if it suggests none.
    ///
    /// It is one name, without a path, and can be that of a file on every system: separators, control characters and a leading dot are taken out. It
    /// is what the server says nevertheless, so that a file of this name may be there already.
    public var suggestedName: String? { SuggestedFileName.name(in: headers) }
}

/// What becomes of a file that is already where a download is to go.
public enum ExistingFile: Sendable, Hashable {
    /// It is replaced, at one blow, once the download is complete.
    case replace
    /// It stays, and the download fails.
    case fail
    /// It stays, and the download gets a number: `report 2.pdf`.
    case keepBoth
}

/// Where a download goes, and where its bytes are until it is complete.
struct DownloadTarget: Sendable {
    let url: URL
    let existing: ExistingFile
    private let folder: String
    private let name: String

    init(_ url: URL, ifExists existing: ExistingFile) throws {
        let path = url.path(percentEncoded: false)
        guard url.isFileURL, !path.utf8.contains(0) else { throw APIError.invalid("download", "the target is not the address of a file") }
        guard !url.hasDirectoryPath, !url.lastPathComponent.isEmpty else {
            throw APIError.invalid("download", "the target is a folder; name the file in it")
        }
        self.url = url
        self.existing = existing
        name = url.lastPathComponent
        folder = url.deletingLastPathComponent().path(percentEncoded: false)
    }

    var path: String { folder + name }

    /// Where the bytes are collected: beside the target, since a file cannot be moved at one blow to another file system.
    var partialPath: String { folder + hidden + ".part" }

    /// Where it says what the collected bytes belong to.
    var recordPath: String { folder + hidden + ".part.json" }

    /// Where the bytes are collected while somebody else collects at the usual place.
    func sparePath() -> String { folder + hidden + ".\(UUID().uuidString).part" }

    /// The target with a number, as other programs do it.
    func path(number: Int) -> String {
        guard number > 1 else { return path }
        let mark = name.dropFirst().lastIndex(of: ".") ?? name.endIndex
        return folder + name[..<mark] + " \(number)" + name[mark...]
    }

    /// The target's name as that of a hidden file, cut where it would be too long for a file system.
    private var hidden: String {
        name.utf8.count <= 180 ? "." + name : "." + Hexadecimal.text(SHA256.digest(of: name.utf8))
    }

    func makeFolder() throws {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw APIError.file("The folder of the download could not be made", underlying: error)
        }
    }

    /// Refuses what would fail in the end, before anything is sent.
    func check() throws {
        guard let type = FileSystem.type(of: path) else { return }
        if type == .typeDirectory { throw APIError.file("The target of the download is a folder", code: EISDIR) }
        if existing == .fail { throw APIError.file("The target of the download exists already", code: EEXIST) }
    }
}
