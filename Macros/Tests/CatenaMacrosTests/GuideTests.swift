import Catena
import Foundation
import Testing

@Suite("The guide") struct GuideTests {
    private static func text(_ path: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).appending(path: "../../../..").standardizedFileURL
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// Returns the lines without their indentation.
    private static func lines(_ text: Substring) -> String {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
    }

    @Test("its code is compiled here, in both languages", arguments: ["Docs/Macros.md", "Docs/zh-Hans/Macros.md"])
    func code(path: String) throws {
        let compiled = try Self.lines(Self.text("Macros/Tests/CatenaMacrosTests/GuideCode.swift")[...])
        let fences = try Self.text(path).split(separator: "```\n", omittingEmptySubsequences: false)
        // Every second element is code.
        let blocks = fences.enumerated().filter { $0.offset % 2 == 1 && $0.element.hasPrefix("import ") }.map(\.element)
        #expect(blocks.count == 3)
        for block in blocks {
            let code = Self.lines(block).split(separator: "\n").filter { !$0.hasPrefix("import ") }.joined(separator: "\n")
            #expect(compiled.contains("\n" + code + "\n"), "\(code)")
        }
    }

    @Test("its second example sends what it says")
    func example() async throws {
        let publish = Publish(room: "a b", id: 7, clientName: nil, post: Draft(text: "Hi"), author: User(name: "Ann"))
        let client = Client()
        client.configure(.forum) { $0.host = "https://forum.example.com" }
        let request = try await client.request(for: publish).preview()
        #expect(request.url.absoluteString == "https://forum.example.com/rooms/a%20b/posts/7?draft=false")
        #expect(request.headers["X-Author"] == "Ann")
        #expect(request.headers["X-Client"] == nil)
        #expect(request.body.flatMap { String(bytes: $0, encoding: .utf8) } == #"{"text":"Hi"}"#)
    }
}
