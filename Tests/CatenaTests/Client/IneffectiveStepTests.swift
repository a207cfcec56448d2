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
}
