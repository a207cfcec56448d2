import CatenaLoopback
import Foundation

/// The files of the page.
///
/// They are found here and not by `Bundle.module`, which ends the process where they are missing: a release build that was copied without its
/// resources is a reason for an error that says so.
struct PageFolder: Sendable {
    private let files: [String: URL]

    struct Missing: Error, CustomStringConvertible {
        let places: [URL]

        var description: String {
            "The inspector's page is not there: the resources of CatenaInspector (\(PageFolder.names[0]) or \(PageFolder.names[1])) belong beside the "
                + "program. Looked for in " + places.map { $0.path(percentEncoded: false) }.joined(separator: ", ") + "."
        }
    }

    private init(files: [String: URL]) {
        self.files = files
    }

    static let empty = PageFolder(files: [:])

    init(_ folder: URL? = nil) throws {
        let folder = try folder ?? Self.find()
        let found = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        files = found.reduce(into: [:]) { files, file in files[file.lastPathComponent] = file }
    }

    /// A file by its path; `nil` if it is none of the page's. A name that is in the list leads nowhere else.
    func response(to path: String) -> LoopbackResponse? {
        let name = path == "/" ? "index.html" : String(path.dropFirst())
        guard let file = files[name], let type = Self.types[file.pathExtension], let data = try? Data(contentsOf: file) else { return nil }
        return .data(data, contentType: type)
    }

    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "json": "application/json", "svg": "image/svg+xml", "png": "image/png", "ico": "image/x-icon", "txt": "text/plain; charset=utf-8",
    ]

    /// What SwiftPM calls the resources of this target, on Apple's platforms and elsewhere.
    fileprivate static let names = ["Catena_CatenaInspector.bundle", "Catena_CatenaInspector.resources"]

    /// Something of this module's, whose bundle is looked into.
    private final class Marker {}

    private static func find() throws -> URL {
        let own = Bundle(for: Marker.self)
        var places = [Bundle.main.resourceURL, Bundle.main.bundleURL, Bundle.main.executableURL?.deletingLastPathComponent()]
        // Tests are a bundle of their own, beside which the resources are.
        places += [own.resourceURL, own.bundleURL, own.bundleURL.deletingLastPathComponent()]
        let folders = places.compactMap { $0 }.reduce(into: [URL]()) { if !$0.contains($1) { $0.append($1) } }
        var candidates = folders.flatMap { folder in
            names.flatMap { [folder.appending(path: "\($0)/Page"), folder.appending(path: "\($0)/Contents/Resources/Page")] }
        }
        #if DEBUG
        // Where it is written; not in what is shipped, which need not say where that was.
        candidates.append(URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Page"))
        #endif
        let found = candidates.first {
            FileManager.default.fileExists(atPath: $0.appending(path: "index.html").path(percentEncoded: false))
        }
        guard let found else { throw Missing(places: folders) }
        return found
    }
}
