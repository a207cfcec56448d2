#if os(Linux) || os(macOS)
import Foundation
import Testing

/// The Chinese pages use the translations in `Docs/Internals/ChineseTerms.md`.
@Suite("Chinese terms", .limitedParallelism) struct ChineseTermsTests {
    private struct Term {
        let english: String
        let chinese: String
        let wrongWords: [String]
    }

    @Test("the Chinese pages use the terms of the table")
    func pages() throws {
        let terms = try Self.terms()
        let pages = Self.pages()
        #expect(pages.count > 45)
        for path in pages {
            let text = try String(contentsOf: URL.packageRoot.appending(path: path), encoding: .utf8)
            for fault in Self.faults(in: text, terms) { Issue.record("\(path):\(fault)") }
        }
    }

    @Test("each row of the table has three cells, and the rows are in alphabetical order")
    func table() throws {
        let rows = try Self.rows()
        #expect(rows.count > 50)
        for row in rows { #expect(row.count == 3 && !row.contains(""), "\(row)") }
        let terms = try Self.terms()
        #expect(terms.count == rows.count)
        let english = terms.map(\.english)
        #expect(english == Set(english).sorted())
    }

    @Test("a wrong word is found in prose, but not in code or in hidden comments")
    func wrongWord() {
        let terms = [Term(english: "payload", chinese: "载荷", wrongWords: ["负载", "有效载荷"])]
        let text = """
            载荷 `负载`
            <!-- snippet preamble
            // 负载
            -->
            ```swift
            // 负载
            ```
            有效载荷
            负载
            """
        #expect(Self.faults(in: text, terms) == ["8: 有效载荷 (say: 载荷)", "9: 负载 (say: 载荷)"])
    }

    /// Returns the lines of a page that have a wrong word outside code, each with its number and the right word.
    private static func faults(in text: String, _ terms: [Term]) -> [String] {
        let words = terms.flatMap { $0.wrongWords }
        let pattern = words.map { NSRegularExpression.escapedPattern(for: $0) }.joined(separator: "|")
        var faults: [String] = []
        for line in SnippetPage(path: "", text: text).prose {
            let prose = line.text.replacingOccurrences(of: "`+[^`]*`+", with: "", options: .regularExpression)
            guard let range = prose.range(of: pattern, options: .regularExpression) else { continue }
            let word = String(prose[range])
            let right = terms.first { $0.wrongWords.contains(word) }?.chinese ?? ""
            faults.append("\(line.number): \(word) (say: \(right))")
        }
        return faults
    }

    private static func terms() throws -> [Term] {
        try rows().filter { $0.count == 3 }.map { row in
            Term(english: row[0], chinese: row[1], wrongWords: row[2].components(separatedBy: ", "))
        }
    }

    /// Returns the cells of each row of the table, without its heading.
    private static func rows() throws -> [[String]] {
        let page = URL.packageRoot.appending(path: "Docs/Internals/ChineseTerms.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("|") }.dropFirst(2)
        return lines.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    private static func pages() -> [String] {
        let docs = URL.packageRoot.appending(path: "Docs/zh-Hans")
        let files = FileManager.default.enumerator(atPath: docs.path)?.compactMap { $0 as? String } ?? []
        return files.filter { $0.hasSuffix(".md") || $0.hasSuffix(".tutorial") }.sorted().map { "Docs/zh-Hans/" + $0 }
    }
}
#endif
