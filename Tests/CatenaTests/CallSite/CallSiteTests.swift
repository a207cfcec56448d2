#if os(Linux) || os(macOS)
import Foundation
import Testing

/// Code of callers compiles quickly, as callers compile it, and the compiler reports mistakes at their lines.
@Suite("Call sites", .limitedParallelism) struct CallSiteTests {
    @Test(
        "the examples of the design compile outside the package, even if the main actor is the default",
        arguments: [
            (folder: "CallSite", options: [String]()),
            (folder: "MainActorCallSite", options: ["-default-isolation", "MainActor"]),
        ])
    func sentences(folder: String, options: [String]) throws {
        let sources = try Self.sources(in: folder)
        #expect(!sources.isEmpty)
        #expect(try SwiftCompiler().typecheck(sources, options: options) == [])
    }

    @Test("the examples for a nonisolated module do not compile unchanged if the main actor is the default")
    func unmarkedSentences() throws {
        let complaints = try SwiftCompiler().typecheck(Self.sources(in: "CallSite"), options: ["-default-isolation", "MainActor"])
        #expect(complaints.contains { $0.message.contains("main actor-isolated conformance of 'User'") })
    }

    @Test("a chain of 16 links stays cheap to type-check", arguments: Chain.allCases)
    func longChain(_ chain: Chain) throws {
        #expect(Chain.links.count == 16)
        #expect(try SwiftCompiler().typecheck([chain.source], options: Self.threshold(5000)) == [])
    }

    @Test("the compiler enforces the limit on type checking", arguments: Chain.allCases)
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
