import Foundation
import TestSupport

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

    /// The size of a file in it; 0 if there is none.
    func size(_ name: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: file(name).path())[.size] as? Int) ?? 0
    }

    /// Waits until a condition holds.
    func waits(until condition: (ScratchFolder) -> Bool) async throws {
        try await FileWatch(url).wait { condition(self) }
    }

    /// Waits until nothing else is in it. What a cancelled call leaves is removed after the call is over.
    func contains(only names: [String]) async throws -> Bool {
        try await waits { $0.names == names }
        return true
    }

    /// Waits until nobody has a lock on a file in it. A download that was cancelled lets go of its file after it is over.
    func isUnlocked(_ name: String) async {
        let path = file(name).path()
        await withCheckedContinuation { continuation in
            // Blocks, so not on a thread of the cooperative pool.
            DispatchQueue.global().async {
                let descriptor = open(path, O_RDWR | O_CLOEXEC)
                if descriptor >= 0 {
                    flock(descriptor, LOCK_EX)
                    close(descriptor)
                }
                continuation.resume()
            }
        }
    }
}
