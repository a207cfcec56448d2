import Catena
import CatenaTesting
import Foundation
import TestSupport
import Testing

@Suite(.limitedParallelism) struct PipelineTests {
    let clock = VirtualClock()

    let stubs = Stubs()
    let client: Client

    init() {
        client = Client(testing: stubs, clock: clock)
        client.defaultHost = "https://example.com"
    }

    /// Never responds, but ends when it is cancelled.
    static func silence<Answer: Sendable>() async throws -> Answer {
        let (promise, resolver) = Promise<Answer>.pending()
        defer { withExtendedLifetime(resolver) {} }
        return try await promise.value
    }

    // MARK: Before

    @Test("a `before` closure may delay a call") func beforeDelays() async throws {
        stubs.get("/a").reply(json: 1)
        let (gate, opener) = Promise<Void>.pending()
        let entered = Counter()
        let call = client.get("/a").before {
            entered.increment()
            try await gate.value
        }.execute(as: Int.self)
        await entered.reached(1)
        #expect(stubs.requests.isEmpty)
        opener.fulfill(())
        #expect(try await call.value == 1)
    }

    @Test("a `before` closure may fail a call, and later closures do not run") func beforeRejects() async {
        stubs.get("/a").reply(json: 1)
        let later = Counter()
        let call = client.get("/a").before { throw Failure(7) }.before { later.increment() }
        let error = await #expect(throws: APIError.self) { try await call.value() }
        #expect(error?.underlying as? Failure == Failure(7))
        #expect(stubs.requests.isEmpty)
        #expect(later.count == 0)
    }

    @Test("a `before` closure runs once, whatever the number of attempts") func beforeRunsOnce() async throws {
        stubs.get("/a").sequence(.status(503), .status(503), .json(1))
        let runs = Counter()
        let call = client.get("/a").before { runs.increment() }.retry(.exponential(limit: 2, baseDelay: .seconds(1))).execute(as: Int.self)
        await clock.scheduled(.seconds(1))
        clock.advance(by: .seconds(1))
        await clock.scheduled(.seconds(2))
        clock.advance(by: .seconds(2))
        #expect(try await call.value == 1)
        #expect(runs.count == 1)
    }

    // MARK: Retry

    @Test("common closures run again for every attempt") func freshAttempts() async throws {
        stubs.get("/a").sequence(.status(503), .json(1))
        let asked = Counter()
        client.commonHeaders { _ in
            asked.increment()
            return ["X-Nonce": String(asked.count)]
        }
        let call: Promise<Response<Int>> = client.get("/a").retry(.exponential(limit: 1)).execute(.response(as: Int.self))
        await clock.scheduled(.milliseconds(500))
        clock.advance(by: .milliseconds(500))
        let response = try await call.value
        #expect(response.attempts == 2)
        #expect(stubs.requests.map { $0.headers["X-Nonce"] } == ["1", "2"])
    }

    @Test("a call that has used all of its retries fails with the last error and the number of attempts")
    func exhausted() async {
        stubs.get("/a").reply(json: ["code": 9, "msg": "busy"], status: 503)
        let call = client.get("/a").retry(.exponential(limit: 1)).execute()
        await clock.scheduled(.milliseconds(500))
        clock.advance(by: .milliseconds(500))
        let error = await #expect(throws: APIError.self) { try await call.value }
        #expect(error?.attempts == 2)
        #expect(error?.code == 9)
        #expect(error?.message == "busy")
        #expect(stubs.requests.count == 2)
    }

    @Test("a POST is not retried") func postOnce() async {
        stubs.post("/a").reply(status: 503)
        await #expect(throws: APIError.self) { try await client.post("/a").retry(.exponential(limit: 3)).value() }
        #expect(stubs.requests.count == 1)
    }

    @Test("cancelling while a call waits for its next attempt ends it at once") func cancelledWait() async {
        stubs.get("/a").reply(status: 503)
        let call = client.get("/a").retry(.exponential(limit: 1)).execute()
        await clock.scheduled(.milliseconds(500))
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        clock.advance(by: .seconds(10))
        #expect(stubs.requests.count == 1)
    }

    // MARK: Time

    @Test("an attempt that takes longer than its limit is a timeout with code 110") func attemptTimeout() async {
        stubs.get("/a").reply(.unanswered)
        let call = client.get("/a").timeout(.milliseconds(300)).execute()
        await clock.scheduled(.milliseconds(300))
        clock.advance(by: .milliseconds(300))
        let error = await #expect(throws: APIError.self) { try await call.value }
        #expect(error?.kind == .timeout)
        #expect(error?.code == 110)
        #expect(error?.attempts == 1)
    }

