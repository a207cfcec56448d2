import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Stages that see every attempt", .limitedParallelism)
struct EveryStageTests {
    /// A stage as in the recipe, with a name, a line for `explain()` and `run`.
    private struct Marker: Stage {
        static let header = "X-Marker"

        var name: StageName { .authentication }
        var explanation: String { "marker" }

        func run(_ call: Call, _ next: Next) async throws -> HTTPResponse {
            var call = call
            call.add(String(call.attempt), for: Self.header)
            return try await next(call)
        }
    }

    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case awaited, promised, response, streamed, lines, downloaded, paged, polled, batch, refreshed, hedged, cached, retried

        var testDescription: String { rawValue }
    }

    private struct Read: Endpoint {
        typealias Response = Int
        let path: Path = "/a"
        let tag: Catena.Tag = "forum"
    }

    private func configure(_ client: Client, _ kind: Kind) {
        client.configure("forum") { forum in
            forum.host = "https://forum.example.com"
            if kind == .retried { forum.retry = .exponential(limit: 2) }
            if kind == .hedged { forum.hedgeDelay = .milliseconds(100) }
            if kind == .cached { forum.cache = .memory(limit: 1 << 20) }
            forum.maxConcurrentCalls = ConcurrencyLimit(4)
            forum.rateLimits = [RateLimit(1000, per: .seconds(1))]
            forum.circuitBreaker = CircuitBreakerPolicy()
            forum.sendsTraceparent = true
            forum.signer = ParameterSigner(.md5, placement: .header("X-Sign"))
            forum.authentication = Authentication(
                BearerAuthenticator { _ in BearerToken(accessToken: "new") }, store: MemoryCredentialStore(BearerToken(accessToken: "old")))
        }
    }

    private func send(_ kind: Kind, over client: Client, to folder: ScratchFolder) async throws {
        let request = client.tag("forum").get("/a")
        switch kind {
        case .awaited, .refreshed, .hedged, .retried: _ = try await request.value(as: Int.self)
        case .promised: _ = try await request.execute(as: Int.self).value
        case .response: _ = try await request.execute(.response(as: Int.self)).value
        case .streamed: for try await _ in request.stream() {}
        case .lines: for try await _ in request.lines() {}
        case .downloaded: _ = try await request.execute(.download(to: folder.url.appending(path: "a"))).value
        case .paged: for try await _ in request.pages(of: Int.self, by: .number()) {}
        case .polled:
            _ = try await request.poll(every: .seconds(1), until: { (value: Int) in value == 2 })
        case .cached: for _ in 0..<2 { _ = try await request.value(as: Int.self) }
        case .batch: _ = try await client.batch([Read(), Read()]).value
        }
    }

    private func stub(_ stubs: Stubs, _ kind: Kind) {
        switch kind {
        case .refreshed: stubs.get("/a").sequence(.status(401), .json(1))
        case .retried: stubs.get("/a").sequence(.status(503), .json(1))
        case .hedged: stubs.get("/a").sequence(.json(1).delayed(by: .seconds(1)), .json(1))
        case .polled: stubs.get("/a").sequence(.json(1), .json(2))
        case .paged: stubs.get("/a").sequence(.json([1]), .json([] as [Int]))
        case .cached: stubs.get("/a").reply(.json(1).header("ETag", "\"1\"").header("Cache-Control", "max-age=0"))
        default: stubs.get("/a").reply(json: 1)
        }
    }

    private func sendings(_ kind: Kind) -> Int {
        [.refreshed, .retried, .hedged, .batch, .polled, .paged, .cached].contains(kind) ? 2 : 1
    }

    @Test(
        "an added stage sees each request, at every place of the plan and for every kind of call", arguments: Kind.allCases)
    func everywhere(kind: Kind) async throws {
        let folder = try ScratchFolder()
        let twin = Client(testing: Stubs())
        configure(twin, kind)
        let plan = Stages.plan(of: CallRun(twin.tag("forum").get("/a")))
        #expect(plan.count >= 6)
        for place in 0...plan.count {
            let stubs = Stubs()
            stub(stubs, kind)
            let client = Client(testing: stubs)
            configure(client, kind)
            client.install { $0.addStages = { stages in stages.insert(Marker(), at: place) } }
            try await send(kind, over: client, to: folder)
            #expect(stubs.requests.count == sendings(kind), "\(kind) at \(place)")
            #expect(stubs.requests.allSatisfy { $0.headers[Marker.header] != nil }, "\(kind) at \(place)")
            await client.hasNoCalls()
            #expect(CallRun(client.tag("forum").get("/a")).tagState.concurrency?.load.running == 0, "\(kind) at \(place)")
        }
    }

    static let positions = [StageName.start, .cache, .limits, .retry, .authentication, .signing, .transport].flatMap {
        [Interceptor.Position.before($0), .after($0)]
    }

    @Test("an interceptor sees each request, at every position and for every kind of call", arguments: Kind.allCases)
    func intercepted(kind: Kind) async throws {
        let folder = try ScratchFolder()
        for position in Self.positions {
            let stubs = Stubs()
            stub(stubs, kind)
            let client = Client(testing: stubs)
            configure(client, kind)
            client.intercept("marker", position) { call, next in
                var call = call
                call.request.headers[Marker.header] = "1"
                return try await next(call)
            }
            try await send(kind, over: client, to: folder)
            // The response to a request that an interceptor has changed behind the cache is not kept.
            #expect(stubs.requests.count == sendings(kind), "\(kind) at \(position)")
            #expect(stubs.requests.allSatisfy { $0.headers[Marker.header] != nil }, "\(kind) at \(position)")
            await client.hasNoCalls()
        }
    }
}
