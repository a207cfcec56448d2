import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Calls that have joined, and other settings", .limitedParallelism)
struct SharingPairsTests {
    let stubs = Stubs()
    private let gate = Promise<Void>.pending()

    private func client(_ change: (inout Profile) -> Void) -> Client {
        let client = Client(testing: stubs, clock: VirtualClock())
        client.configure("forum", change)
        return client
    }

    private func sharing(_ request: Request, isOnce: Bool) -> Request { isOnce ? request.once() : request.set(\.dedupe, true) }

    /// Starts three calls and waits until they have joined.
    private func three(_ request: Request, isOnce: Bool) async throws -> [Promise<Int>] {
        let calls = (0..<3).map { _ in request.execute(as: Int.self) }
        try await joined(3, request, isOnce: isOnce)
        return calls
    }

    @Test("calls that have joined take one turn and one place, and are one result for the breaker", arguments: [true, false])
    func limits(isOnce: Bool) async throws {
        let promise = gate.promise
        stubs.get("/a").reply { _ in
            try await promise.value
            return .status(503)
        }
        stubs.get("/b").reply(data: 2)
        let client = client {
            $0.circuitBreaker = CircuitBreakerPolicy(minimumCalls: 2)
            $0.rateLimits = [RateLimit(2, per: .seconds(7200))]
            $0.maxConcurrentCalls = ConcurrencyLimit(1, maxWaiting: 0)
        }
        let calls = try await three(sharing(client.tag("forum").get("/a"), isOnce: isOnce), isOnce: isOnce)
        gate.resolver.fulfill(())
        for call in calls { #expect(await call.result.apiError?.status == 503) }
        #expect(try await client.tag("forum").get("/b").value(as: Int.self) == 2)
    }

    @Test("a call that may join is given a fresh response like any other", arguments: [true, false])
    func fresh(isOnce: Bool) async throws {
        stubs.get("/a").reply(.reply(data: 7).header("Cache-Control", "max-age=600"))
        let request = sharing(client { $0.cache = .memory(limit: 10_000) }.tag("forum").get("/a"), isOnce: isOnce)
        for _ in 0..<3 { #expect(try await request.value(as: Int.self) == 7) }
        #expect(stubs.requests.count == 1)
    }

    @Test("calls that have joined share the kept response that replaces a failure", arguments: [true, false], [true, false])
    func standIn(isOnce: Bool, isOffline: Bool) async throws {
        let (count, promise) = (Counter(), gate.promise)
        stubs.get("/a").reply { _ in
            count.increment()
            guard count.count > 1 else { return .reply(data: 7).header("Cache-Control", "max-age=0, stale-if-error=600") }
            try await promise.value
            return isOffline ? .connectionLost : .status(503)
        }
        let client = client {
            $0.cache = .memory(limit: 10_000)
            $0.cachePolicy = isOffline ? .offline : .protocol
        }
        let request = client.tag("forum").get("/a")
        #expect(try await request.value(as: Int.self) == 7)
        let calls = try await three(sharing(request, isOnce: isOnce), isOnce: isOnce)
        gate.resolver.fulfill(())
        for call in calls { #expect(try await call.value == 7) }
        #expect(stubs.requests.count == 2)
    }

    @Test("the credential is refreshed once for calls that have joined, and one request is sent again", arguments: [true, false])
    func refresh(isOnce: Bool) async throws {
        let (scheme, promise) = (CountingScheme(), gate.promise)
        stubs.get("/a").header("X-Token", "a0").reply { _ in
            try await promise.value
            return .status(401)
        }
        stubs.get("/a").header("X-Token", "a1").reply(data: 7)
        let client = client { $0.authentication = Authentication(scheme, store: MemoryCredentialStore(.first)) }
        let calls = try await three(sharing(client.tag("forum").get("/a"), isOnce: isOnce), isOnce: isOnce)
        gate.resolver.fulfill(())
        for call in calls { #expect(try await call.value == 7) }
        #expect(stubs.requests.count == 2)
        #expect(scheme.refreshed.count == 1)
    }

    @Test("calls with `once()` join whatever their retries are, and calls with `dedupe()` only with equal ones", arguments: [true, false])
    func retries(isOnce: Bool) async throws {
        let promise = gate.promise
        stubs.get("/a").reply { _ in
            try await promise.value
            return .reply(data: 7)
        }
        let request = sharing(client { _ in }.tag("forum").get("/a"), isOnce: isOnce)
        let first = request.execute(as: Int.self)
        try await joined(1, request, isOnce: isOnce)
        let other = request.retry(.exponential(limit: 2))
        let second = other.execute(as: Int.self)
        try await joined(isOnce ? 2 : 1, other, isOnce: isOnce)
        gate.resolver.fulfill(())
        #expect(try await first.value == 7)
        #expect(try await second.value == 7)
        #expect(stubs.requests.count == (isOnce ? 1 : 2))
    }

    @Test("each call that has joined has an indicator of its own", arguments: [true, false]) @MainActor
    func loading(isOnce: Bool) async throws {
        let promise = gate.promise
        stubs.get("/a").reply { _ in
            try await promise.value
            return .reply(data: 7)
        }
        let told = Recorder<Bool>()
        let request = sharing(client { _ in }.tag("forum").get("/a"), isOnce: isOnce).loading { told.note($0) }
        let calls = try await three(request, isOnce: isOnce)
        await mainQueueIsEmpty()
        #expect(told.events == [true, true, true])
        calls[1].cancel()
        await mainQueueIsEmpty()
        #expect(told.events == [true, true, true, false])
        gate.resolver.fulfill(())
        for call in [calls[0], calls[2]] { #expect(try await call.value == 7) }
        await mainQueueIsEmpty()
        #expect(told.events.suffix(3) == [false, false, false])
    }
}
