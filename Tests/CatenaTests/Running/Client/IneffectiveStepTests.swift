import Catena
import CatenaRules
import CatenaTesting
import Foundation
import TestSupport
import Testing

@Suite("Steps without effect", .limitedParallelism)
struct IneffectiveStepTests {
    private let stubs = Stubs()
    private let events = Recorder<DiagnosticEvent>()

    private func client() -> Client {
        let client = Client(testing: stubs)
        client.onDiagnostic { [events] in events.note($0) }
        stubs.on(nil, "/a").reply(json: 1)
        stubs.on(nil, "/busy").reply(status: 503)
        return client
    }

    @Test("each is reported once for its tag, with the reason")
    func once() async throws {
        let client = client()
        client.configure("forum") { $0.cache = .memory(limit: 1 << 16) }
        for _ in 0..<2 {
            try await client.get("/a").cache(.always).void()
            try await client.tag("forum").post("/a").cache(.always).void()
            try await client.get("/a").authenticated().void()
            try? await client.post("/busy").retry(.exponential(limit: 1)).void()
        }
        let messages = events.events.map(\.message)
        #expect(Set(events.events.map(\.kind)) == [.ineffectiveStep])
        #expect(messages.count == 4)
        for part in ["cache: there is no cache", #"the tag "forum""#, "authenticated: there is no sign-in", "retry: a POST"] {
            #expect(messages.count { $0.contains(part) } == 1, "\(messages)")
        }
    }

    @Test("what has an effect, and what the tag or a rule sets, is not")
    func silent() async throws {
        let client = client()
        client.configureDefaults { defaults in
            defaults.retry = .exponential(limit: 1)
            defaults.cachePolicy = .always
        }
        client.configure("forum") { forum in
            forum.cache = .memory(limit: 1 << 16)
            forum.authentication = .bearer("made-up")
        }
        try await client.tag("forum").get("/a").cache(.always).authenticated().void()
        try await client.tag("forum").post("/a").cache(.never).void()
        try? await client.post("/busy").void()
        try? await client.post("/busy").retry(.exponential(limit: 1)).set(\.idempotencyKey, .random).void()
        try? await client.post("/busy").retry(.exponential(limit: 1, methods: [.post])).void()
        try? await client.get("/busy").retry(.exponential(limit: 1)).void()
        try client.rules.load(dictionary: ["A": ["Path": "a", "Authorization": true, "Cache Policy": 2]])
        try await client.request(named: "A").void()
        #expect(events.events.map(\.message) == [])
    }

    @Test("a cache policy of a tag without a cache is reported once")
    func policyWithoutCache() async throws {
        let client = client()
        client.configure("forum") { $0.cachePolicy = .always }
        client.configure("wallet") { wallet in
            wallet.cachePolicy = .always
            wallet.cache = .memory(limit: 1 << 16)
        }
        for _ in 0..<2 {
            try await client.tag("forum").get("/a").void()
            try await client.tag("wallet").get("/a").void()
        }
        #expect(events.events.map(\.kind) == [.ineffectiveStep])
        #expect(events.events.first?.message.contains("cachePolicy: there is no cache") == true, "\(events.events)")
    }

    @Test("a cache on disk that cannot store the responses of a user without an id is reported once, and in explain()")
    func userWithoutID() async throws {
        let client = client()
        let folder = FileManager.default.temporaryDirectory.appending(path: "catena-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        client.configure("forum") { forum in
            forum.authentication = .bearer { "made-up" }
            forum.cache = .disk(folder: folder, limit: 100_000)
        }
        stubs.get("/kept").reply { _ in .json(1).header("Cache-Control", "max-age=60") }
        let request = client.tag("forum").get("/kept")
        for _ in 0..<2 { try await request.void() }
        #expect(events.events.map(\.kind) == [.ineffectiveStep])
        #expect(events.events.first?.message.contains("an id") == true, "\(events.events)")
        #expect(request.explain().contains("not stored"), "\(request.explain())")
    }
}
