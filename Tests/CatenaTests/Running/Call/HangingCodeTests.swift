import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// Code of the app that never returns by itself, and ignores its cancellation.
final class HangingCode: Sendable {
    private let arrivals = Counter()
    private let never: Promise<Void>
    private let resolver: Resolver<Void>

    init() {
        (never, resolver) = Promise<Void>.pending()
    }

    func run() async {
        arrivals.increment()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            never.whenSettled { _ in continuation.resume() }
        }
    }

    func arrived() async { await arrivals.reached(1) }

    func release() { resolver.fulfill(()) }
}

@Suite("Code of the app that ignores the end of its call", .limitedParallelism)
struct HangingCodeTests {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case awaited, promised, streamed, downloaded

        var testDescription: String { rawValue }
    }

    enum End: String, CaseIterable, CustomTestStringConvertible {
        case deadline, cancel, cancelAll, cancelledTask

        var testDescription: String { rawValue }
    }

    private struct HangingHost: HostProvider {
        let code: HangingCode

        func host(for key: HostKey) async throws -> String {
            await code.run()
            return "https://forum.example.com"
        }
    }

    private struct HangingSigner: RequestSigner {
        let code: HangingCode

        func sign(_ request: inout HTTPRequest, params: Params) async throws { await code.run() }
    }

    private struct HangingTransport: Transport {
        let code: HangingCode

        func send(_ request: HTTPRequest) async throws -> TransportResponse {
            await code.run()
            return .json("1")
        }
    }

    /// A place in a call where code of the app runs that may wait.
    struct Place: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let set: @Sendable (Client, HangingCode) -> Void
        var change: @Sendable (Request, HangingCode) -> Request = { request, _ in request }
        var hasTransport = false
    }

    private static let names: [StageName] = [.start, .cache, .limits, .retry, .authentication, .signing, .transport]

    static let places: [Place] =
        names.flatMap { name in
            [("before", Interceptor.Position.before(name)), ("after", .after(name))].map { side, position in
                Place(
                    testDescription: "an interceptor \(side) \(name)",
                    set: { client, code in
                        client.intercept("hanging", position) { call, next in
                            await code.run()
                            return try await next(call)
                        }
                    })
            }
        } + [
            Place(testDescription: "`before`", set: { _, _ in }) { request, code in request.before { await code.run() } },
            Place(
                testDescription: "the host provider",
                set: { client, code in client.configure("forum") { ($0.host, $0.hostProvider) = (nil, HangingHost(code: code)) } }),
            Place(
                testDescription: "common params",
                set: { client, code in
                    client.commonParams { _ in
                        await code.run()
                        return [:]
                    }
                }),
            Place(
                testDescription: "common headers",
                set: { client, code in
                    client.commonHeaders { _ in
                        await code.run()
                        return [:]
                    }
                }),
            Place(
                testDescription: "the closure of a token",
                set: { client, code in
                    client.configure("forum") {
                        $0.authentication = .bearer {
                            await code.run()
                            return "made-up"
                        }
                    }
                }),
            Place(
                testDescription: "a refresh",
                set: { client, code in
                    client.configure("forum") {
                        $0.authentication = Authentication(
                            BearerAuthenticator { _ in
                                await code.run()
                                return BearerToken(accessToken: "new")
                            }, store: MemoryCredentialStore(BearerToken(accessToken: "old", expiry: .distantPast)))
                    }
                }),
            Place(
                testDescription: "a signer",
                set: { client, code in client.configure("forum") { $0.signer = HangingSigner(code: code) } }),
            Place(testDescription: "a transport", set: { _, _ in }, hasTransport: true),
        ]

    private func send(_ kind: Kind, _ request: Request, to folder: ScratchFolder) async throws {
        switch kind {
        case .awaited: _ = try await request.value(as: Int.self)
        case .promised: _ = try await request.execute(as: Int.self).value
        case .streamed: for try await _ in request.stream() {}
        case .downloaded: _ = try await request.execute(.download(to: folder.url.appending(path: "a"))).value
        }
    }

    @Test("the caller continues at once, wherever the code is", arguments: Kind.allCases, End.allCases)
    func everywhere(kind: Kind, end: End) async throws {
        let folder = try ScratchFolder()
        for place in Self.places {
            let note: Comment = "\(place.testDescription)"
            let (code, clock, stubs) = (HangingCode(), VirtualClock(), Stubs())
            stubs.get("/a").reply(json: 1)
            let client =
                place.hasTransport
                ? Client(transport: HangingTransport(code: code), timers: clock) : Client(testing: stubs, clock: clock)
            client.configure("forum") { forum in
                forum.host = "https://forum.example.com"
                forum.maxConcurrentCalls = ConcurrencyLimit(1)
                forum.rateLimits = [RateLimit(1000, per: .seconds(1))]
                forum.circuitBreaker = CircuitBreakerPolicy()
                forum.retry = .exponential(limit: 2)
                forum.cache = .memory(limit: 1 << 20)
            }
            place.set(client, code)
            var request = place.change(client.tag("forum").get("/a"), code)
            if end == .deadline { request = request.deadline(.milliseconds(200)) }
            let task = Task { [request] in try await send(kind, request, to: folder) }
            await code.arrived()
            switch end {
            case .deadline:
                await clock.scheduled(.milliseconds(200))
                clock.advance(by: .milliseconds(200))
            case .cancel: for call in client.calls.tasks() { call.cancel() }
            case .cancelAll: client.calls.cancelAll()
            case .cancelledTask: task.cancel()
            }
            // The clock stands still from here on.
            if end == .deadline {
                let error = await #expect(throws: APIError.self, note) { try await task.value }
                #expect(error?.kind == .timeout, note)
            } else {
                await #expect(throws: CancellationError.self, note) { try await task.value }
            }
            await client.hasNoCalls()
            #expect(stubs.requests.isEmpty, note)
            code.release()
            await CallRun(client.tag("forum").get("/a")).tagState.concurrency?.reached { $0.running == 0 }
            #expect(stubs.requests.isEmpty, note)
        }
    }
}
