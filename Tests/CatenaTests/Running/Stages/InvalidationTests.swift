import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Calls that make responses stale", .limitedParallelism)
struct InvalidationTests {
    let stubs = Stubs()
    let client: Client
    private let count = Counter()

    init() {
        client = Client(testing: stubs)
        client.configure("forum") { forum in
            forum.host = "https://forum.example.com/api"
            forum.cache = .memory(limit: 1_000_000)
            forum.cachePolicy = .expire(.seconds(600))
        }
        for path in ["/api", "/api/rooms/**", "/api/users"] {
            stubs.get(path).reply { [count] _ in
                count.increment()
                return .reply(data: count.count)
            }
        }
    }

    private var forum: Request { client.tag("forum") }

    /// Returns the paths whose responses are not in the cache any more, of those that have been loaded.
    private func stale(of paths: [String], after change: () async throws -> Void) async throws -> [String] {
        for path in paths { _ = try await forum.get(path).value(as: Int.self) }
        try await change()
        var stale: [String] = []
        for path in paths {
            let response = await forum.get(path).header("Cache-Control", "only-if-cached").result(of: Int.self)
            if response == nil { stale.append(path) }
        }
        return stale
    }

    @Test("a successful call makes the responses of its paths stale, and no others", arguments: [false, true])
    func paths(isOnDisk: Bool) async throws {
        let folder = TemporaryFolder()
        if isOnDisk {
            client.configure("forum") { $0.cache = .disk(folder: folder.url, limit: 1_000_000) { error in Issue.record(error) } }
        }
        stubs.post("/api/rooms/7/rename").reply(data: true)
        let stale = try await stale(of: ["/rooms", "/rooms?page=2", "/rooms/7", "/rooms/8", "/rooms/7/users", "/users"]) {
            try await forum.post("/rooms/7/rename").set(\.invalidates, ["/rooms", "/rooms/*"]).void()
        }
        #expect(stale == ["/rooms", "/rooms?page=2", "/rooms/7", "/rooms/8"])
    }

    @Test("a pattern for everything makes every response of the host stale, at any number of responses, and none of another host")
    func everything() async throws {
        stubs.get("https://other.example.com/a").reply(data: 1)
        stubs.delete("/api/rooms").reply(data: true)
        let other = forum.absoluteURL("https://other.example.com/a")
        _ = try await other.value(as: Int.self)
        let paths = (0..<200).map { "/rooms/\($0)" } + ["/"]
        let stale = try await stale(of: paths) { try await forum.delete("/rooms").set(\.invalidates, ["/**"]).void() }
        #expect(stale == paths)
        #expect(try await other.response(as: Int.self).source == .cache)
    }

    private static let outcomes: [(name: String, reply: StubReply, isStale: Bool)] = [
        ("success", .reply(data: true), true), ("created", .reply(data: true, status: 201), true),
        ("no content", .status(204), true),
        ("bad request", .status(400), false), ("server error", .status(500), false), ("unavailable", .status(503), false),
        ("failing code", .reply(code: 5), false),
        // The outcome is unknown.
        ("lost", .connectionLost, true), ("timeout", .timeout, true), ("no JSON", .malformedJSON, true),
        // Nothing has arrived.
        ("offline", .offline, false), ("tls", .tlsFailure, false),
    ]

    @Test(
        "the outcome of the call decides: a server's failure changes nothing, and an unknown outcome may have",
        arguments: outcomes.map(\.name))
    func outcome(name: String) async throws {
        let row = try #require(Self.outcomes.first { $0.name == name })
        stubs.post("/api/rename").reply(row.reply)
        let stale = try await stale(of: ["/rooms"]) { _ = await forum.post("/rename").set(\.invalidates, ["/rooms"]).result(of: JSON.self) }
        #expect(stale == (row.isStale ? ["/rooms"] : []))
    }

    @Test("a call that is retried after an unknown outcome may have changed something, even if it then finds no way to the server")
    func retriedOutcome() async throws {
        stubs.put("/api/rename").sequence(.connectionLost, .connectionLost, .failure(.connect))
        let stale = try await stale(of: ["/rooms"]) {
            let request = forum.put("/rename").retry(.exponential(limit: 2, baseDelay: .zero)).set(\.invalidates, ["/rooms"])
            await #expect(throws: APIError.self) { try await request.void() }
        }
        #expect(stale == ["/rooms"])
    }

