import CatenaRules
import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Values that an origin receives", .limitedParallelism)
struct DestinationTests {
    private struct Marker: RequestSigner {
        func sign(_ request: inout HTTPRequest, params: Params) { request.headers["X-Sign"] = "signed" }
    }

    /// Creates a client with common values, profile values, a signature, a trace and a credential.
    private func client(_ change: (inout Profile) -> Void = { $0.host = "https://forum.test/api" }) -> Client {
        let client = silentClient()
        client.commonHeaders { _ in ["X-Common": "c"] }
        client.commonParams { _ in ["common": 1] }
        client.configure("forum") { forum in
            forum.headers["X-Profile"] = "p"
            forum.params["profile"] = 1
            forum.signer = Marker()
            forum.sendsTraceparent = true
            forum.authentication = Authentication(CountingScheme(), store: MemoryCredentialStore(.first))
            change(&forum)
        }
        return client
    }

    /// Returns the kinds of these values that a request has.
    private func taken(_ request: Request) async throws -> [String] {
        let sent = try await request.preview()
        #expect(sent.headers["User-Agent"] == "Catena" && sent.headers["X-Own"] == "o" && sent.address.query?.contains("own=1") == true)
        let headers = [("X-Common", "common"), ("X-Profile", "profile"), ("X-Token", "credential"), ("X-Sign", "signature")]
        let params = [("common=1", "common param"), ("profile=1", "profile param")]
        return headers.filter { sent.headers.contains($0.0) }.map(\.1)
            + params.filter { sent.address.query?.contains($0.0) == true }.map(\.1)
    }

    private static let everything = ["common", "profile", "credential", "signature", "common param", "profile param"]

    private static func own(_ request: Request) -> Request { request.header("X-Own", "o").query(["own": 1]) }

    static let rows: [(name: String, request: @Sendable (Request) -> Request, taken: [String])] = [
        ("home", { $0.get("/a") }, everything),
        ("home by host", { $0.host("https://forum.test/other").get("/a") }, everything),
        ("home by address", { $0.absoluteURL("https://FORUM.test:443/x") }, everything),
        ("another host", { $0.host("https://other.test").get("/a") }, []),
        ("another scheme", { $0.host("http://forum.test").get("/a") }, []),
        ("another port", { $0.host("forum.test:8443").get("/a") }, []),
        ("another address", { $0.absoluteURL("https://other.test/a") }, []),
        ("a backslash", { $0.absoluteURL("https://forum.test.evil.test/a") }, []),
        ("signed in there", { $0.host("https://other.test").get("/a").authenticated() }, ["credential", "signature"]),
        ("headers there", { $0.host("https://other.test").get("/a").commonHeaders(.merged) }, ["common", "profile"]),
        ("params there", { $0.host("https://other.test").get("/a").commonParams(.query) }, ["common param", "profile param"]),
        (
            "an address asks in vain",
            { $0.absoluteURL("https://other.test/a").authenticated().commonHeaders(.merged).commonParams(.query) }, []
        ),
    ]

    @Test("common values, profile values, credential and signature go only to the origin of the tag's host", arguments: rows.indices)
    func origins(row: Int) async throws {
        let row = Self.rows[row]
        #expect(try await taken(Self.own(row.request(client().tag("forum")))) == row.taken)
    }

    @Test("a call to another origin is explained, and reported once for each tag, and runs no common closure")
    func reported() async throws {
        let asked = Counter()
        let client = client()
        client.commonHeaders { _ in
            asked.increment()
            return [:]
        }
        client.commonParams { _ in
            asked.increment()
            return [:]
        }
        let events = Recorder<DiagnosticEvent>()
        client.onDiagnostic { events.note($0) }
        let request = client.tag("forum").host("https://other.test").get("/a")
        for _ in 0..<2 { _ = try await request.preview() }
        #expect(asked.count == 0)
        #expect(events.events.map(\.kind) == [.otherOrigin])
        #expect(
            events.events.first?.message == """
                A call with the tag "forum" goes to https://other.test, which is not its usual host, so without common params, \
                common headers, credential, signature; commonParams(.query), commonHeaders(.merged) and authenticated() ask for them.
                """)
        let told = "goes to another origin than its tag's host, so without common params, common headers, credential, signature"
        #expect(request.explain().contains(told) && !request.explain().contains("for every attempt"))
    }

    @Test(
        "a call to its tag's host, or with explicit settings for another one, is not reported",
        arguments: [
            { $0.get("/a") }, { $0.host("https://other.test").get("/a").commonParams(.query).commonHeaders(.merged).authenticated() },
            { $0.host("https://other.test").get("/a").commonParams(.none).commonHeaders(.none).authenticated() },
        ] as [@Sendable (Request) -> Request])
    func unreported(make: @Sendable (Request) -> Request) async throws {
        let client = client()
        let events = Recorder<DiagnosticEvent>()
        client.onDiagnostic { events.note($0) }
        let request = make(client.tag("forum"))
        _ = try await request.preview()
        #expect(events.events.map(\.message) == [])
        #expect(!request.explain().contains("another origin"))
    }

    @Test("without a configured host, the call's own host receives all values")
    func noHost() async throws {
        let client = client { _ in }
        #expect(try await taken(Self.own(client.tag("forum").host("https://any.test").get("/a"))) == Self.everything)
        let untagged = Self.own(client.host("https://any.test").get("/a"))
        #expect(try await taken(untagged) == ["common", "common param"])
        client.defaultHost = "https://default.test"
        #expect(try await taken(untagged) == [])
        #expect(try await taken(Self.own(client.tag("forum").get("/a"))) == Self.everything)
    }

    @Test("if only a provider knows the tag's host, the call's own host is another origin")
    func provider() async throws {
        let client = client { $0.hostProvider = HostTable(["forum": "https://forum.test"]) }
        #expect(try await taken(Self.own(client.tag("forum").get("/a"))) == Self.everything)
        #expect(try await taken(Self.own(client.tag("forum").host("https://forum.test").get("/a"))) == [])
    }

    @Test("the host of the selected environment receives all values")
    func environments() async throws {
        let client = client { $0.hosts = [.production: "https://forum.test", .staging: "https://staging.test"] }
        let request = Self.own(client.tag("forum").host("https://staging.test").get("/a"))
        #expect(try await taken(request) == [])
        client.environments.current = .staging
        #expect(try await taken(request) == Self.everything)
    }

    @Test("a rule's host receives all values, and a host that the call names instead receives none")
    func rules() async throws {
        let client = client()
        try client.rules.load(Data(#"{"A": {"Base": "https://base.test", "Path": "a", "Authorization": true}}"#.utf8))
        client.rules.authorizationHeaders = ["X-Rule": "r"]
        let request = Self.own(client.request(named: "A").tag("forum"))
        #expect(try await taken(request) == Self.everything)
        #expect(try await request.preview().headers["X-Rule"] == "r")
        let away = request.host("https://other.test")
        #expect(try await taken(away) == [])
        #expect(try await away.preview().headers["X-Rule"] == nil)
    }

    @Test("a test client sends common headers to any host until a default host is set")
    func testing() async throws {
        let stubs = Stubs()
        let client = Client(testing: stubs)
        client.commonHeaders { _ in ["X-Common": "c"] }
        #expect(try await client.host("https://any.test").get("/a").preview().headers["X-Common"] == "c")
        client.defaultHost = "https://default.test"
        #expect(try await client.host("https://any.test").get("/a").preview().headers["X-Common"] == nil)
    }
}
