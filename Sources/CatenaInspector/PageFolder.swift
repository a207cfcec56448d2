import Catena
import CatenaLoopback
import Foundation

/// The files of the inspector's page.
///
/// `Bundle.module` would end the process if the resources are missing, as in a release build that was copied without them. This type throws an error
/// that lists the searched folders.
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
        files = try LocalFile.names(in: folder.path, limit: 1000).reduce(into: [:]) { files, name in
            files[name] = folder.appending(path: name)
        }
        if files["index.html"] == nil { throw Missing(places: [folder]) }
    }

    /// Returns a file of the page, or `nil` if the path names none. Only files in the list can be read.
    func response(to path: String) -> StubReply? {
        let name = path == "/" ? "index.html" : String(path.dropFirst())
        guard let file = files[name], let type = Self.types[file.pathExtension],
            let (data, _) = try? LocalFile.read(file.path, .any, limit: 16 << 20)
        else { return nil }
        return .body(data, contentType: type)
    }

    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "json": "application/json", "svg": "image/svg+xml", "png": "image/png", "ico": "image/x-icon", "txt": "text/plain; charset=utf-8",
    ]

    /// The names that SwiftPM uses for this target's resources, on Apple's platforms and on others.
    fileprivate static let names = ["Catena_CatenaInspector.bundle", "Catena_CatenaInspector.resources"]

    /// A class by which the bundle of this module is found.
    private final class Marker {}

    private static func find() throws -> URL {
        let own = Bundle(for: Marker.self)
        var places = [Bundle.main.resourceURL, Bundle.main.bundleURL, Bundle.main.executableURL?.deletingLastPathComponent()]
        // The bundle of a test has the resources next to it.
        places += [own.resourceURL, own.bundleURL, own.bundleURL.deletingLastPathComponent()]
        let folders = places.compactMap { $0 }.reduce(into: [URL]()) { if !$0.contains($1) { $0.append($1) } }
        var candidates = folders.flatMap { folder in
            names.flatMap { [folder.appending(path: "\($0)/Page"), folder.appending(path: "\($0)/Contents/Resources/Page")] }
        }
        #if DEBUG
        // The source folder. Only debug builds search it, because a released program must not contain the path.
        candidates.append(URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Page"))
        #endif
        let found = candidates.first {
            LocalFile.exists($0.appending(path: "index.html").path(percentEncoded: false))
        }
        guard let found else { throw Missing(places: folders) }
        return found
    }
}