    @Test("a call that is stopped after it was sent may have changed something", arguments: [true, false])
    func stopped(isCancelled: Bool) async throws {
        stubs.post("/api/rename").reply(.unanswered)
        let stale = try await stale(of: ["/rooms"]) {
            var rename = forum.post("/rename").set(\.invalidates, ["/rooms"])
            if !isCancelled { rename = rename.deadline(.seconds(5)) }
            let call = Task { [rename] in try await rename.void() }
            await stubs.requestsReceived(2)
            if isCancelled { call.cancel() }
            await #expect(throws: (any Error).self) { try await call.value }
            await client.waitUntilIdle()
        }
        #expect(stale == ["/rooms"])
    }

    /// A reason why a call is not sent.
    enum Refusal: CaseIterable { case breaker, rate, concurrency, credential, shutdown }

    @Test("a call that a limit, the sign-in or a shutdown refuses makes nothing stale", arguments: Refusal.allCases)
    func refused(refusal: Refusal) async throws {
        let cache = ResponseCache.memory(limit: 1_000_000)
        client.configure("forum") { $0.cache = cache }
        _ = try await forum.get("/rooms").value(as: Int.self)
        let size = cache.size
        let (gate, resolver) = Promise<Void>.pending()
        stubs.get("/api/other").reply { _ in
            if refusal == .concurrency { try await gate.value }
            return .status(503)
        }
        var rename = forum.post("/rename").set(\.invalidates, ["/**"])
        switch refusal {
        case .breaker:
            client.configure("forum") { $0.circuitBreaker = CircuitBreakerPolicy(minimumCalls: 2) }
            for _ in 0..<2 { _ = try? await forum.get("/other").void() }
        case .rate:
            client.configure("forum") { $0.rateLimits = [RateLimit(1, per: .seconds(600))] }
            _ = try? await forum.get("/other").void()
            rename = rename.deadline(.seconds(1))
        case .concurrency:
            client.configure("forum") { $0.maxConcurrentCalls = ConcurrencyLimit(1, maxWaiting: 0) }
            _ = forum.get("/other").execute(.void)
            await stubs.requestsReceived(2)
        case .credential:
            let nobody = Authentication(CountingScheme(), store: MemoryCredentialStore<Stamp>(nil))
            client.configure("forum") { $0.authentication = nobody }
        case .shutdown: client.shutdown()
        }
        await #expect(throws: (any Error).self) { try await rename.void() }
        #expect(cache.size == size)
        #expect(!stubs.requests.contains { $0.method == .post })
        resolver.fulfill(())
    }

    @Test("the responses are stale after a call of any kind", arguments: PairKind.allCases)
    func kinds(kind: PairKind) async throws {
        stubs.get("/api/write").reply(kind.reply)
        let stale = try await stale(of: ["/rooms", "/users"]) { try await kind.run(forum.get("/write").set(\.invalidates, ["/rooms"])) }
        #expect(stale == ["/rooms"])
    }

