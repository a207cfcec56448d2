#if os(Linux)
import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// Connections before they carry a request, and between two of them.
@Suite(.needsEngine, .limitedParallelism) struct CurlConnectionTests {
    // MARK: Connecting

    @Test(
        "a call that cannot connect ends at once when it is cancelled or timed out, and delays no other call", .needsTLS,
        arguments: [true, false])
    func connecting(isCancelled: Bool) async throws {
        // TLS needs bytes from the server, so that the connection never gets ready.
        let silent = try #require(UnservedPort(.silent))
        let server = try LoopbackServer()
        server.get("/fine") { _ in .json(text: "1") }
        let client = Client(transport: try CurlTransport())
        let calls = (0..<20).map { _ in
            let call = client.host("https://127.0.0.1:\(silent.port)").get("/")
            return (isCancelled ? call : call.timeout(.milliseconds(50))).execute(.void)
        }
        for _ in 0..<20 { #expect(try await client.host(server.url).get("/fine").value(as: Int.self) == 1) }
        for call in calls {
            if isCancelled { call.cancel() }
            switch await call.result {
            case .success: Issue.record("the silent server responded")
            case .failure(let error): #expect(isCancelled ? error is CancellationError : (error as? APIError)?.kind == .timeout)
            }
        }
        #expect(try await client.host(server.url).get("/fine").value(as: Int.self) == 1)
    }

    @Test("a response reports the time of each phase, and none for connecting if its connection is used again", .needsKeptConnections)
    func timings() async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in .json(text: "1").delayed(by: .milliseconds(20)) }
        let client = Client(transport: try CurlTransport())
        let first = try #require(try await client.host(server.url).get("/a").execute(.response(as: Int.self)).value.timings)
        let second = try #require(try await client.host(server.url).get("/a").execute(.response(as: Int.self)).value.timings)
        #expect(first.connect != nil && first.tls == nil)
        #expect(second.dns == nil && second.connect == nil)
        for timings in [first, second] { #expect(try #require(timings.firstByte) >= .milliseconds(10)) }
    }

