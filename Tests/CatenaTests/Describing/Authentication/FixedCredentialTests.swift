import CatenaTesting
import Testing

@testable import Catena

@Suite("Credentials that never change", .limitedParallelism)
struct FixedCredentialTests {
    private let stubs = Stubs()

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let authentication: any RequestAuthentication
        let header: (name: String, value: String)?
        let query: String?
    }

    static let rows = [
        Row(testDescription: "bearer", authentication: .bearer("made-up-1"), header: ("Authorization", "Bearer made-up-1"), query: nil),
        Row(
            testDescription: "basic", authentication: .basic(user: "ann", password: "made-up-2"),
            header: ("Authorization", "Basic YW5uOm1hZGUtdXAtMg=="), query: nil),
        Row(
            testDescription: "header", authentication: .apiKey("made-up-3", header: "X-API-Key"), header: ("X-API-Key", "made-up-3"),
            query: nil),
        Row(testDescription: "query", authentication: .apiKey("made-up-4", query: "key"), header: nil, query: "key=made-up-4"),
    ]

    @Test("a fixed credential is sent with every call of the tag, except authenticated(false), and never shown", arguments: rows)
    func sent(row: Row) async throws {
        let client = Client(testing: stubs)
        client.configure("forum") {
            $0.host = "https://forum.test"
            $0.authentication = row.authentication
        }
        stubs.get("/a").reply(data: 1)
        let request = client.tag("forum").get("/a")
        for _ in 0..<2 { try await request.execute(.void).value }
        try await request.authenticated(false).execute(.void).value
        let sent = stubs.requests.compactMap(\.sent)
        if let header = row.header { #expect(sent.map { $0.headers[header.name] } == [header.value, header.value, nil]) }
        #expect(sent.map(\.address.query) == [row.query, row.query, nil])
        let shown = try await request.curl() + request.explain() + "\(try await request.preview())"
        #expect(!shown.contains("made-up") && !shown.contains("bWFkZS11c"))
    }

    @Test("a refused fixed credential fails the call at once", arguments: rows)
    func refused(row: Row) async throws {
        let client = Client(testing: stubs)
        client.configure("forum") {
            $0.host = "https://forum.test"
            $0.authentication = row.authentication
        }
        stubs.get("/a").reply(status: 401)
        let error = await #expect(throws: APIError.self) { try await client.tag("forum").get("/a").execute(.void).value }
        #expect(error?.status == 401)
        #expect(stubs.requests.count == 1)
    }

    @Test(
        "with an empty secret no user is signed in, and no call is sent",
        arguments: [.bearer(""), .basic(user: "", password: ""), .apiKey("", header: "X-API-Key"), .apiKey("", query: "key")]
            as [any RequestAuthentication])
    func unset(authentication: any RequestAuthentication) async throws {
        let client = Client(testing: stubs)
        client.configure("forum") {
            $0.host = "https://forum.test"
            $0.authentication = authentication
        }
        let error = await #expect(throws: APIError.self) { try await client.tag("forum").get("/a").execute(.void).value }
        #expect(error?.kind == .missingCredential)
        #expect(stubs.requests.isEmpty)
    }

    @Test("equal secrets are one identity, different secrets are different ones")
    func users() throws {
        let keys: [any RequestAuthentication] = [.bearer("made-up"), .apiKey("made-up", header: "X-API-Key"), .bearer("other")]
        let identities = try keys.map { try $0.credentialSource.authentication.identity() }
        #expect(identities[0] == identities[1] && identities[0] != identities[2])
        #expect(identities[0]?.contains("made-up") == false)
    }

    @Test("the error of a call without a user names authenticated(false)")
    func nobody() async throws {
        let client = Client(testing: stubs)
        client.configure("forum") {
            $0.host = "https://forum.test"
            $0.authentication = Authentication(BearerAuthenticator())
        }
        let error = await #expect(throws: APIError.self) { try await client.tag("forum").get("/a").execute(.void).value }
        #expect(error?.message == "No user is signed in. Sign in first, or call authenticated(false) if the call needs no credential.")
    }
}
