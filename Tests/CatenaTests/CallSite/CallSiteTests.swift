#if os(Linux) || os(macOS)
import Foundation
import Testing

/// What callers write compiles as they compile it, fast, and what they write wrongly is reported where it is wrong.
@Suite("Call sites", .limitedParallelism) struct CallSiteTests {
    @Test(
        "the sentences of the design compile from outside, also where the main actor is the default",
        arguments: [
            (folder: "CallSite", options: [String]()),
            (folder: "MainActorCallSite", options: ["-default-isolation", "MainActor"]),
        ])
    func sentences(folder: String, options: [String]) throws {
        let sources = try Self.sources(in: folder)
        #expect(!sources.isEmpty)
        #expect(try SwiftCompiler().typecheck(sources, options: options) == [])
    }

    @Test("the sentences of a nonisolated module do not compile unmarked where the main actor is the default")
    func unmarkedSentences() throws {
        let complaints = try SwiftCompiler().typecheck(Self.sources(in: "CallSite"), options: ["-default-isolation", "MainActor"])
        #expect(complaints.contains { $0.message.contains("main actor-isolated conformance of 'User'") })
    }

    @Test("a chain of 16 links stays cheap to type-check", arguments: Chain.allCases)
    func longChain(_ chain: Chain) throws {
        #expect(Chain.links.count == 16)
        #expect(try SwiftCompiler().typecheck([chain.source], options: Self.threshold(5000)) == [])
    }

    @Test("the limit of the type checker is in force", arguments: Chain.allCases)
    func limitIsInForce(_ chain: Chain) throws {
        let complaints = try SwiftCompiler().typecheck([chain.source], options: Self.threshold(1))
        #expect(complaints.contains { $0.message.contains("unable to type-check this expression in reasonable time") })
    }

    @Test("a typo in the first closure of a chain is reported at the typo", arguments: Chain.allCases)
    func typo(_ chain: Chain) throws {
        let lines = chain.source.split(separator: "\n", omittingEmptySubsequences: false)
        let line = try #require(lines.firstIndex { $0.contains("number + 1") })
        let wrong = chain.source.replacing("number + 1", with: "numbre + 1", maxReplacements: 1)
        let complaints = try SwiftCompiler().typecheck([wrong], options: Self.threshold(5000))
        #expect(complaints.map(\.message) == ["cannot find 'numbre' in scope"])
        #expect(complaints.map(\.line) == [line + 1])
    }

    private static func threshold(_ scopes: Int) -> [String] {
        ["-Xfrontend", "-solver-scope-threshold=\(scopes)"]
    }

    private static func sources(in folder: String) throws -> [URL] {
        let folder = URL.packageRoot.appending(path: "Tests/Consumer/Sources/\(folder)")
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "swift" }
    }
}
#endif
