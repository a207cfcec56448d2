import Foundation
import Testing

/// `Docs/Internals/Silences.md` lists the places that drop input without a word.
@Suite("Page of silences", .limitedParallelism)
struct SilencesPageTests {
    /// A row of the page: `| place | what is dropped | reason | proof |`.
    struct Row: Sendable, CustomTestStringConvertible {
        let place: String
        let proof: String

        var testDescription: String { place }

        init?(_ line: Substring) {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 4, cells[0].hasPrefix("`") else { return nil }
            (place, proof) = (cells[0], cells[3])
        }
    }

    private static func rows() throws -> [Row] {
        let page = URL.packageRoot.appending(path: "Docs/Internals/Silences.md")
        return try String(contentsOf: page, encoding: .utf8).split(separator: "\n").compactMap { Row($0) }
    }

    /// Returns the texts of the Swift files in a folder, by name.
    private static func sources(in folder: String) throws -> [String: String] {
        let root = URL.packageRoot.appending(path: folder)
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
        return try files.filter { $0.pathExtension == "swift" }.reduce(into: [:]) { texts, file in
            texts[file.deletingPathExtension().lastPathComponent] = try String(contentsOf: file, encoding: .utf8)
        }
    }

    @Test("the page has at most 40 places, each with a test that exists, a section of a specification or a declaration of the user")
    func proofs() throws {
        let (rows, tests) = (try Self.rows(), try Self.sources(in: "Tests"))
        #expect((1...40).contains(rows.count), "\(rows.count)")
        for row in rows {
            let suites = row.proof.matches(of: /\b\w+Tests\b/).map { String($0.0) }
            for suite in suites { #expect(tests[suite] != nil, "\(row.place): \(suite)") }
            for name in row.proof.matches(of: /"([^"]+)"/).map({ String($0.1) }) {
                #expect(suites.contains { tests[$0]?.contains(name) == true }, "\(row.place): \(name)")
            }
            #expect(!suites.isEmpty || row.proof.contains("§") || row.proof.contains(".md"), "\(row.place) has no proof")
        }
    }

    @Test("each place exists")
    func places() throws {
        let sources = try Self.sources(in: "Sources")
        let texts = sources.values.joined(separator: "\n")
        for row in try Self.rows() {
            for place in row.place.matches(of: /`(\w+)/).map({ String($0.1) }) {
                #expect(sources[place] != nil || texts.contains(place), "\(place)")
            }
        }
    }
}
