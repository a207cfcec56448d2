#if os(Linux) || os(macOS)
import Catena
import CatenaRules
import CatenaTesting
import Foundation
import Testing

/// Promises of the pages in Docs/Migration, besides that their code compiles.
@Suite("Migration pages", .limitedParallelism) struct MigrationTests {
    private static let folder = URL.packageRoot.appending(path: "Docs/Migration")

    private static func page(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    @Test("the index names every page") func index() throws {
        let pages = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter {
            $0.hasSuffix(".md") && $0 != "README.md"
        }
        let index = try Self.page("README.md")
        #expect(pages.count >= 5)
        #expect(pages.filter { !index.contains("](\($0))") } == [])
    }

    @Test("the rule file of the RFAPI page loads unchanged, and its requests are sent as before")
    func ruleFile() async throws {
        let page = try Self.page("RFAPI.md")
        let block = try #require(page.firstMatch(of: /```json\n((?s).*?)\n```/)).1
        struct Topic: Decodable, Sendable {}
        let client = Client(transport: ClosureTransport { _ in .json("{}") })
        client.rules.register(Topic.self, as: "TopicModel")
        try client.rules.load(Data(block.utf8))
        #expect(client.rules.names == ["Login", "NewTopic", "Topic", "TopicList"])

        let list = try await client.request(named: "TopicList").preview()
        #expect(list.address.text == "https://forum.example.com/api/topics?page=1")
        #expect(list.headers["X-App"] == "3.2")
        let topic = try await client.request(named: "Topic").params(["id": 7]).preview()
        #expect(topic.address.text == "https://forum.example.com/api/topics/7")
        let added = try await client.request(named: "NewTopic").params(["title": "a"]).preview()
        #expect(added.address.text == "https://forum.example.com/api/v2/topics")
        #expect(added.body.map { String(decoding: $0, as: UTF8.self) } == #"{"title":"a"}"#)
        let login = try await client.request(named: "Login").params(["user": "a b"]).preview()
        #expect(login.body.map { String(decoding: $0, as: UTF8.self) } == "user=a%20b")
    }

    @Test("a rule file with a value that RFAPI silently misread does not load")
    func wrongRule() throws {
        let error = #expect(throws: RuleFaults.self) { try RuleSet(parsing: Data(#"{"A": {"Path": "a", "Expire": "60"}}"#.utf8)) }
        #expect(error?.faults.map(\.path) == ["A.Expire"])
    }

    @Test("the envelope of the DanXi page decodes the whole body, and reads the message of an error")
    func danxi() async throws {
        let stubs = Stubs()
        let client = Client(testing: stubs)
        client.defaultHost = "https://forum.example.com"
        client.configureDefaults { $0.envelope = .raw.message("message") }
        stubs.get("/hole").reply(json: ["code": 7, "data": 1, "message": "kept"])
        stubs.post("/holes").reply(.json(["message": "too long"], status: 400))

        #expect(try await client.get("/hole").value() == ["code": 7, "data": 1, "message": "kept"])
        let error = await #expect(throws: APIError.self) { try await client.post("/holes").value() }
        #expect(error?.status == 400)
        #expect(error?.message == "too long")
    }

    @Test("the interceptor of the DanXi page signs in again after an HTML page instead of JSON")
    func loginPage() async throws {
        let stubs = Stubs()
        let client = Client(testing: stubs)
        client.defaultHost = "https://campus.example.com"
        stubs.get("/courses").sequence(.text("<html>Sign in</html>", contentType: "text/html; charset=utf-8"), .json([1]))
        let signIns = AtomicCounter()
        client.intercept("login page") { call, next in
            do {
                return try await next(call)
            } catch let error as APIError where error.response?.headers["Content-Type"]?.hasPrefix("text/html") == true {
                signIns.add(1)
                return try await next(call)
            }
        }

        #expect(try await client.get("/courses").value(as: [Int].self) == [1])
        #expect(signIns.count == 1)
    }
}
#endif
