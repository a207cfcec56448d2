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

        func run(_ call: Call, hasEntered: Bool, next: @escaping Next) async throws -> HTTPResponse {
            var call = call
            call.add(String(call.attempt), for: Self.header)
            return try await next(call)
        }
    }

    /// A marker that lets a call pass at once.
    private struct PromptMarker: Stage {
        var name: StageName { .authentication }
        var explanation: String { "marker" }

        func enter(_ call: inout Call) -> StageEntry {
            call.add(String(call.attempt), for: Marker.header)
            return .passed
        }

        func run(_ call: Call, hasEntered: Bool, next: @escaping Next) async throws -> HTTPResponse {
            var call = call
            if !hasEntered { _ = enter(&call) }
            return try await next(call)
        }
    }

    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case awaited, promised, response, streamed, lines, downloaded, batch, refreshed, hedged, retried

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
        case .response: _ = try await request.response(as: Int.self).value
        case .streamed: for try await _ in request.stream() {}
        case .lines: for try await _ in request.lines() {}
        case .downloaded: _ = try await request.download(to: folder.url.appending(path: "a")).value
        case .batch: _ = try await client.batch([Read(), Read()]).value
        }
    }

    @Test(
        "an added stage sees each request, at every place of the plan and for every kind of call", arguments: Kind.allCases, [false, true])
    func everywhere(kind: Kind, isPrompt: Bool) async throws {
        let folder = try ScratchFolder()
        let twin = Client(testing: Stubs())
        configure(twin, kind)
        let plan = Stages.plan(of: CallRun(twin.tag("forum").get("/a")))
        #expect(plan.count >= 6)
        for place in 0...plan.count {
            let stubs = Stubs()
            switch kind {
            case .refreshed: stubs.get("/a").sequence(.status(401), .json(1))
            case .retried: stubs.get("/a").sequence(.status(503), .json(1))
            case .hedged: stubs.get("/a").sequence(.json(1).delayed(by: .seconds(1)), .json(1))
            default: stubs.get("/a").reply(json: 1)
            }
            let client = Client(testing: stubs)
            configure(client, kind)
            let marker: any Stage = isPrompt ? PromptMarker() : Marker()
            client.install { $0.addStages = { stages in stages.insert(marker, at: place) } }
            try await send(kind, over: client, to: folder)
            let expected = [Kind.refreshed, .retried, .hedged, .batch].contains(kind) ? 2 : 1
            #expect(stubs.calls.count == expected, "\(kind) at \(place)")
            #expect(stubs.calls.allSatisfy { $0.headers[Marker.header] != nil }, "\(kind) at \(place)")
            await client.hasNoCalls()
            #expect(CallRun(client.tag("forum").get("/a")).tagState.concurrency?.load.running == 0, "\(kind) at \(place)")
        }
    }
}
