import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite(.limitedParallelism) struct HostOverrideTests {
    private final class Memory: HostStore {
        struct Broken: Error {}
        private let hosts: Mutex<[String: String]>
        private let isBroken: Bool

        init(_ hosts: [String: String] = [:], isBroken: Bool = false) {
            self.hosts = Mutex(hosts)
            self.isBroken = isBroken
        }

        func load() throws -> [String: String] {
            if isBroken { throw Broken() }
            return hosts.withLock { $0 }
        }

        func save(_ hosts: [String: String]) throws {
            if isBroken { throw Broken() }
            self.hosts.withLock { $0 = hosts }
        }
    }

    private let forum: Catena.Tag = "forum"

    @Test(
        "an override replaces the host of a tag until it is removed, wherever that host was configured",
        arguments: ["host", "hosts", "environment", "provider", "default"])
    func override(place: String) async throws {
        let client = silentClient { client in
            client.defaultHost = "https://example.com"
            client.configure("wallet") { $0.host = "https://wallet.example.com" }
            switch place {
            case "host": client.configure("forum") { $0.host = "https://example.com" }
            case "hosts": client.configure("forum") { $0.hosts = [.production: "https://example.com"] }
            case "environment": client.environments.configure("forum", in: .production) { $0.host = "https://example.com" }
            case "provider": client.configure("forum") { $0.hostProvider = HostTable(["forum": "https://example.com"]) }
            default: break
            }
        }
        func address(_ tag: Catena.Tag?) async throws -> String { try await client.tag(tag).get("/a").preview().address.text }
        client.environments.overrideHost(of: forum, with: "http://10.0.0.7:8080/api")
        #expect(try await address(forum) == "http://10.0.0.7:8080/api/a")
        #expect(try await [address("wallet"), address(nil)] == ["https://wallet.example.com/a", "https://example.com/a"])
        #expect(client.environments.hostOverrides == [forum: "http://10.0.0.7:8080/api"])
        client.environments.overrideHost(of: forum, with: nil)
        #expect(try await address(forum) == "https://example.com/a")
        #expect(client.environments.hostOverrides.isEmpty)
    }

    @Test("a call's own host, address and key take precedence over an override, which keeps the tag's headers")
    func ownPlaces() async throws {
        let client = silentClient { client in
            client.configureDefaults { $0.hostProvider = HostTable(["cards": "https://cards.example.com"]) }
            client.configure("forum") {
                $0.host = "https://example.com"
                $0.headers = ["X-App": "forum"]
            }
            client.commonHeaders { _ in ["X-Token": "made-up"] }
        }
        client.environments.overrideHost(of: forum, with: "http://10.0.0.7")
        let call = client.tag(forum).get("/a")
        #expect(try await call.host("https://own.example.com").preview().address.host == "own.example.com")
        #expect(try await call.host(key: "cards").preview().address.host == "cards.example.com")
        #expect(try await call.absoluteURL("https://else.example.com/a").preview().headers["X-Token"] == nil)
        let sent = try await call.preview()
        #expect(sent.address.host == "10.0.0.7")
        #expect([sent.headers["X-App"], sent.headers["X-Token"]] == ["forum", "made-up"])
    }

    @Test("an invalid override rejects the calls of its tag and sends them nowhere else")
    func mistake() async throws {
        let client = silentClient { $0.defaultHost = "https://example.com" }
        client.environments.overrideHost(of: forum, with: "bro ken")
        let error = await client.tag(forum).get("/a").previewFault()
        #expect(error?.kind == .invalidRequest && error?.message.contains("is not an address") == true)
        #expect(try await client.get("/a").preview().address.host == "example.com")
    }

    @Test("overrides and their removal survive a restart")
    func memory() {
        let store = Memory()
        func restarted() -> Client {
            let client = silentClient()
            client.environments.rememberHostOverrides(in: store)
            return client
        }
        let first = restarted()
        #expect(first.environments.hostOverrides.isEmpty)
        first.environments.overrideHost(of: forum, with: "http://10.0.0.7")
        first.environments.overrideHost(of: "wallet", with: "http://10.0.0.8")
        let second = restarted()
        #expect(second.environments.hostOverrides == [forum: "http://10.0.0.7", "wallet": "http://10.0.0.8"])
        second.environments.overrideHost(of: forum, with: nil)
        #expect(restarted().environments.hostOverrides == ["wallet": "http://10.0.0.8"])
    }

    @Test("a store that can neither be read nor written is reported, and the override applies in this run")
    func reports() {
        let client = silentClient()
        let events = Recorder<DiagnosticEvent>()
        client.onDiagnostic { events.note($0) }
        client.environments.rememberHostOverrides(in: Memory(isBroken: true))
        client.environments.overrideHost(of: forum, with: "http://10.0.0.7")
        #expect(client.environments.hostOverrides == [forum: "http://10.0.0.7"])
        #expect(events.events.map(\.kind) == [.environment, .environment])
        #expect(events.events.last?.message.hasPrefix("The host of \"forum\" could not be stored") == true)
    }

    @Test("the user defaults store overrides, and a value of another type throws")
    func userDefaults() throws {
        let suite = "catena.tests.\(UUID().uuidString)"
        defer { Self.removeSettings(suite) }
        let store = DefaultsHostStore(suite: suite)
        #expect(try store.load().isEmpty)
        try store.save(["forum": "http://10.0.0.7"])
        #expect(try DefaultsHostStore(suite: suite).load() == ["forum": "http://10.0.0.7"])
        try store.save([:])
        #expect(try store.load().isEmpty)
        try UserSettings(suite: suite).set("text", for: "catena.hosts")
        #expect(throws: APIError.self) { try store.load() }
    }

    #if !canImport(Darwin)
    @Test("saves at the same time keep each other's entries")
    func together() async throws {
        let suite = "catena.tests.\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(at: UserSettings(suite: suite).file) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 { group.addTask { try UserSettings(suite: suite).set("\(number)", for: "key \(number)") } }
            try await group.waitForAll()
        }
        for number in 0..<20 { #expect(try UserSettings(suite: suite).text(for: "key \(number)") == "\(number)") }
    }

    @Test("a save keeps entries of other types, and a file that is not JSON fails with its path")
    func others() throws {
        let suite = "catena/tests\u{301}.\(UUID().uuidString)"
        let store = DefaultsHostStore(suite: suite)
        try store.save(["forum": "http://10.0.0.7"])
        let file = UserSettings(suite: suite).file
        defer { try? FileManager.default.removeItem(at: file) }
        func replace(_ text: String) throws {
            try Data(text.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        }
        try replace(#"{"catena.environment": "staging", "later": [1, {"a": null}], "catena.hosts": {"forum": 1}}"#)
        #expect(try DefaultsEnvironmentStore(suite: suite).load() == "staging")
        #expect(throws: APIError.self) { try store.load() }
        try store.save(["wallet": "http://10.0.0.8"])
        #expect(try store.load() == ["wallet": "http://10.0.0.8"])
        let saved = try JSONDecoder().decode([String: JSON].self, from: Data(contentsOf: file))
        #expect(saved["later"] == JSON(array: [1, ["a": nil]]))
        #expect(saved.count == 3)
        try replace("{")
        for work in [{ _ = try store.load() }, { try store.save([:]) }] {
            let error = #expect(throws: APIError.self) { try work() }
            #expect(error?.kind == .file && error?.message.contains(file.path) == true, "\(error as Any)")
        }
    }
    #endif

    /// Removes the settings of a suite.
    static func removeSettings(_ suite: String) {
        #if !canImport(Darwin)
        for key in ["catena.hosts", "catena.environment"] { try? UserSettings(suite: suite).set(nil, for: key) }
        #else
        UserDefaults(suiteName: suite)?.removePersistentDomain(forName: suite)
        #endif
    }
}
