import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Fields of a call in the keys of cache and sharing", .limitedParallelism)
struct OwnFieldsTests {
    let stubs = Stubs()
    private let numbers = Counter()

    private func client(_ change: (inout Profile) -> Void = { _ in }) -> Client {
        let numbers = numbers
        stubs.on(nil, "/a").reply { _ in
            numbers.increment()
            return .reply(data: numbers.count).header("Cache-Control", "max-age=600")
        }
        let client = Client(testing: stubs)
        client.configureDefaults { defaults in
            defaults.cache = .memory(limit: 100_000)
            change(&defaults)
        }
        return client
    }

    /// Ways in which a call sets a param whose name is volatile.
    private static let steps: [@Sendable (Request, Int) -> Request] = [
        { $0.params(["timestamp": $1]) }, { $0.param("nonce", $1) }, { $0.query("signature", $1) },
        { $0.get("/a?timestamp=\($1)") },
    ]

    @Test("a call's own param is part of the key, whatever its name is", arguments: steps.indices)
    func own(index: Int) async throws {
        let client = client()
        for number in 1...2 { #expect(try await Self.steps[index](client.get("/a"), number).value(as: Int.self) == number) }
        #expect(try await Self.steps[index](client.get("/a"), 1).value(as: Int.self) == 1)
        #expect(stubs.requests.count == 2)
    }

    @Test("a name that the tag's rules declare as volatile is left out, also of the call's own params")
    func declared() async throws {
        var rules = RequestKeyRules()
        rules.volatileParams.insert("seen")
        let client = client { [rules] in $0.requestKeyRules = rules }
        for number in 1...2 { #expect(try await client.get("/a").params(["seen": number]).value(as: Int.self) == 1) }
    }

    @Test("a param of a common closure or a signer is left out by its name")
    func common() async throws {
        let client = client()
        let runs = Counter()
        client.commonParams { _ in
            runs.increment()
            return ["timestamp": runs.count]
        }
        for _ in 1...2 { #expect(try await client.get("/a").value(as: Int.self) == 1) }
    }

    @Test("two calls with `once()` and idempotency keys of their own are two", arguments: [true, false])
    func orders(isHeader: Bool) async throws {
        let (gate, resolver) = Promise<Void>.pending()
        stubs.post("/orders").reply { call in
            try await gate.value
            return .reply(data: call.headers["Idempotency-Key"] ?? "")
        }
        let client = Client(testing: stubs, clock: VirtualClock())
        let calls = ["order-1", "order-2"].map { key in
            let request = client.post("/orders").json(["room": 7]).once()
            return (isHeader ? request.header("Idempotency-Key", key) : request.set(\.idempotencyKey, .init(key))).execute(as: String.self)
        }
        let last = client.post("/orders").json(["room": 8]).execute(as: String.self)
        let stubs = stubs
        await stubs.requestsReceived(2)
        await giveChances()
        resolver.fulfill(())
        #expect(try await calls[0].value == "order-1")
        #expect(try await calls[1].value == "order-2")
        _ = try await last.value
    }

    @Test("calls with `once()` and random idempotency keys join")
    func random() async throws {
        let (gate, resolver) = Promise<Void>.pending()
        stubs.post("/orders").reply { _ in
            try await gate.value
            return .reply(data: 7)
        }
        let request = Client(testing: stubs, clock: VirtualClock()).post("/orders").set(\.idempotencyKey, .random).once()
        let calls = (0..<2).map { _ in request.execute(as: Int.self) }
        try await joined(2, request, isOnce: true)
        resolver.fulfill(())
        for call in calls { #expect(try await call.value == 7) }
        #expect(stubs.requests.count == 1)
    }

    @Test("a common header that differs with each call is reported once, because nothing is found in the cache", arguments: [true, false])
    func differing(isDedupe: Bool) async throws {
        let client = client { if isDedupe { ($0.cache, $0.dedupe) = (nil, true) } }
        let runs = Counter()
        client.commonHeaders { _ in
            runs.increment()
            return ["X-Sent-At": "\(runs.count)"]
        }
        for _ in 1...10 { _ = try await client.get("/a").value(as: Int.self) }
        let found = stubs.diagnostics.filter { $0.kind == .ineffectiveStep }
        #expect(found.count == 1)
        #expect(found.first?.message.contains("X-Sent-At") == true)
        #expect(found.first?.message.contains("requestKeyRules") == true)
    }

    /// The ways in which a call finds or joins another one.
    private static let sharing: [String: @Sendable (Request) -> Request] = [
        "cache": { $0 }, "dedupe": { $0.set(\.dedupe, true) }, "once": { $0.once() }, "once of a change": { $0.method(.post).once() },
    ]

    @Test("a common param that differs with each call is reported once, and named", arguments: sharing.keys.sorted(), [true, false])
    func differingParam(way: String, hasCache: Bool) async throws {
        if way == "cache", !hasCache { return }
        let share = try #require(Self.sharing[way])
        let client = client { if !hasCache { $0.cache = nil } }
        let runs = Counter()
        client.commonParams { _ in
            runs.increment()
            return ["ts": runs.count, "app": "forum"]
        }
        for number in 1...10 {
            _ = try await share(client.get("/a?kind=\(number % 2)").query("page", number % 2)).value(as: Int.self)
        }
        let found = stubs.diagnostics.filter { $0.kind == .ineffectiveStep }.map(\.message)
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.contains("requestKeyRules: ts had another value") == true, "\(found)")
        #expect(found.first?.contains("volatileParams") == true, "\(found)")
    }

    @Test("a param of an interceptor that differs with each call is reported, too")
    func differingParamOfInterceptor() async throws {
        let client = client()
        let runs = Counter()
        client.intercept("stamp", .before(.cache)) { call, next in
            var call = call
            runs.increment()
            call.request.address.query = "ts=\(runs.count)"
            return try await next(call)
        }
        for _ in 1...10 { _ = try await client.get("/a").value(as: Int.self) }
        let found = stubs.diagnostics.filter { $0.kind == .ineffectiveStep }.map(\.message)
        #expect(found.count == 1 && found.first?.contains("requestKeyRules: ts had another value") == true, "\(found)")
    }

    @Test("neither a call's own params, under any name, nor volatile ones are reported as differing")
    func ownParams() async throws {
        let client = client { defaults in
            var rules = RequestKeyRules()
            rules.volatileParams.insert("ts")
            defaults.requestKeyRules = rules
            defaults.parameterStyle = ParameterStyle { $0.keyCase = .snake }
        }
        let runs = Counter()
        client.commonParams { _ in
            runs.increment()
            return ["ts": runs.count]
        }
        for number in 1...10 {
            let request = client.get("/a").params(["pageSize": number, "filter": ["lastName": "\(number)"]])
            _ = try await request.value(as: Int.self)
            _ = try await client.get("/a?cursor=\(number)").value(as: Int.self)
        }
        #expect(stubs.diagnostics.isEmpty, "\(stubs.diagnostics)")
    }

    @Test("a header that differs between few calls, such as a language, is not reported")
    func few() async throws {
        let client = client()
        for language in ["en", "de", "en", "de", "en"] {
            _ = try await client.get("/a").header("Accept-Language", language).value(as: Int.self)
        }
        #expect(stubs.diagnostics.isEmpty)
    }

    @Test("`dedupe()` and `cache(…)` of a stream, of events and of a download are reported as without effect")
    func transfers() async throws {
        let client = client()
        for kind in [PairKind.stream, .events, .download] {
            stubs.get("/transfer").times(1).reply(kind.reply)
            try await kind.run(client.tag(Catena.Tag(kind.rawValue)).get("/transfer").set(\.dedupe, true).cache(.expire(.seconds(60))))
        }
        let found = stubs.diagnostics.filter { $0.kind == .ineffectiveStep }.map(\.message)
        for step in ["dedupe", "cache"] { #expect(found.filter { $0.contains("\(step): ") }.count == 3) }
    }
}
