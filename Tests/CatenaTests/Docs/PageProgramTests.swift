#if os(Linux) || os(macOS)
import Foundation
import Testing

/// The programs of the pages, compiled and run as they stand.
@Suite("Page programs", .limitedParallelism) struct PageProgramTests {
    @Test("the programs of the pages run as they stand, and a program that is wrong fails", .needsEngineInProcesses)
    func programs() throws {
        let pages = try Self.pages()
        #expect(pages.map(\.path).filter { !$0.contains("Migration") }.count >= 4)
        #expect(pages.map(\.path).filter { $0.contains("Migration") }.count >= 5)
        let program = try PageProgram(pages + Self.wrongPages)
        defer { program.remove() }
        for page in pages {
            let (status, output) = try program.run(page)
            #expect(status == 0, "\(page.path): \(output)")
            if let printed = page.printed { #expect(output == printed.map { $0 + "\n" }.joined(), "\(page.path)") }
        }
        for page in Self.wrongPages {
            let (status, output) = try program.run(page)
            #expect(status == 1, "\(page.path): \(output)")
        }
    }

    @Test("a Chinese page shows the same program")
    func translations() throws {
        for page in try Self.pages() {
            let path = page.path.replacingOccurrences(of: "Docs/", with: "Docs/zh-Hans/")
            let chinese = try Self.page(path)
            #expect(chinese.blocks.map(Self.code) == page.blocks.map(Self.code), "\(path)")
            #expect(chinese.printed == page.printed, "\(path)")
        }
    }

    /// Pages whose call fails, whose stub no call uses, and whose block throws.
    private static let wrongPages = [
        ("Call.md", "", #"API.host("https://a.example.com").get("/a").execute().then { answer in print(answer) }"#),
        ("Stub.md", #"stubs.get("/a").reply(data: 1)"#, "print(1)"),
        ("Throw.md", "", #"try await API.host("https://a.example.com").get("/a").void()"#),
    ].map { path, stubs, code in
        SnippetPage(path: path, text: "<!-- run\n\(stubs)\n-->\n```swift\nimport Catena\n\n\(code)\n```")
    }

    /// Returns the lines of a block without their comments, which the pages have in their own language.
    private static func code(_ block: SnippetPage.Block) -> [String] {
        block.lines.map { $0.text.replacing(#/ *// .*/#, with: "") }
    }

    private static func pages() throws -> [SnippetPage] {
        let folder = URL.packageRoot.appending(path: "Docs")
        let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return try files.filter { $0.hasSuffix(".md") && !$0.hasPrefix("zh-Hans") }.sorted().map { try page("Docs/" + $0) }
            .filter { page in page.blocks.contains { $0.setup != nil } }
    }

    private static func page(_ path: String) throws -> SnippetPage {
        SnippetPage(path: path, text: try String(contentsOf: URL.packageRoot.appending(path: path), encoding: .utf8))
    }
}
#endif