    @Test("streams and downloads report the time of each phase, and a queued transfer reports its wait", .needsKeptConnections)
    func otherTimings() async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in .json(text: "1").delayed(by: .milliseconds(20)) }
        var configuration = CurlConfiguration()
        configuration.transfersPerOrigin = 1
        let client = Client(transport: try CurlTransport(configuration))
        client.defaultHost = server.url
        let answers = Recorder<HTTPResponse>()
        client.observe { event in
            if case .answered(let answer) = event.kind { answers.note(answer) }
        }
        for try await _ in client.get("/a").stream() {}
        let folder = try ScratchFolder()
        _ = try await client.get("/a").execute(.download(to: folder.file("a"))).value
        _ = try await client.get("/a").onProgress { _ in }.value()
        await answers.reached(3)
        let timings = try answers.events.map { try #require($0.timings) }
        for timings in timings { #expect(try #require(timings.firstByte) >= .milliseconds(10)) }
        #expect(timings.dropFirst().allSatisfy { $0.transfer != nil })
        #expect(timings.map { $0.connect != nil } == [true, false, false])
        let gate = LoopbackGate()
        server.get("/held") { _ in .json(text: "1").held(by: gate) }
        let calls: [Promise<Response<Int>>] = [
            client.get("/held").execute(.response(as: Int.self)), client.get("/a").execute(.response(as: Int.self)),
        ]
        await gate.entered(1)
        gate.open()
        var waits: [Duration] = []
        for call in calls { waits.append(try #require(try await call.value.timings?.queue)) }
        #expect(try #require(waits.max()) > .zero)
    }

    @Test("a queued transfer can be cancelled or time out, and its error reports the wait", arguments: [0, 100_000])
    func waiting(length: Int) async throws {
        let server = try LoopbackServer()
        let gate = LoopbackGate()
        server.post("/held") { _ in .json(text: "1").held(by: gate) }
        server.post("/fine") { .json(text: "\($0.body.count)") }
        var configuration = CurlConfiguration()
        configuration.transfersPerOrigin = 1
        let client = Client(transport: try CurlTransport(configuration)).host(server.url)
        let body = Data(count: length)
        let held = client.post("/held").body(body, contentType: "text/plain").execute(as: Int.self)
        await gate.entered(1)
        let cancelled = client.post("/fine").body(body, contentType: "text/plain").execute(as: Int.self)
        // Long enough to reach the engine on a busy machine.
        let late = client.post("/fine").body(body, contentType: "text/plain").deadline(.seconds(2)).execute(as: Int.self)
        let patient = client.post("/fine").body(body, contentType: "text/plain").execute(as: Int.self)
        let error = try #require(await late.result.error as? APIError)
        #expect(error.kind == .timeout)
        #expect(try #require(error.timings?.queue) > .zero && error.timings?.firstByte == nil)
        cancelled.cancel()
        gate.open()
        #expect(try await (held.value, patient.value) == (1, length))
        #expect(server.requestCount == 2)
    }

    @Test("an error and the record of its call report the phases that the last attempt reached")
    func failedTimings() async throws {
        let server = try LoopbackServer()
        server.get("/refusal") { _ in StubReply.status(503).delayed(by: .milliseconds(20)) }
        server.get("/silence") { _ in .unanswered }
        server.get("/cut") { _ in .text("0123456789").connectionLost(after: 4) }
        let closed = try #require(UnservedPort(.closed))
        func timings(_ address: String) async throws -> CallTimings {
            let clock = VirtualClock()
            let client = Client(transport: try CurlTransport(), clock: clock)
            let records = CallRecords()
            let calls = Recorder<RecordedCall>()
            client.observe { event in
                for call in records.record(event) { calls.note(call) }
            }
            let call = client.absoluteURL(address).timeout(.seconds(60)).execute()
            if address.hasSuffix("/silence") {
                await server.requestsReceived(2)
                clock.advance(by: .seconds(60))
            }
            let error = try #require(await #expect(throws: APIError.self) { try await call.value })
            let timings = try #require(error.timings)
            await calls.reached(1)
            #expect(calls.events.first?.timings.connect == timings.connect)
            return timings
        }
        let refusal = try await timings(server.url + "/refusal")
        #expect(refusal.connect != nil && refusal.transfer != nil)
        #expect(try #require(refusal.firstByte) >= .milliseconds(10))
        let silence = try await timings(server.url + "/silence")
        #expect(silence.queue != nil && silence.connect != nil)
        #expect(silence.firstByte == nil && silence.transfer == nil)
        let cut = try await timings(server.url + "/cut")
        #expect(cut.connect != nil && cut.firstByte != nil && cut.transfer != nil)
        let unconnected = try await timings("http://127.0.0.1:\(closed.port)")
        #expect(unconnected.queue != nil)
        #expect(unconnected.connect == nil && unconnected.firstByte == nil && unconnected.transfer == nil)
    }

    // MARK: Before a connection is used again

    @Test("an idle connection is checked for stray bytes and its end before it is used again")
    func lastLook() throws {
        let poller = try #require(Poller())
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        poller.opened(ends[0])
        poller.watchIdle(ends[0])
        #expect(!poller.hasStrayBytes(on: ends[0]))
        #expect(write(ends[1], "x", 1) == 1)
        #expect(poller.hasStrayBytes(on: ends[0]))
        var byte: UInt8 = 0
        #expect(read(ends[0], &byte, 1) == 1)
        #expect(!poller.hasStrayBytes(on: ends[0]))
        shutdown(ends[1], Int32(SHUT_WR))
        #expect(poller.hasStrayBytes(on: ends[0]))
        // While libcurl uses the connection, it waits for its bytes.
        poller.watch(ends[0], for: 1)
        #expect(!poller.hasStrayBytes(on: ends[0]))
    }

    @Test("a connection that the peer has closed is noticed, whatever the peer has sent before")
    func closedByPeer() throws {
        let poller = try #require(Poller())
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        poller.opened(ends[0])
        #expect(!poller.isClosedByPeer(ends[0]))
        #expect(write(ends[1], "x", 1) == 1)
        #expect(!poller.isClosedByPeer(ends[0]))
        shutdown(ends[1], Int32(SHUT_WR))
        #expect(poller.isClosedByPeer(ends[0]))
    }

    @Test("bytes on an idle connection are discarded only while no transfer uses it", arguments: [true, false])
    func use(before: Bool) throws {
        let poller = try #require(Poller())
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        poller.opened(ends[0])
        // The next transfer may get the connection before the loop knows that the last one has ended. The poller then does not watch it.
        if !before { poller.watchIdle(ends[0]) }
        poller.willUse(ends[0])
        #expect(write(ends[1], "x", 1) == 1)
        poller.setTimer(0)
        poller.wait { _ in Issue.record("nobody waits for it") }
        var byte: UInt8 = 0
        #expect(read(ends[0], &byte, 1) == 1 && byte == UInt8(ascii: "x"))
        poller.watchIdle(ends[0])
        #expect(write(ends[1], "x", 1) == 1)
        poller.wait { _ in Issue.record("nobody waits for it") }
        #expect(read(ends[0], &byte, 1) == 0)
    }

    @Test(
        "bytes on a connection that is used again are not discarded, even if the response comes fast and is read slowly",
        .needsKeptConnections)
    func fastResponses() async throws {
        let server = try LoopbackServer()
        let megabyte = Data(repeating: 7, count: 1_000_000)
        server.get("/large") { _ in .repeated(megabyte, count: 2) }
        let client = Client(transport: try CurlTransport())
        client.defaultHost = server.url
        for _ in 0..<300 {
            var count = 0
            for try await piece in client.get("/large").stream() { count += piece.count }
            try #require(count == 2_000_000)
        }
        #expect(server.connectionCount == 1)
    }

    @Test(
        "each GET gets its response from a server that closes its connections without announcing it",
        arguments: [TransportTests.Subject.curl, .curlOverTLS])
    func silentEndsOfGets(subject: TransportTests.Subject) async throws {
        if subject == .curlOverTLS, !Engine.offersTLS { return }
        let server = try subject.newServer()
        server.get("/a/{n}") { .text($0.parameters["n"] ?? "").closingConnection(announced: false) }
        let client = Client(transport: try subject.newTransport())
        client.configureDefaults {
            $0.host = server.url
            $0.maxConcurrentCalls = ConcurrencyLimit(2)
        }
        let outcomes = Recorder<String>()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<1000 {
                group.addTask {
                    switch await client.get("/a/\(number)").execute(.string).result {
                    case .success(let text): outcomes.note(text == "\(number)" ? "right" : "wrong")
                    case .failure(let error): outcomes.note("\(error)")
                    }
                }
            }
        }
        #expect(outcomes.count == 1000)
        #expect(Set(outcomes.events) == ["right"])
    }

    @Test("no POST is sent twice to a server that closes its connections without announcing it")
    func silentEnds() async throws {
        let server = try LoopbackServer()
        server.post("/a") { .body($0.body).closingConnection(announced: false) }
        var configuration = CurlConfiguration()
        configuration.transfersPerOrigin = 2
        let client = Client(transport: try CurlTransport(configuration))
        client.defaultHost = server.url
        let outcomes = Recorder<Bool>()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<300 {
                group.addTask {
                    switch await client.post("/a").json(["n": number]).execute(.void).result {
                    case .success: outcomes.note(true)
                    case .failure(let error):
                        // The server may close the connection after the last check. The caller then receives an error and decides.
                        #expect((error as? APIError)?.kind == .connectionLost)
                        outcomes.note(false)
                    }
                }
            }
        }
        let arrived = server.requests.map(\.text)
        #expect(outcomes.count == 300)
        #expect(Set(arrived).count == arrived.count)
        #expect(outcomes.events.filter { $0 }.count <= arrived.count)
    }
}
#endif
