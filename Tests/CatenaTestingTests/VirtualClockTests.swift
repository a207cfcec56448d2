import Catena
import CatenaTesting
import Foundation
import TestSupport
import Testing

@Suite(.limitedParallelism) struct VirtualClockTests {
    let stubs = Stubs()
    let clock = VirtualClock()

    @Test("a schedule of retries over 30 seconds and more runs without waiting")
    func longSchedule() async throws {
        let client = Client(testing: stubs, clock: clock)
        stubs.get("/a").sequence(.status(503), .status(503), .connectionLost, .status(503), .status(503), .reply(data: 1))
        let call = client.get("/a").retry(.exponential(limit: 5, baseDelay: .seconds(2))).execute(as: Int.self)
        await clock.runUntilIdle()
        #expect(!call.isPending)
        #expect(try await call.value == 1)
        #expect(clock.now == .seconds(2 + 4 + 8 + 16 + 30))
        #expect(clock.delays.isEmpty)
    }

    @Test("a clock stands still until the test advances it")
    func standsStill() async throws {
        let client = Client(testing: stubs, clock: clock)
        stubs.get("/a").delay(.seconds(5)).reply(data: 1)
        let call = client.get("/a").execute(as: Int.self)
        await clock.scheduled(.seconds(5))
        clock.advance(by: .seconds(4))
        #expect(call.isPending)
        clock.advance(by: .seconds(1))
        #expect(try await call.value == 1)
    }

    @Test("a timeout that is earlier than the end of a wait expires at its time", arguments: [true, false])
    func limit(isAutomatic: Bool) async {
        let clock = VirtualClock(isAutomatic: isAutomatic)
        let client = Client(testing: stubs, clock: clock)
        stubs.get("/a").delay(.seconds(30)).reply(data: 1)
        let call = client.get("/a").timeout(.seconds(10)).execute()
        if !isAutomatic { await clock.runUntilIdle() }
        let error = await #expect(throws: APIError.self) { try await call.value }
        #expect(error?.kind == .timeout)
        #expect(clock.now == .seconds(10))
    }

    @Test("a deadline expires between two attempts, and a stub that never replies waits for a timeout")
    func deadline() async {
        let client = Client(testing: stubs)
        stubs.get("/a").reply(status: 503)
        stubs.get("/b").reply(.unanswered)
        let late = await #expect(throws: APIError.self) {
            try await client.get("/a").retry(.exponential(limit: 9, baseDelay: .seconds(4))).deadline(.seconds(10)).value()
        }
        #expect(late?.kind == .timeout)
        #expect(stubs.clock.now == .seconds(10))
        let silent = await #expect(throws: APIError.self) { try await client.get("/b").timeout(.seconds(3)).value() }
        #expect(silent?.kind == .timeout)
        #expect(stubs.clock.now == .seconds(13))
    }

    @Test("a timeout always expires before a slower stub replies", arguments: ["value", "execute", "stream", "download"])
    func limits(way: String) async throws {
        for _ in 0..<100 {
            let stubs = Stubs()
            let request = Client(testing: stubs).get("/slow").timeout(.seconds(10))
            stubs.get("/slow").delay(.seconds(30)).reply(data: 1)
            let error = await #expect(throws: APIError.self) {
                switch way {
                case "value": _ = try await request.value()
                case "execute": _ = try await request.execute().value
                case "stream": for try await _ in request.stream() {}
                default: _ = try await request.execute(.download(to: .temporaryDirectory.appending(path: "catena-none"))).value
                }
            }
            #expect(error?.kind == .timeout)
            try #require(stubs.clock.now == .seconds(10))
        }
    }

    @Test("runUntilIdle ends several calls, also those that make other calls")
    func several() async throws {
        let client = Client(testing: stubs, clock: clock)
        stubs.get("/token").delay(.seconds(2)).reply(data: "made-up")
        stubs.get("/a").delay(.seconds(3)).reply(data: 1)
        let calls = (0..<20).map { _ in
            client.get("/a").before { _ = try await client.get("/token").value() }.execute(as: Int.self)
        }
        await clock.runUntilIdle()
        #expect(try await Promise<Int>.all(calls).value == Array(repeating: 1, count: 20))
        await clock.runUntilIdle()
    }

    @Test("cancelling ends a wait at once, on either clock", arguments: [true, false])
    func cancelled(isAutomatic: Bool) async {
        let clock = VirtualClock(isAutomatic: isAutomatic)
        let client = Client(testing: stubs, clock: clock)
        let (entered, opener) = Promise<Void>.pending()
        stubs.get("/a").reply { _ in
            opener.fulfill(())
            // The stub waits although its call has been cancelled.
            await untilCancelled()
            return .unanswered
        }
        let call = client.get("/a").execute()
        _ = await entered.result
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        await clock.runUntilIdle()
        #expect(clock.now == .zero)
    }
}
