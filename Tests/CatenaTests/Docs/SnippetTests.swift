#if os(Linux) || os(macOS)
import Foundation
import Testing

/// Each Swift block of the documentation compiles as a reader pastes it, without a warning, against the modules of this build.
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
        #expect(pages.contains { $0.path.hasPrefix("Docs/Migration/") && !$0.blocks.isEmpty }, "The guides in folders show Swift")
    }

    @Test("a wrong block is reported with its page and line, and blocks do not share their declarations")
    func wrongBlock() throws {
        let page = SnippetPage(
            path: "Docs/Page.md",
            text: """
                <!-- snippet preamble
                @MainActor final class Screen { func show(_ text: String) {} }
                -->
                ```swift
                import Catena

                extension Tag {
                    static let forum: Tag = "forum"
                }
                let text = try await API.tag(.forum).get("/text").execute(.string).value
                self.show(text)
                ```
                Again, and wrong:
                ```swift
                import Catena

                extension Tag {
                    static let forum: Tag = "forum"
                }
                API.tag(.forum).get("/text").execute(.string)
                    .then { text in self.show(txt) }
                ```
                """)
        #expect(page.blocks.count == 2)
        #expect(try Self.faults(in: [page]) == ["Docs/Page.md:21: cannot find 'txt' in scope"])
    }

    @Test("a wrong declaration and a wrong preamble are reported at their lines")
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
        "a warning is a fault",
        arguments: [
            ("API.get(\"/a\").execute().map { $0 }", "result of call to 'map' is unused"),
            ("API.get(\"/a\").execute().then { ret in let name = ret.name }", "value 'name' was never used"),
            ("var call = API.get(\"/a\")", "variable 'call' was never mutated"),
        ])
    func warning(statement: String, message: String) throws {
        let page = SnippetPage(path: "Page.md", text: "```swift\nimport Catena\n\n\(statement)\n```")
        let faults = try Self.faults(in: [page])
        #expect(faults.count == 1)
        #expect(faults.allSatisfy { $0.hasPrefix("Page.md:4: ") && $0.contains(message) }, "\(faults)")
    }

    @Test("variables at the top level of a block count as used")
    func names() throws {
        let page = SnippetPage(
            path: "Page.md",
            text: """
                <!-- snippet preamble
                let number: Int? = 7
                -->
                ```swift
                import Catena

                let call = API.get("/a")
                let (promise, resolver) = Promise<Int>.pending()
                let (_, other) = Promise<Int>.pending()
                guard let page = number else { return }
                ```
                """)
        #expect(try Self.faults(in: [page]) == [])
    }

    @Test(
        "a block imports what it needs itself, whatever the others import",
        arguments: [
            ("let users = API.get(\"/users\")", "cannot find 'API' in scope"),
            ("import Catena\n\nlet id = UUID()", "cannot find 'UUID' in scope"),
            ("import Catena\n\nlet name = \"a\".trimmingCharacters(in: .whitespaces)", "'trimmingCharacters(in:)' is not available"),
            ("import Catena\n\nlet stubs = Stubs()", "cannot find 'Stubs' in scope"),
        ])
    func missingImport(block: String, message: String) throws {
        let imports = "import Catena\nimport CatenaTesting\nimport Foundation\n"
        let page = SnippetPage(path: "Page.md", text: "```swift\n\(imports)\nlet id = UUID()\n```\n```swift\n\(block)\n```")
        let faults = try Self.faults(in: [page])
        #expect(faults.contains { $0.contains(message) }, "\(faults)")
    }

    @Test("a line of a preamble that needs an import applies only to blocks with this import")
    func needs() throws {
        let page = SnippetPage(
            path: "Page.md",
            text: """
                <!-- snippet preamble
                @MainActor final class Screen {
                    let number = 1
                    let bytes = Data()  // needs Foundation
                }
                -->
                ```swift
                let number = self.number
                ```
                ```swift
                import Foundation

                let count = bytes.count
                ```
                ```swift
                let count = bytes.count
                ```
                """)
        #expect(try Self.faults(in: [page]) == ["Page.md:16: cannot find 'bytes' in scope"])
    }

    /// Returns the faults of pages, with one run of the compiler.
    private static func faults(in pages: [SnippetPage]) throws -> [String] {
        let files = pages.flatMap { page in page.blocks.map { SnippetFile($0, page: page.path).source } }
        // The imports of one file do not apply to another.
        let options = ["-warnings-as-errors", "-enable-upcoming-feature", "MemberImportVisibility"]
        let complaints = try SwiftCompiler().typecheck(files, options: options).map { "\($0.file):\($0.line): \($0.message)" }
        return pages.flatMap { page in page.faults.map { "\(page.path):\($0.line): \($0.reason)" } } + complaints
    }

    /// Returns all pages except GettingStarted.md, whose blocks are the files of one package that `.ci/getting-started` builds.
    private static func pages() throws -> [SnippetPage] {
        let root = URL.packageRoot
        let files = FileManager.default.enumerator(atPath: root.appending(path: "Docs").path)?.compactMap { $0 as? String } ?? []
        let guides = files.filter { $0.hasSuffix(".md") && !$0.hasSuffix("GettingStarted.md") }
        return try (["README.md"] + guides.sorted().map { "Docs/" + $0 }).map { path in
            SnippetPage(path: path, text: try String(contentsOf: root.appending(path: path), encoding: .utf8))
        }
    }
}
#endif
