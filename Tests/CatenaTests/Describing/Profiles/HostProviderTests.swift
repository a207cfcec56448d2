import CatenaRules
import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite(.limitedParallelism) struct HostProviderTests {
    private struct Asked: HostProvider {
        let keys = Recorder<HostKey>()
        let answer: @Sendable (HostKey) async throws -> String

        func host(for key: HostKey) async throws -> String {
            keys.note(key)
            return try await answer(key)
        }
    }

    private let forum: Catena.Tag = "forum"

    @Test(
        "a host may have a path, a port, no scheme, or be an IPv6 address",
        arguments: [
            ("https://h.example.com", "https://h.example.com/x"), ("//h.example.com", "https://h.example.com/x"),
            ("h.example.com", "https://h.example.com/x"), ("h.example.com:8080", "https://h.example.com:8080/x"),
            ("//h.example.com:8080", "https://h.example.com:8080/x"), ("http://h.example.com/api/", "http://h.example.com/api/x"),
            ("https://h.example.com/api", "https://h.example.com/api/x"), ("http://[::1]:8080/v1", "http://[::1]:8080/v1/x"),
            ("[2001:DB8::1]", "https://[2001:db8::1]/x"), ("localhost:9", "https://localhost:9/x"),
        ])
    func forms(host: String, address: String) async throws {
        let client = silentClient()
        client.configure(forum) { $0.hostProvider = HostTable(["forum": host]) }
        #expect(try await client.tag(forum).get("/x").preview().address.text == address)
        #expect(try await client.host(host).get("/x").preview().address.text == address)
    }

    @Test("the key is the call's, else the tag's name, else \"default\", and includes the environment")
    func keys() async throws {
        let provider = Asked { "https://\($0.name).example.com" }
        let client = silentClient {
            $0.configureDefaults { $0.hostProvider = provider }
            $0.environments.current = .staging
        }
        let addresses = [
            try await client.tag(forum).host(key: "cards").get("/a").preview(), try await client.tag(forum).get("/a").preview(),
            try await client.get("/a").preview(),
        ]
        #expect(addresses.map(\.address.host) == ["cards.example.com", "forum.example.com", "default.example.com"])
        let expected = [
            HostKey("cards", tag: forum, environment: .staging), HostKey("forum", tag: forum, environment: .staging),
            HostKey("default", environment: .staging),
        ]
        #expect(provider.keys.events == expected)
    }

    @Test("a tag whose host comes from the defaults' provider needs no configuration")
    func unconfiguredTag() async throws {
        let client = Client(testing: Stubs())
        let events = Recorder<DiagnosticEvent>()
        client.onDiagnostic { events.note($0) }
        client.configureDefaults { $0.hostProvider = HostTable(["forum": "https://forum.example.com"]) }
        #expect(try await client.tag(forum).get("/x").preview().address.host == "forum.example.com")
        #expect(events.events.map(\.message) == [])
    }

    @Test("a provider may suspend, and is called once for each call without its own host")
    func once() async throws {
        let provider = Asked { _ in
            await suspendOnce()
            return "https://found.example.com"
        }
        let stubs = Stubs()
        stubs.get("/a").reply(status: 503)
        let client = Client(testing: stubs)
        client.configure(forum) {
            $0.hostProvider = provider
            $0.retry = .exponential(limit: 2)
        }
        _ = try? await client.tag(forum).get("/a").value()
        #expect(stubs.requests.compactMap(\.sent?.address.host) == Array(repeating: "found.example.com", count: 3))
        #expect(provider.keys.count == 1)
        _ = try await client.tag(forum).host(key: "x").host("https://own.example.com").get("/a").preview()
        #expect(provider.keys.count == 1)
    }

    @Test("a call with an unknown host key is rejected and not sent to other hosts")
    func rejection() async throws {
        let client = silentClient {
            $0.defaultHost = "https://default.example.com"
            $0.configure("forum") {
                $0.host = "https://forum.example.com"
                $0.hostProvider = HostTable(["other": "https://other.example.com"])
            }
        }
        let error = await client.tag(forum).get("/a").header("Authorization", "made-up").previewFault()
        let expected = HostError.unknownKey(HostKey("forum", tag: forum))
        #expect(error?.underlying as? HostError == expected)
        #expect(error?.message == "host: no host is known under the key \"forum\" (production)")
        let executed = await #expect(throws: APIError.self) { try await client.tag(forum).get("/a").value() }
        #expect(executed?.underlying as? HostError == expected)
    }

    @Test(
        "an invalid address from a provider, and a key without a provider, reject the call",
        arguments: ["", "ftp://h", "http://", "a b", "https://u:p@h"])
    func mistakes(host: String) async throws {
        let client = silentClient { $0.configure("forum") { $0.hostProvider = HostTable(["forum": host]) } }
        let error = await client.tag(forum).get("/a").previewFault()
        #expect(error?.kind == .invalidRequest && error?.message.hasPrefix("host: what the provider says for the key \"forum\"") == true)
        let keyed = await silentClient().host("https://h").host(key: "cards").get("/a").previewFault()
        #expect(keyed?.message.hasPrefix("hostKey: there is no host provider") == true)
    }

    @Test("a tag's own host takes precedence over the provider of the defaults, except for a call with a key")
    func layers() async throws {
        let client = silentClient {
            $0.configureDefaults { $0.hostProvider = HostTable(["cards": "https://cards.example.com"]) }
            $0.configure("forum") { $0.host = "https://forum.example.com" }
        }
        #expect(try await client.tag(forum).get("/a").preview().address.host == "forum.example.com")
        #expect(try await client.tag(forum).host(key: "cards").get("/a").preview().address.host == "cards.example.com")
    }

    @Test("a call to its own address has common headers only if the provider names that origin as the tag's")
    func absolute() async throws {
        let client = silentClient {
            $0.configure("forum") { $0.hostProvider = HostTable(["forum": "https://forum.example.com"]) }
            $0.configure("lost") { $0.hostProvider = HostTable([:]) }
            $0.commonHeaders { _ in ["X-Token": "made-up"] }
        }
        let home = try await client.tag(forum).absoluteURL("https://forum.example.com/a").preview()
        let foreign = try await client.tag(forum).absoluteURL("https://else.example.com/a").preview()
        let unknown = try await client.tag("lost").absoluteURL("https://else.example.com/a").preview()
        #expect([home, foreign].map { $0.headers["X-Token"] } == ["made-up", nil])
        #expect(unknown.headers["X-Token"] == nil)
    }

    @Test("a rule's authorization is not sent to an absolute URL if only a provider knows the host, and a key overrides a rule's base")
    func rules() async throws {
        let client = silentClient { $0.configure("forum") { $0.hostProvider = HostTable(["cards": "https://cards.example.com"]) } }
        let rules =
            #"{"Away": {"Path": "https://away.test/x", "Authorization": true}, "Card": {"Base": "https://base.test", "Path": "card"}}"#
        try client.rules.load(Data(rules.utf8))
        client.rules.authorizationHeaders = ["X-Token": "made-up"]
        let away = try await client.request(named: "Away").tag(forum).preview()
        #expect(away.address.host == "away.test" && away.headers["X-Token"] == nil)
        let card = client.request(named: "Card").tag(forum)
        #expect(try await card.preview().address.text == "https://base.test/card")
        #expect(try await card.host(key: "cards").preview().address.text == "https://cards.example.com/card")
    }
}
