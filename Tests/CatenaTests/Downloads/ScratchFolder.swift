import Foundation

/// A folder for the files of one test, removed with it.
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

    /// The names of what is in it, hidden files included.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: url.path())) ?? []).sorted() }

    /// Waits until nothing else is in it. What a cancelled call leaves is removed after the call is over.
    func contains(only names: [String]) async -> Bool {
        for _ in 0..<100_000 {
            if self.names == names { return true }
            await Task.yield()
        }
        return false
    }
}
