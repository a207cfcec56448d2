public import CatenaPlatform

extension CallResult where Value == Download {
    /// The response as a file. See ``Request/download(to:ifExists:sha256:resumes:limit:)`` for the parameters.
    public static func download(
        to target: URL,
        ifExists existing: ExistingFile = .replace,
        sha256: String? = nil,
        resumes: Bool = true,
        limit: Int64? = nil
    ) -> CallResult {
        CallResult { request, file, line in
            let run = CallRun(request)
            return run.promise(file, line) {
                try await Pipeline.run(
                    run,
                    until: FileMode(
                        file: DownloadFile(
                            try DownloadTarget(target, ifExists: existing), sha256: try sha256.map(Self.checked), of: run.task),
                        resumes: resumes, limit: limit ?? run.configuration.downloadLimit))
            }
        }
    }

    private static func checked(_ digest: String) throws -> String {
        let digest = digest.lowercased()
        guard digest.utf8.count == 64, digest.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 || $0 >= 0x61 && $0 <= 0x66 }) else {
            throw APIError.invalid("download", "the SHA-256 is not 64 hexadecimal digits")
        }
        return digest
    }
}

// The compiler selects this where a promise is wanted, because the awaited word alone is available.
extension RequestSteps {
    /// Explains the error of an awaited word in a chain.
    @available(*, unavailable, message: "download(to:) is awaited; a promise is execute(.download(to:))")
    @discardableResult
    public func download(
        to target: URL,
        ifExists existing: ExistingFile = .replace,
        sha256: String? = nil,
        resumes: Bool = true,
        limit: Int64? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Download> { request.execute(.download(to: target)) }
}

/// A downloaded file.
public struct Download: Sendable {
    /// The location of the file, which differs from the target if ``ExistingFile/keepBoth`` added a number.
    public let url: URL
    /// The HTTP status of the last response: 206 if an earlier download was resumed.
    public let status: Int
    /// The headers of the last response.
    public let headers: HTTPHeaders
    /// The size of the file.
    public let byteCount: Int64
    /// The number of bytes that came from an earlier attempt or download.
    public let resumedFrom: Int64

    /// The name that the server suggests for the file (RFC 6266), or `nil` if it suggests none.
    ///
    /// It is a single name without a path, valid on every system: separators, control characters and a leading dot are removed. The server
    /// chooses it, so a file with this name may already exist.
    public var suggestedName: String? { SuggestedFileName.name(in: headers) }
}

/// The handling of a file that already exists at the target of a download.
public enum ExistingFile: Sendable, Hashable {
    /// Replaces the file atomically when the download completes.
    case replace
    /// Keeps the file, and fails the download.
    case fail
    /// Keeps the file, and adds a number to the name of the download: `report 2.pdf`.
    case keepBoth
}

/// The target of a download, and the paths of its bytes until it is complete.
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

    /// The path of the incomplete file. It is beside the target, because a file cannot be moved atomically to another file system.
    var partialPath: String { folder + hidden + ".part" }

    /// The path of the record that identifies the incomplete file.
    var recordPath: String { folder + hidden + ".part.json" }

    /// Returns a path for the bytes while another download uses the usual one.
    func sparePath() -> String { folder + hidden + ".\(UUID().uuidString).part" }

    /// Returns the path of the target with a number before its extension.
    func path(number: Int) -> String {
        guard number > 1 else { return path }
        let mark = name.dropFirst().lastIndex(of: ".") ?? name.endIndex
        return folder + name[..<mark] + " \(number)" + name[mark...]
    }

    /// The target's name as a hidden file, replaced by a digest if it would be too long for a file system.
    private var hidden: String {
        name.utf8.count <= 180 ? "." + name : "." + Hexadecimal.text(SHA256.digest(of: name.utf8))
    }

    func makeFolder() throws {
        do {
            try LocalFile.makeFolders(folder)
        } catch {
            throw APIError.file("The folder of the download could not be made", underlying: error)
        }
    }

    /// Throws before anything is sent if the download would fail at its end.
    func check() throws {
        guard let status = try? LocalFile.status(of: path, followsLinks: false) else { return }
        if status.isFolder { throw APIError.file("The target of the download is a folder", code: EISDIR) }
        if existing == .fail { throw APIError.file("The target of the download exists already", code: EEXIST) }
        if existing == .replace, !status.isRegular {
            throw APIError.file("The target of the download cannot be replaced", status.failure("replace", path))
        }
    }
}
