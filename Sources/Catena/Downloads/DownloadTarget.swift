import Foundation

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
