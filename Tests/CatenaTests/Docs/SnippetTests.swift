#if os(Linux) || os(macOS)
import Foundation
import Testing

/// Whatever the documentation shows compiles, against the modules of this very build.
@Suite("Snippets", .limitedParallelism) struct SnippetTests {
    @Test("every Swift block of the README and of the guides compiles", arguments: 0..<4)
    func documentation(part: Int) throws {
        let pages = try Self.pages()
        let mine = pages.indices.filter { $0 % 4 == part }.map { pages[$0] }
        for fault in try Self.faults(in: mine) { Issue.record("\(fault)") }
    }

    @Test("the README, the guides and those in folders show Swift")
    func shown() throws {
        let pages = try Self.pages()
        #expect(pages.first?.blocks.isEmpty == false, "README.md shows Swift")
        #expect(pages.contains { $0.path.hasPrefix("Docs/") && !$0.blocks.isEmpty }, "The guides show Swift")
        #expect(pages.contains { $0.path.hasPrefix("Docs/Migration/") && !$0.blocks.isEmpty }, "So do those in folders")
    }

    @Test("a wrong block is reported with its page and line, and blocks do not see each other")
    func wrongBlock() throws {
        let page = SnippetPage(
            path: "Docs/Page.md",
            text: """
                <!-- snippet preamble
                @MainActor final class Screen { func show(_ text: String) {} }
                -->
                ```swift
                extension Tag {
                    static let forum: Tag = "forum"
                }
                let text = try await API.tag(.forum).get("/text").string().value
                self.show(text)
                ```
                Again, and wrong:
                ```swift
                extension Tag {
                    static let forum: Tag = "forum"
                }
                API.tag(.forum).get("/text").string()
                    .then { text in self.show(txt) }
                ```
                """)
        #expect(page.blocks.count == 2)
        #expect(try Self.faults(in: [page]) == ["Docs/Page.md:17: cannot find 'txt' in scope"])
    }

    @Test("a wrong declaration and a wrong preamble are reported where they stand")
    func wrongPreamble() throws {
        let page = SnippetPage(
            path: "Page.md",
            text: """
                <!-- snippet preamble
                func shown() -> Nothing
                {}
                -->
                ```swift
                struct User: Codable {
                    let name: Strin
                }
                ```
                """)
        let faults = try Self.faults(in: [page])
        #expect(faults.contains("Page.md:2: cannot find type 'Nothing' in scope"))
        #expect(faults.contains("Page.md:7: cannot find type 'Strin' in scope"))
    }

    @Test(
        "a Swift block that would not be checked is a fault",
        arguments: [
            ("```swift no-compile\nnonsense\n```", "a Swift block is marked \"swift\" and nothing else, not \"swift no-compile\""),
            ("```Swift\nlet a = 1\n```", "a Swift block is marked \"swift\" and nothing else, not \"Swift\""),
            ("~~~swift-ish\nlet a = 1\n~~~", "a Swift block is marked \"swift\" and nothing else, not \"swift-ish\""),
            ("```swift\nlet a = 1", "the block is not closed"),
            ("<!-- snippet preamble\nlet a = 1", "the preamble is not closed"),
        ])
    func uncheckedBlock(text: String, reason: String) {
        let page = SnippetPage(path: "Page.md", text: "Text\n" + text)
        #expect(page.faults == [SnippetPage.Fault(line: 2, reason: reason)])
        #expect(page.blocks.isEmpty)
    }

    @Test("blocks of other languages are left alone, and a preamble holds until the next one")
    func otherBlocks() {
        let page = SnippetPage(
            path: "Page.md",
            text: """
                ```json
                {}
                ```
                <!-- snippet preamble
                let first = 1
                -->
                ```swift
                first
                ```
                <!-- snippet preamble
                let second = 2
                -->
                ```swift
                second
                ```
                """)
        #expect(page.faults.isEmpty)
        #expect(page.blocks.map { $0.preamble.map(\.text) } == [["let first = 1"], ["let second = 2"]])
        #expect(page.blocks.map { $0.lines.map(\.number) } == [[8], [14]])
    }

    /// Everything wrong with pages, from one call of the compiler.
    private static func faults(in pages: [SnippetPage]) throws -> [String] {
        let files = pages.flatMap { page in page.blocks.map { SnippetFile($0, page: page.path).source } }
        let complaints = try SwiftCompiler().typecheck(files).map { "\($0.file):\($0.line): \($0.message)" }
        return pages.flatMap { page in page.faults.map { "\(page.path):\($0.line): \($0.reason)" } } + complaints
    }

    private static func pages() throws -> [SnippetPage] {
        let root = URL.packageRoot
        let guides = FileManager.default.enumerator(atPath: root.appending(path: "Docs").path)?.compactMap { $0 as? String } ?? []
        return try (["README.md"] + guides.filter { $0.hasSuffix(".md") }.sorted().map { "Docs/" + $0 }).map { path in
            SnippetPage(path: path, text: try String(contentsOf: root.appending(path: path), encoding: .utf8))
        }
    }
}
#endif
