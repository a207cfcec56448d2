import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena
@testable import CatenaFleet

@Suite("The ends of calls that have joined", .limitedParallelism)
struct OnceLifetimeTests {
    let bench = OnceBench()

    private func isCancelled(_ call: Promise<Int>) async -> Bool {
        if case .failure(let error) = await call.result { return error is CancellationError }
        return false
    }

    /// Starts three identical calls, of which the first one sends the request.
    private func three(_ request: Request) async throws -> [Promise<Int>] {
        let first = request.execute(as: Int.self)
        try await bench.joined(1, request)
        await bench.stubs.requestsReceived(1)
        let calls = [first] + (0..<2).map { _ in request.execute(as: Int.self) }
        try await bench.joined(3, request)
        return calls
    }

    @Test("cancelling one call leaves the others alone, whichever it is", arguments: [0, 1, 2])
    func cancelled(place: Int) async throws {
        let request = bench.client.post("/orders").json(["room": 7]).once()
        let calls = try await three(request)
        calls[place].cancel()
        #expect(await isCancelled(calls[place]))
        bench.open()
        for (other, call) in calls.enumerated() where other != place { #expect(try await call.value == 1) }
        #expect(bench.stubs.requests.count == 1)
    }

    @Test(
        "cancelling all of them stops the transfer, and the next call sends again",
        arguments: ["each", "by id", "all", "all, after a shutdown"])
    func allCancelled(by: String) async throws {
        let stopped = Recorder<String>()
        bench.stubs.post("/slow").reply { _ in
            await untilCancelled()
            stopped.note("stopped")
            throw CancellationError()
        }
        let request = bench.client.post("/slow").id("order").once()
        let calls = try await three(request)
        switch by {
        case "each": for call in calls { call.cancel() }
        case "by id": bench.client.calls.cancel(id: "order")
        case "all": bench.client.calls.cancelAll()
        default:
            bench.client.shutdown()
            bench.client.calls.cancelAll()
        }
        for call in calls { #expect(await isCancelled(call)) }
        await stopped.reached(1)
        await CallRun(request).tagState.flights.becameIdle()
        let next = request.execute(as: Int.self)
        if by == "all, after a shutdown" {
            #expect(await next.result.apiError?.kind == .invalidRequest)
            #expect(bench.stubs.requests.count == 1)
        } else {
            await bench.stubs.requestsReceived(2)
            next.cancel()
        }
    }

    @Test("a deadline ends only its own call, also that of the call that sends", arguments: [true, false])
    func deadline(isFirst: Bool) async throws {
        let request = bench.client.post("/orders").once()
        let hasty = request.deadline(.seconds(1))
        let first = (isFirst ? hasty : request).execute(as: Int.self)
        try await bench.joined(1, request)
        let second = (isFirst ? request : hasty).execute(as: Int.self)
        try await bench.joined(2, request)
        await bench.stubs.requestsReceived(1)
        bench.clock.advance(by: .seconds(1))
        let (late, patient) = isFirst ? (first, second) : (second, first)
        #expect(await late.result.apiError?.kind == .timeout)
        bench.open()
        #expect(try await patient.value == 1)
        #expect(bench.stubs.requests.count == 1)
    }

    @Test("another user's call sends its own request, and a call keeps its user's response after a sign-out", arguments: [true, false])
    func users(signsOut: Bool) async throws {
        let authentication = Authentication(CountingUsers(), store: MemoryCredentialStore("Ann"))
        bench.client.configure("forum") { $0.authentication = authentication }
        let request = bench.client.tag("forum").post("/orders").json(["room": 7]).once()
        let own = try await three(request)
        if signsOut { try authentication.signOut() }
        try authentication.signIn("Bob")
        let other = request.execute(as: Int.self)
        await bench.stubs.requestsReceived(2)
        bench.open()
        for call in own { #expect(try await call.value == 1) }
        #expect(try await other.value == 2)
        #expect(bench.stubs.requests.map { $0.headers["X-Name"] } == ["Ann", "Bob"])
    }

    @Test("a call after a sign-out joins no call of the former user")
    func signedOut() async throws {
        let authentication = Authentication(CountingUsers(), store: MemoryCredentialStore("Ann"))
        bench.client.configure("forum") { $0.authentication = authentication }
        let request = bench.client.tag("forum").post("/orders").once()
        let own = try await three(request)
        try authentication.signOut()
        #expect(await request.execute(as: Int.self).result.apiError?.kind == .missingCredential)
        bench.open()
        for call in own { #expect(try await call.value == 1) }
        #expect(bench.stubs.requests.count == 1)
    }

    @Test("calls join also if the storage of their cache fails")
    func failingStorage() async throws {
        bench.client.onDiagnostic { _ in }
        bench.client.configureDefaults { $0.cache = .shared(UnreachableStore()) }
        let request = bench.client.get("/orders").once()
        let calls = try await three(request)
        bench.open()
        for call in calls { #expect(try await call.value == 1) }
        #expect(bench.stubs.requests.count == 1)
    }

    @Test(
        "suspending the first call suspends the transfer, until that call is resumed or has ended",
        arguments: ["resumed", "cancelled", "late"])
    func suspended(end: String) async throws {
        let client = bench.client
        let request = client.post("/orders").once()
        let first = request.deadline(.seconds(5)).id("first").execute(as: Int.self)
        try await bench.joined(1, request)
        await bench.stubs.requestsReceived(1)
        let second = request.id("second").execute(as: Int.self)
        try await bench.joined(2, request)
        client.calls.suspend(id: "first")
        bench.open()
        await giveChances()
        #expect(second.isPending)
        switch end {
        case "resumed": client.calls.resume(id: "first")
        case "cancelled": client.calls.cancel(id: "first")
        default: bench.clock.advance(by: .seconds(5))
        }
        #expect(try await second.value == 1)
        if end == "resumed" { #expect(try await first.value == 1) }
        #expect(bench.stubs.requests.count == 1)
    }

    @Test(
        "if code after the cache changes the request or the response, no call is sent a second time unless its method is safe",
        arguments: [true, false], [true, false])
    func changed(isSafe: Bool, isResponse: Bool) async throws {
        let events = Recorder<DiagnosticEvent>()
        bench.client.onDiagnostic { events.note($0) }
        let stamps = OrderNumbers()
        bench.client.intercept("stamp") { call, next in
            var call = call
            if !isResponse { call.request.headers["X-Stamp"] = "\(stamps.next())" }
            let response = try await next(call)
            guard isResponse else { return response }
            return HTTPResponse(status: 200, headers: response.headers, body: response.body, address: response.address)
        }
        let request = isSafe ? bench.client.get("/orders").once() : bench.client.post("/orders").once()
        let calls = try await three(request)
        bench.open()
        var (numbers, errors): (Set<Int>, [APIError]) = ([], [])
        for call in calls {
            switch await call.result {
            case .success(let number): numbers.insert(number)
            case .failure(let error): errors.append(APIError.wrapping(error))
            }
        }
        #expect(numbers == (isSafe ? [1, 2, 3] : [1]))
        #expect(bench.stubs.requests.count == numbers.count)
        #expect(errors.map(\.kind) == (isSafe ? [] : [.invalidRequest, .invalidRequest]))
        for error in errors { #expect(error.message.contains("once: an interceptor") && error.message.contains(".before(.cache)")) }
        #expect(events.events.map(\.kind) == [.ineffectiveStep])
        #expect(events.events.first?.message.contains("once: an interceptor") == true)
    }

    @Test("an interceptor before the cache counts for the comparison", arguments: [true, false])
    func compared(isSame: Bool) async throws {
        let count = Counter()
        bench.client.intercept("stamp", .before(.cache)) { call, next in
            var call = call
            count.increment()
            call.request.headers["X-Stamp"] = isSame ? "1" : "\(count.count)"
            return try await next(call)
        }
        let request = bench.client.post("/orders").once()
        let calls = (0..<3).map { _ in request.execute(as: Int.self) }
        await bench.stubs.requestsReceived(isSame ? 1 : 3)
        if isSame { try await bench.joined(3, request.header("X-Stamp", "1")) }
        bench.open()
        for call in calls { _ = try await call.value }
        #expect(bench.stubs.requests.count == (isSame ? 1 : 3))
    }
}

/// A store that cannot be used.
final class UnreachableStore: SharedStore {
    func read(_ keys: [String]) async throws -> SharedReading { throw URLError(.cannotConnectToHost) }
    func write(_ value: Data?, for key: String, lifetime: Duration) async throws { throw URLError(.cannotConnectToHost) }
    func replace(_ former: Data?, with value: Data?, for key: String, lifetime: Duration) async throws -> Bool {
        throw URLError(.cannotConnectToHost)
    }
}
