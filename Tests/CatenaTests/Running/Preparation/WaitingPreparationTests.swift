import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena
@testable import CatenaFleet

@Suite("Calls that wait before they are sent", .limitedParallelism)
struct WaitingPreparationTests {
    /// A store that does not respond before its caller is cancelled.
    private final class SilentStore: SharedStore {
        let asked = Counter()

        func read(_ keys: [String]) async throws -> SharedReading {
            asked.increment()
            await untilCancelled()
            throw CancellationError()
        }

        func write(_ value: Data?, for key: String, lifetime: Duration) async throws {}
        func replace(_ former: Data?, with value: Data?, for key: String, lifetime: Duration) async throws -> Bool { true }
    }

    enum Wait: CaseIterable {
        case before, params, headers, host, token, fleet, refresh, interceptor, signer, rate, concurrency
    }

    private struct Patient: HostProvider, RequestSigner {
        let arrived: Counter

        func host(for key: HostKey) async throws -> String {
            try await wait()
            return ""
        }

        func sign(_ request: inout HTTPRequest, params: Params) async throws { try await wait() }

        func wait() async throws {
            arrived.increment()
            await untilCancelled()
            throw CancellationError()
        }
    }

    /// Configures a wait without an end, and returns the counter of the calls that reach it.
    private func configure(_ client: Client, for wait: Wait) -> Counter {
        let arrived = Counter()
        let patient = Patient(arrived: arrived)
        let store = SilentStore()
        switch wait {
        case .params:
            client.commonParams { _ in
                try await patient.wait()
                return [:]
            }
        case .headers:
            client.commonHeaders { _ in
                try await patient.wait()
                return [:]
            }
        default: break
        }
        client.configure("forum") { forum in
            if wait != .host { forum.host = "https://forum.example.com" }
            switch wait {
            case .host: forum.hostProvider = patient
            case .token:
                forum.authentication = .bearer {
                    try await patient.wait()
                    return nil
                }
            case .fleet: forum.authentication = Authentication(BearerAuthenticator { $0 }, shared: SharedCredential("forum", in: store))
            case .refresh:
                forum.authentication = Authentication(
                    BearerAuthenticator { token in
                        try await patient.wait()
                        return token
                    }, store: MemoryCredentialStore(BearerToken(accessToken: "old", expiry: .distantPast)))
            case .interceptor:
                forum.intercept("patient") { call, next in
                    try await patient.wait()
                    return try await next(call)
                }
            case .signer: forum.signer = patient
            case .rate: forum.rateLimits = [RateLimit(1, per: .seconds(50))]
            case .concurrency: forum.maxConcurrentCalls = ConcurrencyLimit(1)
            case .before, .params, .headers: break
            }
        }
        return wait == .fleet ? store.asked : arrived
    }

    private func request(of client: Client, _ wait: Wait, _ arrived: Counter) -> Request {
        let request = client.tag("forum").get("/a")
        return wait == .before ? request.before { try await Patient(arrived: arrived).wait() } : request
    }

    /// Takes the only place of the limit that the call then waits for.
    private func occupy(_ client: Client, _ wait: Wait) throws -> ConcurrencyPlace? {
        let backend = CallRun(client.tag("forum").get("/a")).tagState
        if wait == .rate { #expect(backend.rate?.enterIfFree() == true) }
        return wait == .concurrency ? try #require(backend.concurrency?.enterIfFree()) : nil
    }

    private func arrival(of client: Client, _ wait: Wait, _ arrived: Counter) async {
        let backend = CallRun(client.tag("forum").get("/a")).tagState
        switch wait {
        case .rate: await backend.rate?.state.wait { $0.queue.waiting == 1 }
        case .concurrency: await backend.concurrency?.state.wait { $0.queue.waiting == 1 }
        default: await arrived.reached(1)
        }
    }

    /// A call that has reached its wait.
    private struct Waiting {
        let stubs: Stubs
        let clock: VirtualClock
        let client: Client
        let place: ConcurrencyPlace?
        let task: Task<Int, any Error>
    }

    private func waiting(_ wait: Wait, isAwaited: Bool, _ change: (Request) -> Request = { $0 }) async throws -> Waiting {
        let stubs = Stubs()
        stubs.get("/a").reply(json: 1)
        let clock = VirtualClock()
        let client = Client(testing: stubs, clock: clock)
        let arrived = configure(client, for: wait)
        let place = try occupy(client, wait)
        let request = change(request(of: client, wait, arrived))
        let task = Task {
            isAwaited ? try await request.value(as: Int.self) : try await request.execute(as: Int.self).value
        }
        await arrival(of: client, wait, arrived)
        return Waiting(stubs: stubs, clock: clock, client: client, place: place, task: task)
    }

    // A call whose turn at a rate limit comes after its deadline fails at once.
    @Test(
        "the deadline ends the call in time, whatever it waits for", arguments: Wait.allCases.filter { $0 != .rate }, [true, false])
    func deadline(wait: Wait, isAwaited: Bool) async throws {
        let call = try await waiting(wait, isAwaited: isAwaited) { $0.deadline(.milliseconds(200)) }
        await call.clock.scheduled(.milliseconds(200))
        call.clock.advance(by: .milliseconds(200))
        let error = await #expect(throws: APIError.self) { try await call.task.value }
        #expect(error?.kind == .timeout && error?.attempts == 0)
        #expect(call.clock.now == .milliseconds(200))
        #expect(call.stubs.requests.isEmpty)
        await call.client.hasNoCalls()
        call.place?.leave()
        #expect(CallRun(call.client.tag("forum").get("/a")).tagState.concurrency?.load.running ?? 0 == 0)
    }

    @Test("`cancelAll()` ends the call at once, whatever it waits for", arguments: Wait.allCases, [true, false])
    func cancelled(wait: Wait, isAwaited: Bool) async throws {
        let call = try await waiting(wait, isAwaited: isAwaited)
        call.client.calls.cancelAll()
        await #expect(throws: CancellationError.self) { try await call.task.value }
        #expect(call.clock.now == .zero)
        #expect(call.stubs.requests.isEmpty)
        await call.client.hasNoCalls()
        call.place?.leave()
    }
}
