#if os(Linux)
import CatenaTesting
import CatenaURLSession
import Foundation
import TestSupport
import Testing

@testable import Catena

/// Whole responses with a deadline that the transport keeps.
@Suite(.limitedParallelism) struct CollectingTests {
    private static func request(_ url: String) async throws -> HTTPRequest {
        try await Client().absoluteURL(url).preview()
    }

    private static func deadline(in time: Duration) -> TransferDeadline {
        TransferDeadline(instant: .now + time, limit: .attempt(time))
    }

    @Test(
        "a response is received whole before its deadline, and fails if it exceeds the limit",
        arguments: Engine.isThere ? [true, false] : [false])
    func whole(overCurl: Bool) async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in .json(text: "[1,2]") }
        let transport = Carrier(overCurl ? try CurlTransport() : URLSessionTransport.shared)
        let request = try await Self.request(server.url + "/a")
        for deadline in [nil, Self.deadline(in: .seconds(60))] {
            let response = try await transport.receive(request, limit: 100, stopper: TransferStopper(deadline: deadline))
            #expect(response.status == 200 && response.body == Data("[1,2]".utf8))
        }
        let error = await #expect(throws: APIError.self) {
            try await transport.receive(request, limit: 4, stopper: TransferStopper())
        }
        #expect(error?.kind == .bodyTooLarge)
    }

    @Test(
        "a response of any length is received whole, whatever the lengths of earlier responses", .needsKeptConnections,
        arguments: [10, 1023, 1024, 1025, 70_000, 300_000])
    func lengths(long: Int) async throws {
        let server = try LoopbackServer()
        server.get("/short") { _ in .json(text: "1") }
        server.get("/long") { _ in .json(text: "\"" + String(repeating: "a", count: long) + "\"") }
        let transport = Carrier(try CurlTransport())
        for name in ["short", "long", "short", "short", "long", "long", "short"] {
            let request = try await Self.request(server.url + "/" + name)
            let response = try await transport.receive(request, limit: 400_000, stopper: TransferStopper())
            #expect(response.body.count == (name == "short" ? 1 : long + 2))
        }
        #expect(server.connectionCount == 1)
    }

    @Test("bodies that are kept stay as they were while others are received and released", .needsEngine)
    func kept() async throws {
        let server = try LoopbackServer()
        for index in 0..<20 {
            server.get("/\(index)") { _ in .json(text: String(repeating: String(index % 10), count: 30_000 + 9_000 * index)) }
        }
        let transport = Carrier(try CurlTransport())
        var kept: [Int: Data] = [:]
        for round in 0..<4 {
            let bodies = try await withThrowingTaskGroup(of: (Int, Data).self) { group in
                for index in 0..<20 {
                    group.addTask {
                        let request = try await Self.request(server.url + "/\(index)")
                        return (index, try await transport.receive(request, limit: 400_000, stopper: TransferStopper()).body)
                    }
                }
                return try await group.reduce(into: [Int: Data]()) { bodies, body in bodies[body.0] = body.1 }
            }
            // Each round keeps the bodies of another fourth of the paths and releases the others.
            kept.merge(bodies.filter { $0.key % 4 == round }) { former, _ in former }
        }
        for (index, body) in kept {
            #expect(body == Data(repeating: UInt8(ascii: "0") + UInt8(index % 10), count: 30_000 + 9_000 * index))
        }
        #expect(kept.count == 20)
    }

    @Test("a deadline ends the transfer with the error of the limit that set it", .needsEngine)
    func late() async throws {
        let server = try LoopbackServer()
        server.get("/silence") { _ in .unanswered }
        let transport = Carrier(try CurlTransport())
        let request = try await Self.request(server.url + "/silence")
        // Long enough for connecting, on a machine with much to do.
        let time = Duration.milliseconds(500)
        for limit in [TimeLimit.attempt(time), .call(time)] {
            let deadline = TransferDeadline(instant: .now + time, limit: limit)
            let error = await #expect(throws: APIError.self) {
                try await transport.receive(request, limit: 100, stopper: TransferStopper(deadline: deadline))
            }
            #expect(ContinuousClock.now >= deadline.instant)
            #expect(error?.kind == .timeout && error?.message == APIError(late: limit, in: .waiting).message)
        }
    }

    @Test("nothing is sent after the deadline", .needsEngine)
    func past() async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in .json(text: "1") }
        let transport = Carrier(try CurlTransport())
        let request = try await Self.request(server.url + "/a")
        let error = await #expect(throws: APIError.self) {
            try await transport.receive(request, limit: 100, stopper: TransferStopper(deadline: Self.deadline(in: .seconds(-1))))
        }
        #expect(error?.kind == .timeout)
        #expect(server.requestCount == 0)
    }

    @Test("queued transfers end at their deadlines in any order, and the next transfer gets its turn", .needsEngine)
    func queued() async throws {
        let server = try LoopbackServer()
        let gate = LoopbackGate()
        server.get("/held") { _ in .json(text: "1").held(by: gate) }
        server.get("/a") { _ in .json(text: "2") }
        var configuration = CurlConfiguration()
        configuration.transfersPerOrigin = 1
        let transport = Carrier(try CurlTransport(configuration))
        let (held, other) = (try await Self.request(server.url + "/held"), try await Self.request(server.url + "/a"))
        async let first = transport.receive(held, limit: 100, stopper: TransferStopper(deadline: Self.deadline(in: .seconds(600))))
        await gate.entered(1)
        let times = [30, 10, 20, 40].map { Duration.milliseconds($0) }
        let kinds = await withTaskGroup(of: APIError.Kind?.self) { group in
            for time in times {
                group.addTask {
                    do {
                        let deadline = TransferDeadline(instant: .now + time, limit: .call(time))
                        _ = try await transport.receive(other, limit: 100, stopper: TransferStopper(deadline: deadline))
                        return nil
                    } catch { return (error as? APIError)?.kind }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(kinds == [.timeout, .timeout, .timeout, .timeout])
        async let last = transport.receive(other, limit: 100, stopper: TransferStopper())
        gate.open()
        #expect(try await first.body == Data("1".utf8))
        #expect(try await last.body == Data("2".utf8))
        #expect(server.requestCount == 2)
    }

    @Test("each call ends exactly once, even if it is cancelled at any moment or passes its deadline", .needsEngine)
    func cancelled() async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in .json(text: "1") }
        let transport = Carrier(try CurlTransport())
        let request = try await Self.request(server.url + "/a")
        let ends = Counter()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<2000 {
                group.addTask {
                    let call = Task {
                        let deadline = number % 3 == 0 ? Self.deadline(in: .microseconds(number)) : nil
                        return try await transport.receive(request, limit: 100, stopper: TransferStopper(deadline: deadline))
                    }
                    if number % 2 == 0 {
                        // Cancel after some of the other calls have ended, which do not depend on this one.
                        await ends.reached(number / 8)
                        call.cancel()
                    }
                    switch await call.result {
                    case .success(let response): #expect(response.body == Data("1".utf8))
                    case .failure(let error): #expect(error is CancellationError || (error as? APIError)?.kind == .timeout)
                    }
                    ends.increment()
                }
            }
        }
        await ends.reached(2000)
        #expect(try await transport.receive(request, limit: 100, stopper: TransferStopper()).status == 200)
    }
}
#endif
