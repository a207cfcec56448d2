import Foundation
import TestSupport

/// A folder for the files of one test, removed when this object is freed.
final class ScratchFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "catena-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func file(_ name: String) -> URL { url.appending(path: name, directoryHint: .notDirectory) }

    /// The names of its files and folders, including hidden ones.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: url.path())) ?? []).sorted() }

    /// Returns the size of a file in bytes, or 0 if there is none.
    func size(_ name: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: file(name).path())[.size] as? Int) ?? 0
    }

    /// Waits until a condition holds.
    func waits(until condition: (ScratchFolder) -> Bool) async throws {
        try await FileWatch(url).wait { condition(self) }
    }

    /// Waits until the folder contains only these names. A cancelled call removes its files after its end.
    func contains(only names: [String]) async throws -> Bool {
        try await waits { $0.names == names }
        return true
    }
}
