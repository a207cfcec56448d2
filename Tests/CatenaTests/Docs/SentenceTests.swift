#if os(Linux) || os(macOS)
import Foundation
import Testing

/// The programs of Tests/Consumer and the SDKs of Examples are as long as Docs/Internals/Sentence.md says, and shorter than they were.
@Suite("Sentence", .limitedParallelism) struct SentenceTests {
    /// A row of the table: `| XAPI | 10 | 9 | 200 | 180 | why |`, the earlier number first.
    private struct Row {
        let name: String
        let lines: (before: Int, now: Int)
        let characters: (before: Int, now: Int)

        init?(_ line: Substring) {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let numbers = cells.dropFirst().prefix(4).compactMap { Int($0) }
            guard cells.count == 6, numbers.count == 4 else { return nil }
            name = cells[0]
            lines = (numbers[0], numbers[1])
            characters = (numbers[2], numbers[3])
        }
    }

    private static func rows() throws -> [Row] {
        let page = URL.packageRoot.appending(path: "Docs/Internals/Sentence.md")
        return try String(contentsOf: page, encoding: .utf8).split(separator: "\n").compactMap { Row($0) }
    }

    private static func programs() throws -> [URL] {
        try ["Tests/Consumer/Sources/Systems", "Examples/SDKs"].flatMap { folder in
            try FileManager.default.contentsOfDirectory(at: URL.packageRoot.appending(path: folder), includingPropertiesForKeys: nil)
                .filter { FileManager.default.fileExists(atPath: Self.source(of: $0).path) }
        }
    }

    private static func source(of program: URL) -> URL {
        program.appending(path: "\(program.lastPathComponent).swift")
    }

    /// Returns the lines that are neither blank nor comments nor the import of a product, without their indentation.
    private static func lines(of program: URL) throws -> [String] {
        try String(contentsOf: source(of: program), encoding: .utf8)
            .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("//") && $0 != "import CatenaRules" }
    }

    @Test("the table lists each program with its lines and characters, and nothing else")
    func counts() throws {
        let counted = try Self.programs().map { program in
            let lines = try Self.lines(of: program)
            return "\(program.lastPathComponent): \(lines.count) lines, \(lines.map(\.count).reduce(0, +)) characters"
        }
        let told = try Self.rows().map { "\($0.name): \($0.lines.now) lines, \($0.characters.now) characters" }
        #expect(told.sorted() == counted.sorted())
    }

    @Test("each program has fewer characters than before, and no more lines")
    func shorter() throws {
        let rows = try Self.rows()
        #expect(!rows.isEmpty)
        for row in rows {
            #expect(row.characters.now < row.characters.before, "\(row.name)")
            #expect(row.lines.now <= row.lines.before, "\(row.name)")
        }
    }
}
#endif
