#if os(Linux) || os(macOS)
import Foundation
import Testing

/// The guides use the standard terms, one for each idea.
@Suite("Words", .limitedParallelism) struct WordsTests {
    struct OddWord: Sendable, CustomTestStringConvertible {
        let pattern: String
        let instead: String

        var testDescription: String { pattern }

        func isIn(_ line: String) -> Bool {
            line.range(of: pattern, options: [.regularExpression, .caseInsensitive]) != nil
        }
    }

    static let oddWords = [
        OddWord(pattern: #"\b(he|him|his|himself)\b"#, instead: "they, their"),
        OddWord(pattern: #"\btold\b"#, instead: "notified, reported, decided"),
        OddWord(pattern: #"\bvoid\b"#, instead: "invalid"),
        OddWord(pattern: #"\b(an?|the|its|whole|last|first|one|kept) answers?\b"#, instead: "response"),
        OddWord(pattern: #"\blet(s|ting)? go\b"#, instead: "release, evict, resume, discard"),
        OddWord(pattern: #"\b(hold|holds|held|holding) up\b"#, instead: "suspend, delay"),
        OddWord(pattern: #"\bof (no )?account\b"#, instead: "is ignored"),
        OddWord(pattern: #"nobody.s business"#, instead: "is ignored"),
        OddWord(pattern: #"\bof no use\b"#, instead: "cannot be used"),
        OddWord(pattern: #"\bcalls under way\b"#, instead: "active calls"),
        OddWord(pattern: #"\btr(y|ies|ied|ying) again\b"#, instead: "retry"),
        OddWord(pattern: #"\b(simply|obviously|of course)\b"#, instead: "nothing"),
    ]

    @Test("no guide uses an odd word", arguments: oddWords)
    func guides(word: OddWord) throws {
        let guides = try Self.guides()
        #expect(guides.count > 30)
        for path in guides {
            let text = try String(contentsOf: URL.packageRoot.appending(path: path), encoding: .utf8)
            for line in Self.prose(of: text) where word.isIn(line.text) {
                Issue.record("\(path):\(line.number): \(line.text) (say: \(word.instead))")
            }
        }
    }

    @Test("odd words are found in prose, but not in code or in hidden comments")
    func prose() {
        let text = """
            He said it.
            `he` said it, and ``he``.
            <!-- snippet preamble
            let he = 1
            -->
            ```swift
            let he = 1
            ```
            So did the others, and he.
            """
        let word = OddWord(pattern: #"\bhe\b"#, instead: "they")
        let lines = Self.prose(of: text).filter { word.isIn($0.text) }.map(\.number)
        #expect(lines == [1, 9])
    }

    /// Returns the English guides, without the pages about Catena's internals.
    private static func guides() throws -> [String] {
        let docs = URL.packageRoot.appending(path: "Docs")
        let files = FileManager.default.enumerator(atPath: docs.path)?.compactMap { $0 as? String } ?? []
        let isInside = { (path: String) in path.hasPrefix("Internals/") || path.hasPrefix("zh-Hans/") }
        return ["README.md"] + files.filter { $0.hasSuffix(".md") && !isInside($0) }.sorted().map { "Docs/" + $0 }
    }

    /// Returns the lines of a page without their code.
    private static func prose(of text: String) -> [SnippetPage.Line] {
        SnippetPage(path: "", text: text).prose.map { line in
            let words = line.text.replacingOccurrences(of: "`+[^`]*`+", with: "", options: .regularExpression)
            return SnippetPage.Line(number: line.number, text: words)
        }
    }
}
#endif
