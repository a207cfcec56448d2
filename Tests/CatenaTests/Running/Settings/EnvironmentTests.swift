import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite(.limitedParallelism) struct EnvironmentTests {
    private final class Memory: EnvironmentStore {
        struct Full: Error {}
        private let name: Mutex<String?>
        private let isFull: Bool

        init(_ name: String? = nil, isFull: Bool = false) {
            self.name = Mutex(name)
            self.isFull = isFull
        }

        func load() -> String? { name.withLock { $0 } }

        func save(_ name: String) throws {
            if isFull { throw Full() }
            self.name.withLock { $0 = name }
        }
    }

    private let forum: Catena.Tag = "forum"

    @Test("switching sends the next calls to the other servers")
    func switching() async throws {
        let client = silentClient {
            $0.configure("forum") { $0.hosts = [.production: "https://forum.example.com", .staging: "http://10.0.0.7:8080/forum"] }
        }
        #expect(client.environments.current == .production)
        #expect(try await client.tag(forum).get("/a").preview().address.text == "https://forum.example.com/a")
        client.environments.current = .staging
        #expect(try await client.tag(forum).get("/a").preview().address.text == "http://10.0.0.7:8080/forum/a")
    }

    @Test("in an environment without a host a call is rejected, although other environments have one")
    func missingHost() async throws {
        let client = silentClient {
            $0.defaultHost = "https://default.example.com"
            $0.configure("forum") {
                $0.host = "https://fixed.example.com"
                $0.hosts = [.production: "https://forum.example.com", .staging: "bro ken"]
            }
        }
        client.environments.current = "canary"
        let error = await client.tag(forum).get("/a").previewFault()
        #expect(error?.kind == .invalidRequest)
        #expect(error?.message == "host: there is none for the environment \"canary\", only for: production, staging")
        client.environments.current = .staging
        #expect(await client.tag(forum).get("/a").previewFault()?.message.contains("is not a host name") == true)
    }

    @Test("settings take precedence in this order: tag in the environment, tag, defaults in the environment, defaults")
    func layers() async throws {
        let client = silentClient {
            $0.configureDefaults { $0.headers = ["X-1": "defaults", "X-2": "defaults", "X-3": "defaults", "X-4": "defaults"] }
            $0.environments.configureDefaults(in: .staging) {
                $0.headers = ["X-1": "staging", "X-2": "staging", "X-3": "staging"]
                $0.host = "https://staging.example.com"
            }
            $0.configure("forum") { $0.headers = ["X-1": "forum", "X-2": "forum"] }
            $0.environments.configure("forum", in: .staging) { $0.headers = ["X-1": "forum in staging"] }
            $0.environments.configure("new", in: .staging) { $0.host = "https://new.example.com" }
            $0.defaultHost = "https://example.com"
        }
        func values() async throws -> [String] {
            let request = try await client.tag(forum).get("/a").preview()
            return (1...4).compactMap { request.headers["X-\($0)"] } + [request.address.host]
        }
        #expect(try await values() == ["forum", "forum", "defaults", "defaults", "example.com"])
        client.environments.current = .staging
        #expect(try await values() == ["forum in staging", "forum", "staging", "defaults", "staging.example.com"])
        #expect(try await client.tag("new").get("/a").preview().address.host == "new.example.com")
        #expect(try await client.get("/a").preview().headers["X-1"] == "staging")
    }

    @Test("a call in progress keeps its environment")
    func underWay() async throws {
        let stubs = Stubs()
        stubs.get("/a").reply(status: 503)
        let client = Client(testing: stubs)
        client.configure(forum) {
            $0.hosts = [.production: "https://forum.example.com", .staging: "https://staging.example.com"]
            $0.retry = .exponential(limit: 1)
        }
        client.commonHeaders { [weak client] _ in
            client?.environments.current = .staging
            return [:]
        }
        _ = try? await client.tag(forum).get("/a").value()
        #expect(stubs.requests.compactMap(\.sent?.address.host) == ["forum.example.com", "forum.example.com"])
        #expect(try await client.tag(forum).get("/a").preview().address.host == "staging.example.com")
    }

    @Test("the selected environment is stored and restored")
    func memory() {
        let store = Memory()
        let client = silentClient()
        client.environments.remember(in: store, among: [.production, .staging])
        #expect(client.environments.current == .production)
        client.environments.current = .staging
        let next = silentClient()
        next.environments.remember(in: store, among: [.production, .staging])
        #expect(next.environments.current == .staging)
    }

    @Test("a test account can switch to demonstration servers, which the next start uses too")
    func demonstrations() async throws {
        let demo: API.Environment = "demo"
        let store = Memory()
        func started() -> Client {
            let client = silentClient {
                $0.configure("forum") { $0.hosts = [.production: "https://forum.example.com", demo: "https://demo.example.com"] }
            }
            client.environments.remember(in: store, among: [.production, demo])
            return client
        }
        func signIn(as name: String, on client: Client) { if name == "visitor" { client.environments.current = demo } }
        let client = started()
        signIn(as: "ann", on: client)
        #expect(try await client.tag(forum).get("/a").preview().address.host == "forum.example.com")
        signIn(as: "visitor", on: client)
        #expect(try await client.tag(forum).get("/a").preview().address.host == "demo.example.com")
        #expect(try await started().tag(forum).get("/a").preview().address.host == "demo.example.com")
    }

    @Test("an unknown stored name and a choice that cannot be stored are reported")
    func reports() {
        let client = silentClient()
        let events = Recorder<DiagnosticEvent>()
        client.onDiagnostic { events.note($0) }
        client.environments.remember(in: Memory("gone", isFull: true), among: [.production, .staging])
        #expect(client.environments.current == .production)
        client.environments.current = .staging
        #expect(client.environments.current == .staging)
        #expect(events.events.map(\.kind) == [.environment, .environment])
        #expect(events.events.first?.message == "The stored environment \"gone\" is unknown; known are: production, staging.")
    }

    #if compiler(>=6.3) && (os(Linux) || os(macOS))
    @Test("values in the user defaults are available in another process")
    func nextProcess() async throws {
        let suite = "catena.tests.\(UUID().uuidString)"
        defer { HostOverrideTests.removeSettings(suite) }
        await #expect(processExitsWith: .success) { [suite = suite as String] in
            try DefaultsEnvironmentStore(suite: suite).save("staging")
            try DefaultsHostStore(suite: suite).save(["forum": "http://10.0.0.7"])
            // Ends the process without cleanup, as a kill does.
            _exit(0)
        }
        #expect(try DefaultsEnvironmentStore(suite: suite).load() == "staging")
        #expect(try DefaultsHostStore(suite: suite).load() == ["forum": "http://10.0.0.7"])
    }
    #endif

    @Test("the user defaults store an environment")
    func userDefaults() throws {
        let suite = "catena.tests.\(UUID().uuidString)"
        defer { HostOverrideTests.removeSettings(suite) }
        let store = DefaultsEnvironmentStore(suite: suite)
        #expect(try store.load() == nil)
        try store.save("staging")
        #expect(try DefaultsEnvironmentStore(suite: suite).load() == "staging")
    }
}
