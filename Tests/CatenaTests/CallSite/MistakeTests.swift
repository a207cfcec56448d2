#if os(Linux) || os(macOS)
import Foundation
import Testing

/// The compiler's messages about common mistakes, which the guides quote.
@Suite("Mistakes", .limitedParallelism) struct MistakeTests {
    @Test("the compiler reports a mistake at its line, with the message in the guide", arguments: Mistake.all)
    func message(_ mistake: Mistake) throws {
        let options = mistake.options + (mistake.isWarning ? ["-warnings-as-errors"] : [])
        let complaints = try SwiftCompiler().typecheck([mistake.source], to: .flow, options: options, notes: true)
        #expect(
            complaints.contains { $0.file == "Caller.swift" && $0.line == mistake.line && $0.message.hasPrefix(mistake.message) },
            "\(complaints)")
        if let note = mistake.note { #expect(complaints.contains { $0.message == note }, "\(complaints)") }
    }

    @Test(
        "the page about compiler messages quotes each mistake and no other",
        arguments: ["Docs/CompilerMessages.md", "Docs/zh-Hans/CompilerMessages.md"])
    func page(path: String) throws {
        let text = try Self.text(path)
        #expect(Mistake.all.filter { !text.contains($0.quote) }.map(\.name) == [])
        #expect(text.matches(of: #/\n// (?:error|warning): /#).count == Mistake.all.count)
    }

    @Test(
        "the table of the page about compiler messages leads from each message to its section, and from no other",
        arguments: ["Docs/CompilerMessages.md", "Docs/zh-Hans/CompilerMessages.md"])
    func table(path: String) throws {
        let text = try Self.text(path)
        let rows = text.matches(of: /\n\| `(.+?)` \| (\[.+\)) \|/).map { (message: String($0.1), links: String($0.2)) }
        let sections = text.components(separatedBy: "\n### ").dropFirst()
        #expect(sections.count > 30)
        var links: [String] = []
        for section in sections {
            let title = section.prefix { $0 != "\n" }
            let link = "[\(title)](#\(Self.anchor(title)))"
            links.append(link)
            let messages = section.matches(of: /\n\/\/ (?:error|warning): (.+)(?:\n\/\/ (note: .+))?/).map { match in
                match.2.map { "\(match.1); \($0)" } ?? String(match.1)
            }
            let own = rows.filter { $0.links.contains(link) }.map { $0.message }
            #expect(messages.filter { message in !own.contains { Self.covers($0, message) } } == [], "no row leads to \(link)")
            #expect(own.filter { row in !messages.contains { Self.covers(row, $0) } } == [], "\(link) does not quote this")
        }
        #expect(rows.filter { row in !links.contains { row.links.contains($0) } }.map { $0.message } == [])
    }

    @Test("the page about the main actor quotes known messages only", arguments: ["Docs/MainActor.md", "Docs/zh-Hans/MainActor.md"])
    func mainActor(path: String) throws {
        let messages = try Self.text(path).matches(of: /\nerror: (.+)/).map { String($0.1) }
        #expect(messages.count == 3)
        #expect(messages.filter { message in !Mistake.all.contains { $0.message == message } } == [])
    }

    @Test("a call with a discarded value compiles in a closure without a result")
    func statements() throws {
        let source = """
            import Catena

            func run(_ body: () async throws -> Void) async throws { try await body() }

            func touch() async throws {
                try await run { try await API.post("/touch").value() }
                try await API.post("/touch").value()
                let later: @Sendable () -> Void = { API.post("/touch").execute() }
                later()
                Promise(value: 1).then { _ in _ = API.post("/touch").execute() }
                Promise(value: 1).flatMap { _ in API.post("/touch").execute() }.then { ret in print(ret.id) }
                Promise { try await API.post("/touch").value() }.then { ret in print(ret.id) }
            }
            """
        #expect(try SwiftCompiler().typecheck([source], to: .flow, options: ["-warnings-as-errors"]) == [])
    }

    /// Returns the anchor that a heading has on the page.
    private static func anchor(_ title: Substring) -> String {
        String(title.lowercased().filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }.map { $0 == " " ? "-" : $0 })
    }

    /// Returns whether a row of the table stands for a message, where "…" stands for any text.
    private static func covers(_ row: String, _ message: String) -> Bool {
        // The message may have the sign itself.
        let parts = row.components(separatedBy: "…").map { NSRegularExpression.escapedPattern(for: $0) }
        return message.range(of: "^" + parts.joined(separator: ".*") + "$", options: .regularExpression) != nil
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: URL.packageRoot.appending(path: path), encoding: .utf8)
    }
}
#endif
