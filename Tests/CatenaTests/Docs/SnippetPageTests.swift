import Testing

/// The reading of pages into blocks and preambles.
@Suite("Snippet pages", .limitedParallelism) struct SnippetPageTests {
    @Test(
        "a Swift block that would not be checked is a fault",
        arguments: [
            ("```swift no-compile\nnonsense\n```", "a Swift block is marked \"swift\" and nothing else, not \"swift no-compile\""),
            ("```Swift\nlet a = 1\n```", "a Swift block is marked \"swift\" and nothing else, not \"Swift\""),
            ("~~~swift-ish\nlet a = 1\n~~~", "a Swift block is marked \"swift\" and nothing else, not \"swift-ish\""),
            ("```swift\nlet a = 1", "the block is not closed"),
            ("<!-- snippet preamble\nlet a = 1", "the comment is not closed"),
            ("<!-- run\nlet a = 1", "the comment is not closed"),
        ])
    func uncheckedBlock(text: String, reason: String) {
        let page = SnippetPage(path: "Page.md", text: "Text\n" + text)
        #expect(page.faults == [SnippetPage.Fault(line: 2, reason: reason)])
        #expect(page.blocks.isEmpty)
    }

    @Test("a preamble that imports is a fault", arguments: ["import Foundation", "@testable import Catena", "public import Foundation"])
    func importingPreamble(line: String) {
        let page = SnippetPage(path: "Page.md", text: "<!-- snippet preamble\n\(line)\n-->\n```swift\nlet a = 1\n```")
        #expect(page.faults.map(\.line) == [2])
        #expect(page.faults.map(\.reason) == ["a preamble imports nothing; imports stand in the blocks that need them"])
    }

    @Test("blocks of other languages are ignored, and a preamble applies until the next one")
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

    @Test("the blocks of a program have their stubs, and the page what the program prints")
    func program() {
        let page = SnippetPage(
            path: "Page.md",
            text: """
                ```swift
                before
                ```
                <!-- run
                stubs.get("/a").reply(data: 1)
                -->
                ```swift
                first
                ```
                <!-- prints -->
                ```text
                1
                ```
                <!-- file: a.json -->
                ```json
                {}
                ```
                <!-- not run: it needs a Mac -->
                ```swift
                second
                ```
                ```text
                other
                ```
                ```swift
                third
                ```
                <!-- run -->
                ```swift
                fourth
                ```
                """)
        #expect(page.faults.isEmpty)
        #expect(page.blocks.map { $0.setup?.map(\.number) } == [nil, [5], nil, [], []])
        #expect(page.printed == ["1"])
        #expect(page.files.map { [$0.name, $0.text] } == [["a.json", "{}\n"]])
    }
}
