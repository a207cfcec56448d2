import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Awaited calls in the task of their caller", .limitedParallelism)
struct DirectCallTests {
    /// Responds at once and records the task in which it was called.
    private final class Canned: Transport {
        let keepsLimits: Bool
        let tasks = Recorder<Int>()

        init(keepsLimits: Bool) {
            self.keepsLimits = keepsLimits
        }

        func send(_ request: HTTPRequest) async throws -> TransportResponse {
            tasks.note(currentTask())
            return .json("1")
        }
    }

    /// A call, and whether its transport is called in the task that awaits it.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var keepsLimits = true
        let isDirect: Bool
        var configure: @Sendable (Client) -> Void = { _ in }
        var change: @Sendable (Request) -> Request = { $0 }
    }

    static let rows = [
        Row(testDescription: "plain", isDirect: true),
        Row(testDescription: "over a transport without time limits of its own", keepsLimits: false, isDirect: false),
        Row(testDescription: "with a deadline", isDirect: true, change: { $0.deadline(.seconds(5)).timeout(.seconds(9)) }),
        Row(
            testDescription: "with common params and headers", isDirect: true,
            configure: {
                $0.commonParams { _ in ["a": 1] }
                $0.commonHeaders { _ in ["X-B": "2"] }
            }),
        Row(
            testDescription: "with common params that are awaited", isDirect: true,
            configure: {
                $0.commonParams { _ in
                    await Task { ["a": 1] as Params }.value
                }
            }),
        Row(
            testDescription: "with a retry policy", isDirect: true,
            configure: { $0.configureDefaults { $0.retry = .exponential(limit: 2) } }),
        Row(
            testDescription: "with a fixed key", isDirect: true,
            configure: { $0.configureDefaults { $0.authentication = .bearer("made-up") } }),
        Row(
            testDescription: "with a valid credential", isDirect: true,
            configure: { client in
                client.configureDefaults {
                    $0.authentication = Authentication(
                        BearerAuthenticator { $0 }, store: MemoryCredentialStore(BearerToken(accessToken: "made-up")))
                }
            }),
        Row(
            testDescription: "with a credential that has to be refreshed first", isDirect: true,
            configure: { client in
                client.configureDefaults {
                    $0.authentication = Authentication(
                        BearerAuthenticator { _ in BearerToken(accessToken: "new") },
                        store: MemoryCredentialStore(BearerToken(accessToken: "old", expiry: .distantPast)))
                }
            }),
        Row(
            testDescription: "with a token from a closure", isDirect: true,
            configure: { $0.configureDefaults { $0.authentication = .bearer { "made-up" } } }),
        Row(testDescription: "with a `before` closure", isDirect: true, change: { $0.before {} }),
        Row(testDescription: "with an id, by which it can be suspended", isDirect: false, change: { $0.id("a") }),
    ]

    @Test("a call is sent in the task that awaits it", arguments: rows)
    func task(row: Row) async throws {
        let transport = Canned(keepsLimits: row.keepsLimits)
        let client = Client(transport: transport)
        client.defaultHost = "https://example.com"
        row.configure(client)
        #expect(try await row.change(client.get("/a")).value(as: Int.self) == 1)
        #expect((transport.tasks.events == [currentTask()]) == row.isDirect)
        #expect(client.registry.calls(.all).isEmpty)
    }

    @Test("a stub responds at once, and a delayed one ends at the call's timeout")
    func stubs() async throws {
        let stubs = Stubs()
        let client = Client(testing: stubs)
        stubs.get("/a").reply(json: 1)
        stubs.get("/late").reply(.json(1).delayed(by: .seconds(30)))
        #expect(try await client.get("/a").value(as: Int.self) == 1)
        let error = await #expect(throws: APIError.self) { try await client.get("/late").timeout(.seconds(2)).value(as: Int.self) }
        #expect(error?.kind == .timeout)
        #expect(stubs.requests.count == 2)
    }

    @Test("cancelling a call by its tag ends the wait of a task that is not cancelled", arguments: [true, false])
    func cancelledFromOutside(overEngine: Bool) async throws {
        let server = try LoopbackServer()
        server.get("/silence") { _ in .unanswered }
        let held = HeldTransport()
        let client = overEngine ? Client() : Client(transport: held)
        client.configure("forum") { $0.host = server.url }
        let task = Task {
            let error = await #expect(throws: CancellationError.self) { try await client.tag("forum").get("/silence").value(as: Int.self) }
            return error != nil && !Task.isCancelled
        }
        if overEngine { await server.requestsReceived(1) } else { await held.arrived(1) }
        client.calls.cancel(tag: "forum")
        #expect(await task.value)
        await client.hasNoCalls()
    }

    @Test("cancelling the task ends the call", arguments: [true, false])
    func cancelledTask(overEngine: Bool) async throws {
        let server = try LoopbackServer()
        server.get("/silence") { _ in .unanswered }
        let held = HeldTransport()
        let client = overEngine ? Client() : Client(transport: held)
        client.defaultHost = server.url
        let ends = Recorder<String>()
        client.observe { event in
            if case .finished(let result) = event.kind { ends.note("\(result)") }
        }
        let task = Task { try await client.get("/silence").value(as: Int.self) }
        if overEngine { await server.requestsReceived(1) } else { await held.arrived(1) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await client.hasNoCalls()
        await ends.reached(1)
        #expect(ends.events.count == 1 && ends.events[0].contains("Cancellation"))
    }

    @Test("a call in a task that is cancelled already is not sent")
    func cancelledBefore() async throws {
        let transport = Canned(keepsLimits: true)
        let client = Client(transport: transport)
        client.defaultHost = "https://example.com"
        let task = Task {
            await untilCancelled()
            return try await client.get("/a").value(as: Int.self)
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(transport.tasks.events.isEmpty)
        await client.hasNoCalls()
    }

    @Test("an error handler that waits does not delay the cancellation of its call")
    func handler() async throws {
        let asked = Counter()
        let client = Client(transport: ClosureTransport { _ in .status(500) })
        client.configure("forum") { forum in
            forum.host = "https://example.com"
            forum.onError = { _, _ in
                asked.increment()
                await untilCancelled()
                return .proceed
            }
        }
        let ends = Counter()
        client.observe { event in
            if case .finished = event.kind { ends.increment() }
        }
        let task = Task { try await client.tag("forum").get("/a").value(as: Int.self) }
        await asked.reached(1)
        client.calls.cancel(tag: "forum")
        await #expect(throws: CancellationError.self) { try await task.value }
        await client.hasNoCalls()
        await client.observation.finish()
        #expect(ends.count == 1)
    }

    @Test("a call fails with a timeout if a transport with its own time limits returns late")
    func late() async throws {
        let clock = VirtualClock()
        let client = Client(transport: Slow(clock: clock), clock: clock)
        client.defaultHost = "https://example.com"
        for request in [client.get("/a").timeout(.seconds(1)), client.get("/a").deadline(.seconds(1))] {
            let error = await #expect(throws: APIError.self) { try await request.value(as: Int.self) }
            #expect(error?.kind == .timeout)
            #expect(error?.attempts == 1)
        }
        #expect(clock.delays.isEmpty)
    }

    @Test("stages that join a call after its first attempt do not repeat that attempt", arguments: [503, 401])
    func handedOver(status: Int) async throws {
        let stubs = Stubs()
        stubs.get("/a").sequence(.status(status), .json(1), .json(1))
        let client = Client(testing: stubs)
        let refreshes = Counter()
        client.configure("forum") { forum in
            forum.host = "https://example.com"
            forum.retry = .exponential(limit: 2)
            forum.authentication = Authentication(
                BearerAuthenticator { _ in
                    refreshes.increment()
                    return BearerToken(accessToken: "new")
                }, store: MemoryCredentialStore(BearerToken(accessToken: "old")))
        }
        let kinds = Recorder<String>()
        client.observe { kinds.note("\($0.kind)".prefix { $0 != "(" }.description) }
        #expect(try await client.tag("forum").get("/a").value(as: Int.self) == 1)
        #expect(try await client.tag("forum").get("/a").value(as: Int.self) == 1)
        await client.observation.finish()
        #expect(
            stubs.requests.map { $0.headers["Authorization"] ?? "" }
                == (status == 401 ? ["Bearer old", "Bearer new", "Bearer new"] : Array(repeating: "Bearer old", count: 3)))
        #expect(refreshes.count == (status == 401 ? 1 : 0))
        let retrying = status == 401 ? [] : ["retrying"]
        #expect(
            kinds.events == ["started", "attempt", "failed"] + retrying + [
                "attempt", "answered", "finished", "started", "attempt", "answered", "finished",
            ])
        await client.hasNoCalls()
    }

    @Test("the deadline of a call ends the wait for its next attempt")
    func deadlineAcrossStages() async throws {
        let clock = VirtualClock()
        let client = Client(transport: Slow(clock: clock, status: 503), clock: clock)
        client.configureDefaults { defaults in
            defaults.host = "https://example.com"
            defaults.retry = .exponential(limit: 2)
        }
        let task = Task { try await client.get("/a").deadline(.milliseconds(2100)).value(as: Int.self) }
        await clock.scheduled(.milliseconds(500))
        clock.advance(by: .milliseconds(100))
        let error = await #expect(throws: APIError.self) { try await task.value }
        #expect(error?.kind == .timeout)
        #expect(error?.attempts == 1)
    }

    @Test("cancelling a call while its stages wait ends it at once", arguments: [true, false])
    func cancelledBetweenAttempts(byTask: Bool) async throws {
        let clock = VirtualClock()
        let transport = ClosureTransport { _ in .status(503) }
        let client = Client(transport: transport, clock: clock)
        client.configure("forum") { forum in
            forum.host = "https://example.com"
            forum.retry = .exponential(limit: 2)
        }
        let waits = Counter()
        let ends = Recorder<String>()
        client.observe { event in
            if case .retrying = event.kind { waits.increment() }
            if case .finished(let result) = event.kind { ends.note("\(result)") }
        }
        let task = Task { try await client.tag("forum").get("/a").value(as: Int.self) }
        await waits.reached(1)
        if byTask { task.cancel() } else { client.calls.cancel(tag: "forum") }
        await #expect(throws: CancellationError.self) { try await task.value }
        await client.hasNoCalls()
        await ends.reached(1)
        #expect(ends.events.count == 1 && ends.events[0].contains("Cancellation"))
    }

    private struct Slow: Transport {
        let clock: VirtualClock
        var status = 200
        let keepsLimits = true

        func send(_ request: HTTPRequest) async throws -> TransportResponse {
            clock.advance(by: .seconds(2))
            return .json("1", status: status)
        }
    }
}

private func currentTask() -> Int { withUnsafeCurrentTask { $0?.hashValue ?? 0 } }
