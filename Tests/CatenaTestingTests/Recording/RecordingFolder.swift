import Catena
import CatenaTesting
import Foundation
import TestSupport

/// A folder for the recordings of one test.
final class RecordingFolder: Sendable {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("recording-\(UUID().uuidString)")

    var file: URL { folder.appendingPathComponent("calls.har") }

    /// The text of the file, or an empty text if there is none.
    var text: String { (try? String(contentsOf: file, encoding: .utf8)) ?? "" }

    func write(_ text: String) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }
}

/// Returns a server whose responses contain the request and the number of the call.
func echo() -> ClosureTransport {
    let number = Counter()
    return ClosureTransport { request in
        var bytes = request.body ?? Data()
        if let source = request.bodySource { bytes = try await source.collect(limit: 1 << 20) }
        return .json(#"{"number": \#(number.next()), "size": \#(bytes.count), "path": "\#(request.address.path)"}"#)
    }
}

private final class Counter: Sendable {
    private let value = AtomicCounter()

    func next() -> Int { value.add(1) }
}
