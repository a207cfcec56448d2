import Foundation
import Testing

@testable import Catena

@Suite("JSON, depth", .limitedParallelism)
struct JSONDepthTests {
    struct Shape: Sendable {
        let opening: String
        let closing: String
    }

    static let shapes = [
        Shape(opening: "[", closing: "]"), Shape(opening: #"{"a":"#, closing: "}"), Shape(opening: #"[{"a":"#, closing: "}]"),
    ]

    /// Returns the outcome of reading a document of this depth on a thread with the smallest usual stack.
    private func outcome(_ shape: Shape, depth: Int) async -> String {
        let repeats = depth / shape.opening.filter { "[{".contains($0) }.count
        let start = depth % 2 == 1 && shape.opening.hasPrefix("[{") ? "[" : ""
        let text =
            start + String(repeating: shape.opening, count: repeats) + "0" + String(repeating: shape.closing, count: repeats)
            + (start.isEmpty ? "" : "]")
        return await withCheckedContinuation { continuation in
            let thread = Thread {
                do {
                    let value = try JSON(parsing: text.utf8)
                    let again = try JSON(parsing: value.encoded)
                    let span = try JSONScan(text.utf8, paths: []).root
                    continuation.resume(returning: value == again && span.range.count == text.utf8.count ? "read" : "different")
                } catch let error as JSONSyntaxError {
                    continuation.resume(returning: error.reason)
                } catch {
                    continuation.resume(returning: "\(error)")
                }
            }
            thread.stackSize = 512 * 1024
            thread.start()
        }
    }

    @Test("512 levels are read, compared, written and freed on a small stack", arguments: shapes)
    func limit(shape: Shape) async {
        #expect(await outcome(shape, depth: 512) == "read")
    }

    @Test("more than 512 levels are an error", arguments: shapes, [513, 514, 100_000])
    func beyond(shape: Shape, depth: Int) async {
        #expect(await outcome(shape, depth: depth) == "arrays and objects are nested deeper than 512")
    }

    @Test("containers that are closed do not count towards the depth")
    func siblings() throws {
        let text = "[" + Array(repeating: "[[]]", count: 2000).joined(separator: ",") + "]"
        #expect(try JSON(parsing: text.utf8).array?.count == 2000)
    }
}
