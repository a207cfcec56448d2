import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena
@testable import CatenaRules

@Suite("Loading rules", .limitedParallelism) struct RuleLoaderTests {
    /// A server with scripted responses, which is offline after the last one. Its clients have a rule "Old".
    private final class Server: Sendable {
        private let answers: Mutex<[TransportResponse]>
        let folder: ScratchFolder
        var copy: URL { folder.file("Rules.json") }

        init(_ answers: TransportResponse...) throws {
            self.answers = Mutex(answers.reversed())
            folder = try ScratchFolder()
        }

        func client() throws -> Client {
            let client = Client(
                transport: ClosureTransport { _ in
                    guard let answer = self.answers.withLock({ $0.popLast() }) else { throw APIError(.offline) }
                    return answer
                })
            client.defaultHost = "https://example.com"
            try client.rules.load(Data(#"{"Old": {"Path": "old"}}"#.utf8))
            return client
        }
    }

    private static let new = #"{"New": {"Path": "new"}}"#
    private static let wrong = #"{"New": {"Path": 1}}"#

    @Test("rules from a file replace all others") func file() throws {
        let folder = try ScratchFolder()
        try Data(Self.new.utf8).write(to: folder.file("Rules.json"))
        let client = Client()
        try client.rules.load(Data(#"{"Old": {"Path": "old"}}"#.utf8))
        try client.rules.load(file: folder.file("Rules.json"))
        #expect(client.rules.names == ["New"])
        #expect(client.rules["New"]?.path == "new")
    }

    @Test("a missing file is a file error and leaves the rules unchanged") func noFile() throws {
        let client = Client()
        try client.rules.load(Data(Self.new.utf8))
        let error = #expect(throws: APIError.self) { try client.rules.load(file: URL(filePath: "/no/such/Rules.json")) }
        #expect(error?.kind == .file)
        #expect(client.rules.names == ["New"])
    }

    @Test("a file with one fault leaves the rules unchanged") func allOrNone() throws {
        let client = Client()
        try client.rules.load(Data(Self.new.utf8))
        #expect(throws: RuleFaults.self) { try client.rules.load(Data(#"{"A": {"Path": "a"}, "B": {"Path": 1}}"#.utf8)) }
        #expect(client.rules.names == ["New"])
    }

    @Test(
        "rules from a server may only use the hosts of the app",
        arguments: [
            #"{"New": {"Base": "https://evil.example/", "Path": "new"}}"#,
            #"{"DEFAULT": {"Base": "https://evil.example/"}, "New": {"Path": "new"}}"#,
            #"{"New": {"Path": "https://evil.example/new"}}"#, #"{"@a": {"New": {"Base": "http://example.com/", "Path": "new"}}}"#,
            #"{"New": {"Path": "https://{h}.evil.example/new", "Parameters": {"h": "a"}}}"#,
            #"{"New": {"Path": "https://evil.example:{p}/new"}}"#, #"{"New": {"Path": "https://evil.example/{id}"}}"#,
            #"{"New": {"Base": "//evil.example/", "Path": "new"}}"#, #"{"New": {"Base": "evil.example", "Path": "new"}}"#,
        ]) func foreign(rules: String) async throws
    {
        let server = try Server(.json(rules))
        let client = try server.client()
        let error = await #expect(throws: RuleFaults.self) {
            try await client.rules.load(from: client.get("/rules"), keepingCopyIn: server.copy)
        }
        let named = ["evil.example", "http://example.com", "host that cannot be read"]
        #expect(named.contains { error?.description.contains($0) == true })
        #expect(client.rules.names == ["Old"])
        #expect(server.folder.names == [])
    }

    @Test("rules from a server may use the hosts of tags")
    func own() async throws {
        let server = try Server(.json(#"{"New": {"Base": "https://forum.example.com/api/", "Path": "new"}}"#))
        let client = try server.client()
        client.configure("forum") { $0.host = "https://forum.example.com" }
        try await client.rules.load(from: client.get("/rules"), keepingCopyIn: server.copy)
        #expect(client.rules.names == ["New"])
    }

    @Test("rules of a server may name another origin only where the app allows it")
    func allowed() async throws {
        let rules = TransportResponse.json(#"{"New": {"Base": "https://other.example.com/api/", "Path": "new"}}"#)
        let server = try Server(rules, rules)
        let client = try server.client()
        let request = client.get("/rules")
        let faults = await #expect(throws: RuleFaults.self) { try await client.rules.load(from: request, keepingCopyIn: server.copy) }
        #expect(faults?.faults.first?.path == "New.Base")
        try await client.rules.load(from: request, keepingCopyIn: server.copy, allowing: ["https://other.example.com"])
        #expect(try await client.request(named: "New").preview().sentLine == "GET https://other.example.com/api/new")
    }

    @Test("rules from a server are used and saved as a copy") func server() async throws {
        let server = try Server(.json(Self.new))
        let client = try server.client()
        let origin = try await client.rules.load(from: client.get("/rules"), keepingCopyIn: server.copy)
        guard case .server = origin else { return #expect(Bool(false), "\(origin)") }
        #expect(client.rules.names == ["New"])
        #expect(try String(contentsOf: server.copy, encoding: .utf8) == Self.new)
        #expect(server.folder.names == ["Rules.json"])
    }

    @Test(
        "if the server is unreachable or sends faulty rules, the client uses the saved copy and leaves it unchanged",
        arguments: [nil, .status(500), .json(wrong), .text("<html></html>")] as [TransportResponse?])
    func copy(answer: TransportResponse?) async throws {
        let server = try answer.map { try Server(.json(Self.new), $0) } ?? Server(.json(Self.new))
        let client = try server.client()
        try await client.rules.load(from: client.get("/rules"), keepingCopyIn: server.copy)
        try client.rules.load(Data(#"{"Old": {"Path": "old"}}"#.utf8))
        let origin = try await client.rules.load(from: client.get("/rules"), keepingCopyIn: server.copy)
        guard case .cache(let reason) = origin else { return #expect(Bool(false), "\(origin)") }
        #expect(reason is APIError || reason is RuleFaults)
        #expect(client.rules.names == ["New"])
        #expect(try String(contentsOf: server.copy, encoding: .utf8) == Self.new)
    }

    @Test("keys and values that this version does not know are left out of a server's rules and reported") func newer() async throws {
        let file = """
            {"DEFAULT": {"Colour": 1}, "A": {"Path": "a", "Retry": {"Limit": 2}, "Cache Policy": 3, "Expire": "60"},
             "B": {"Path": "b", "Cache Policy": 9, "Response Type": 2}}
            """
        let server = try Server(.json(file))
        let client = try server.client()
        let events = Recorder<DiagnosticEvent>()
        client.onDiagnostic { events.note($0) }
        let origin = try await client.rules.load(from: client.get("/rules"), keepingCopyIn: server.copy)
        guard case .server = origin else { return #expect(Bool(false), "\(origin)") }
        #expect(client.rules.names == ["A", "B"])
        #expect(client.rules["A"]?.expire == .seconds(60))
        #expect(client.rules["B"]?.cachePolicy == nil && client.rules["B"]?.responseType == .object)
        #expect(events.events.map(\.kind) == [.rules])
        let message = try #require(events.events.first?.message)
        #expect(message.contains("DEFAULT.Colour: rules have no such key; A.Retry: rules have no such key; B.Cache Policy: wanted one of"))
        // The copy may also have keys of a newer version, because it comes from the server.
        try client.rules.load(Data(#"{"Old": {"Path": "old"}}"#.utf8))
        guard case .cache = try await client.rules.load(from: client.get("/rules"), keepingCopyIn: server.copy) else {
            return #expect(Bool(false), "the copy was not used")
        }
        #expect(client.rules.names == ["A", "B"])
        // The app's own file is as old as the app, so that an unknown key is a mistake.
        #expect(throws: RuleFaults.self) { try client.rules.load(Data(file.utf8)) }
    }

    @Test("without a copy, loading throws the error and leaves the rules unchanged") func nothing() async throws {
        let server = try Server(.json(Self.wrong))
        let client = try server.client()
        await #expect(throws: RuleFaults.self) {
            try await client.rules.load(from: client.get("/rules"), keepingCopyIn: server.copy)
        }
        let error = await #expect(throws: APIError.self) {
            try await client.rules.load(from: client.get("/rules"), keepingCopyIn: server.copy)
        }
        #expect(error?.kind == .offline)
        #expect(client.rules.names == ["Old"])
        #expect(server.folder.names == [])
    }

    @Test("each client has its own rules, and a client that is made like another one has its rules") func scope() async throws {
        let client = Client()
        try client.rules.load(Data(Self.new.utf8))
        #expect(Client().rules.names.isEmpty)
        let copy = Client(transport: ClosureTransport { _ in .json("1") }, timers: SystemClock.shared, like: client)
        #expect(copy.rules.names == ["New"])
    }
}