    @Test("the timeout of an attempt includes its body") func bodyTimeout() async {
        let stopped = Promise<Void>.pending()
        // Only a transport can provide a body that learns when it is no longer read.
        let transport = ClosureTransport { _ in
            let stream = AsyncThrowingStream<Data, any Error> { stream in
                stream.yield(Data("[1,".utf8))
                stream.onTermination = { _ in stopped.resolver.fulfill(()) }
            }
            return TransportResponse(status: 200, body: TransportBody(stream))
        }
        let call = Client(transport: transport, clock: clock).host("https://example.com").get("/a").timeout(.seconds(1)).execute()
        await clock.scheduled(.seconds(1))
        await transport.requestsReceived(1)
        clock.advance(by: .seconds(1))
        let error = await #expect(throws: APIError.self) { try await call.value }
        #expect(error?.kind == .timeout)
        _ = await stopped.promise.result
    }

    @Test("the deadline includes `before`, and applies even if a closure ignores cancellation")
    func deadline() async {
        stubs.get("/a").reply(json: 1)
        let stubborn = DispatchSemaphore(value: 0)
        let call = client.get("/a").deadline(.seconds(5)).before {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    stubborn.wait()
                    continuation.resume()
                }
            }
        }.execute()
        await clock.scheduled(.seconds(5))
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: APIError.self) { try await call.value }
        #expect(error?.kind == .timeout)
        stubborn.signal()
    }

    @Test("a call that has ended leaves no timer behind") func nothingLeft() async throws {
        stubs.get("/a").reply(json: 1)
        _ = try await client.get("/a").timeout(.seconds(1)).deadline(.seconds(2)).value()
        #expect(clock.delays.isEmpty)
    }

    // MARK: Cancelling

    @Test("cancelling the promise stops the transport, and is no failure") func cancelling() async {
        let stopped = Promise<Void>.pending()
        let entered = Promise<Void>.pending()
        stubs.get("/a").reply { _ in
            entered.resolver.fulfill(())
            do { return try await Self.silence() } catch {
                stopped.resolver.fulfill(())
                throw error
            }
        }
        let called = Recorder<String>()
        let end = client.get("/a").execute().catch { _ in called.note("catch") }.finally { called.note("finally") }
        _ = await entered.promise.result
        end.cancel()
        _ = await stopped.promise.result
        await #expect(throws: CancellationError.self) { try await end.value }
        await MainActor.run {}
        #expect(called.events == ["finally"])
    }

    @Test("cancelling the task that awaits a value stops the transport") func cancellingTask() async {
        let entered = Promise<Void>.pending()
        stubs.get("/a").reply { _ in
            entered.resolver.fulfill(())
            return try await Self.silence()
        }
        let task = Task { try await client.get("/a").value() }
        _ = await entered.promise.result
        task.cancel()
        let result = await task.result
        #expect(throws: CancellationError.self) { try result.get() }
    }

    // MARK: Limits

    @Test("a response longer than allowed is refused", arguments: [(10, true), (11, false)])
    func bodyLimit(size: Int, fits: Bool) async throws {
        stubs.get("/a").reply(text: String(repeating: "1", count: size))
        client.configureDefaults { $0.bodyLimit = 10 }
        if fits {
            #expect(try await client.get("/a").execute(.data).value.count == 10)
        } else {
            let error = await #expect(throws: APIError.self) { try await client.get("/a").execute(.data).value }
            #expect(error?.kind == .bodyTooLarge)
        }
    }

    @Test("a transport's own error arrives wrapped, with the request and without secrets") func transportError() async {
        stubs.get("/a").reply { _ in throw Failure(3) }
        let request = client.get("/a").params(["access_token": "made-up-secret"]).header("Authorization", "Bearer made-up-secret")
        let error = await #expect(throws: APIError.self) { try await request.value() }
        #expect(error?.underlying as? Failure == Failure(3))
        #expect(error?.request?.url == "https://example.com/a?access_token=***")
        #expect(error.map { "\($0) \($0.localizedDescription)".contains("made-up-secret") } == false)
    }

    @Test("an error of a missed deadline has the request and the failure before it") func lateError() async {
        stubs.get("/a").reply(status: 503)
        let call = client.get("/a").retry(.exponential(limit: 9, baseDelay: .seconds(2))).deadline(.seconds(3)).execute()
        await clock.scheduled(.seconds(2))
        clock.advance(by: .seconds(2))
        await clock.scheduled(.seconds(4))
        clock.advance(by: .seconds(1))
        let error = await #expect(throws: APIError.self) { try await call.value }
        #expect(error?.kind == .timeout)
        #expect(error?.attempts == 2)
        #expect(error?.request?.url == "https://example.com/a")
        #expect((error?.underlying as? APIError)?.status == 503)
    }
}