    @Test("a response that was made stale replaces no failure", arguments: [CachePolicy.offline, .protocol])
    func standIn(policy: CachePolicy) async throws {
        stubs.get("/api/list").times(1).reply(.reply(data: 1).header("Cache-Control", "max-age=0, stale-if-error=600"))
        stubs.get("/api/list").reply(.offline)
        stubs.post("/api/rename").reply(data: true)
        let list = forum.get("/list").cache(policy)
        for _ in 0..<2 { #expect(try await list.value(as: Int.self) == 1) }
        try await forum.post("/rename").set(\.invalidates, ["/list"]).void()
        let error = await #expect(throws: APIError.self) { try await list.value(as: Int.self) }
        #expect(error?.kind == .offline)
    }

    @Test("a response that was on its way is not kept")
    func onItsWay() async throws {
        let (gate, resolver) = Promise<Void>.pending()
        stubs.get("/api/slow").times(1).reply { _ in
            try await gate.value
            return .reply(data: "old")
        }
        stubs.get("/api/slow").reply(data: "new")
        stubs.post("/api/rename").reply(data: true)
        let slow = forum.get("/slow").execute(as: String.self)
        await stubs.requestsReceived(1)
        try await forum.post("/rename").set(\.invalidates, ["/slow"]).void()
        resolver.fulfill(())
        #expect(try await slow.value == "old")
        #expect(try await forum.get("/slow").value(as: String.self) == "new")
    }

    @Test("no call joins one that began before the change")
    func unjoined() async throws {
        let (gate, resolver) = Promise<Void>.pending()
        stubs.get("/api/joined").reply { [count] _ in
            count.increment()
            let number = count.count
            if number == 1 { try await gate.value }
            return .reply(data: number)
        }
        stubs.post("/api/rename").sequence(.status(500), .reply(data: true))
        let request = forum.get("/joined").set(\.dedupe, true).cache(.never)
        let first = request.execute(as: Int.self)
        await stubs.requestsReceived(1)
        let rename = forum.post("/rename").set(\.invalidates, ["/joined"])
        // A failure changes nothing.
        await #expect(throws: APIError.self) { try await rename.void() }
        let second = request.execute(as: Int.self)
        try await joined(2, request, isOnce: false)
        try await rename.void()
        #expect(try await request.value(as: Int.self) == 2)
        resolver.fulfill(())
        #expect(try await first.value == 1)
        #expect(try await second.value == 1)
    }

    @Test("a change does not let an order that is on its way be sent twice")
    func once() async throws {
        let (gate, resolver) = Promise<Void>.pending()
        stubs.post("/api/orders").reply { _ in
            try await gate.value
            return .reply(data: 1)
        }
        stubs.post("/api/rename").reply(data: true)
        let order = forum.post("/orders").json(["item": 7]).once()
        let first = order.execute(as: Int.self)
        await stubs.requestsReceived(1)
        try await forum.post("/rename").set(\.invalidates, ["/**"]).void()
        let second = order.execute(as: Int.self)
        try await joined(2, order, isOnce: true)
        resolver.fulfill(())
        #expect(try await first.value == 1)
        #expect(try await second.value == 1)
        #expect(stubs.requests.count == 2)
    }

    @Test(
        "a path that could match nothing fails the call before it is sent",
        arguments: ["/rooms?page=1", "/rooms#top", "/rooms/{room}", "https://forum.example.com/rooms"])
    func wrong(path: String) async throws {
        let error = await #expect(throws: APIError.self) { try await forum.post("/rename").set(\.invalidates, [Path(path)]).void() }
        #expect(error?.kind == .invalidRequest)
        #expect(error?.message.hasPrefix("invalidates: ") == true)
        #expect(stubs.requests.isEmpty)
    }

    @Test("too many paths fail the call, and so does an empty value")
    func wrongLists() async throws {
        let empty = ""
        for paths in [(0...InvalidationLog.mostNames).map { Path("/rooms/\($0)") }, ["/rooms/\(empty)"]] {
            let error = await #expect(throws: APIError.self) { try await forum.post("/rename").set(\.invalidates, paths).void() }
            #expect(error?.kind == .invalidRequest)
        }
        #expect(stubs.requests.isEmpty)
    }

    @Test("a value in a path is no pattern, and is percent-encoded like in the path of a call")
    func values() async throws {
        stubs.post("/api/rename").reply(data: true)
        let (star, spaced) = ("*", "a b/c")
        let stale = try await stale(of: ["/rooms/7", "/rooms/%2A", "/rooms/a%20b%2Fc"]) {
            try await forum.post("/rename").set(\.invalidates, ["/rooms/\(star)", "/rooms/\(spaced)"]).void()
        }
        #expect(stale == ["/rooms/%2A", "/rooms/a%20b%2Fc"])
    }

    @Test("paths belong to the host of the call: that of its own, else that of the tag")
    func hosts() async throws {
        stubs.post("https://other.example.com/rename").reply(data: true)
        let elsewhere = try await stale(of: ["/rooms"]) {
            try await forum.host("https://other.example.com").post("/rename").set(\.invalidates, ["/rooms", "/api/rooms"]).void()
        }
        #expect(elsewhere.isEmpty)
        let ofTag = try await stale(of: ["/rooms"]) {
            try await forum.absoluteURL("https://other.example.com/rename").method(.post).set(\.invalidates, ["/rooms"]).void()
        }
        #expect(ofTag == ["/rooms"])
    }

    @Test("the responses of all users are stale, and explain() and the inspector's decisions name the change")
    func users() async throws {
        stubs.post("/api/rename").reply(data: true)
        let red = forum.get("/rooms").header("Authorization", "Bearer made-up-red")
        _ = try await red.value(as: Int.self)
        let rename = forum.post("/rename").set(\.invalidates, ["/rooms"])
        #expect(rename.explain().contains("invalidates: /rooms"))
        try await rename.void()
        #expect(try await red.response(as: Int.self).source != .cache)
    }

    @Test("a response of a later request is kept again")
    func again() async throws {
        stubs.post("/api/rename").reply(data: true)
        try await forum.post("/rename").set(\.invalidates, ["/**"]).void()
        for _ in 0..<2 { #expect(try await forum.get("/rooms").value(as: Int.self) == 1) }
    }

    // MARK: Groups of the server (RFC 9875)

    /// A response to a call that may say that a group is stale.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var method = HTTPMethod.post
        var reply = StubReply.reply(data: true)
        var groups = #""lists""#
        let isStale: Bool
    }

    private static let changes = [
        Change(testDescription: "a success", isStale: true),
        Change(testDescription: "one of several groups", groups: #""users", "lists";a=1"#, isStale: true),
        Change(testDescription: "another group", groups: #""users""#, isStale: false),
        Change(testDescription: "no string", groups: "lists", isStale: false),
        Change(testDescription: "a safe method", method: .query, isStale: false),
        Change(testDescription: "an error", reply: .status(500), isStale: false),
    ]

    @Test("a successful change invalidates the groups that its response names", arguments: changes)
    func groups(change: Change) async throws {
        stubs.get("/api/list").reply { [count] _ in
            count.increment()
            return .reply(data: count.count).header("Cache-Groups", #""lists", "all""#)
        }
        stubs.on(change.method, "/api/change").reply(change.reply.header("Cache-Group-Invalidation", change.groups))
        let stale = try await stale(of: ["/list", "/rooms"]) { _ = await forum.method(change.method).path("/change").result(of: JSON.self) }
        #expect(stale == (change.isStale ? ["/list"] : []))
    }

    @Test("a group belongs to its origin, also after a redirect")
    func groupsElsewhere() async throws {
        stubs.get("/api/list").reply(.reply(data: 1).header("Cache-Groups", #""lists""#))
        let invalidation = StubReply.reply(data: true).header("Cache-Group-Invalidation", #""lists""#)
        stubs.delete("https://other.example.com/a").reply(invalidation)
        stubs.delete("/api/moved").reply(.status(307).header("Location", "https://other.example.com/a"))
        let stale = try await stale(of: ["/list"]) {
            try await forum.absoluteURL("https://other.example.com/a").method(.delete).void()
            try await forum.delete("/moved").void()
        }
        #expect(stale.isEmpty)
    }

    @Test("a 304 may change the groups of a response")
    func groupsOfConfirmation() async throws {
        stubs.get("/api/list").header("If-None-Match", "\"1\"").reply(.status(304).header("Cache-Groups", #""new""#))
        stubs.get("/api/list").reply(.reply(data: 1).header("ETag", "\"1\"").header("Cache-Groups", #""old""#))
        stubs.post("/api/old").reply(.reply(data: true).header("Cache-Group-Invalidation", #""old""#))
        stubs.post("/api/new").reply(.reply(data: true).header("Cache-Group-Invalidation", #""new""#))
        #expect(
            try await stale(of: ["/list"]) {
                _ = try await forum.get("/list").header("Cache-Control", "no-cache").value(as: Int.self)
                try await forum.post("/old").void()
            }.isEmpty)
        #expect(try await stale(of: ["/list"]) { try await forum.post("/new").void() } == ["/list"])
    }
}

extension Request {
    /// Returns the value, or `nil` if the call fails.
    fileprivate func result<Value: Decodable & Sendable>(of type: Value.Type) async -> Value? { try? await value(as: type) }
}
