#if os(Linux) && canImport(Glibc)
import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// The wait of calls until a transfer to their origin may start.
@Suite("The wait for a place among the transfers to an origin", .limitedParallelism, .needsEngine) struct PlaceTests {
    /// The kind of a waiting call.
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case typed, watched, streamed, silent, silentWatched, silentStreamed

        var testDescription: String { rawValue }

        func run(_ request: Request) async throws {
            switch self {
            case .typed: _ = try await request.value(as: Int.self)
            case .watched: _ = try await request.onProgress { _ in }.value(as: Int.self)
            case .streamed: for try await _ in request.stream() {}
            case .silent: try await Self.typed.run(limited(request))
            case .silentWatched: try await Self.watched.run(limited(request))
            case .silentStreamed: try await Self.streamed.run(limited(request))
            }
        }

        private func limited(_ request: Request) -> Request {
            request.set(\.firstByteTimeout, .seconds(3)).set(\.idleTimeout, .seconds(3))
        }
    }

    /// A server that holds one request, and a client that runs one transfer at a time.
    private struct Line {
        let server: LoopbackServer
        let gate = LoopbackGate()
        let client: Client

        init(_ configure: (inout CurlConfiguration) -> Void = { _ in }) throws {
            let (server, gate) = (try LoopbackServer(), gate)
            server.get("/held") { _ in .json(text: "1").held(by: gate) }
            server.get("/a") { _ in .json(text: "2") }
            self.server = server
            var configuration = CurlConfiguration()
            configuration.transfersPerOrigin = 1
            configure(&configuration)
            client = Client(transport: try CurlTransport(configuration))
            client.defaultHost = server.url
        }

        /// Starts the call that takes the only place.
        func fill() async -> Promise<Int> {
            let held = client.get("/held").execute(as: Int.self)
            await gate.entered(1)
            return held
        }
    }

    @Test("the wait for a place does not count towards the timeout of an attempt", arguments: Kind.allCases)
    func patience(kind: Kind) async throws {
        let line = try Line()
        let held = await line.fill()
        // Long enough for the transfer after the wait on a busy machine.
        let timeout = Duration.seconds(3)
        async let waiting: Void = kind.run(line.client.get("/a").timeout(timeout))
        // When the call to a silent origin fails after its longer timeout, the first call has waited for longer than its own timeout.
        let other = try LoopbackServer()
        other.get("/silence") { _ in .unanswered }
        let error = await #expect(throws: APIError.self) {
            try await line.client.absoluteURL(other.url + "/silence").timeout(timeout * 1.2).value()
        }
        #expect(error?.kind == .timeout)
        line.gate.open()
        try await waiting
        #expect(try await held.value == 1)
        #expect(line.server.requestCount == 2)
    }

    @Test("after the wait for a place the attempt has its whole timeout, and no more", arguments: [Kind.typed, .watched, .streamed])
    func timeoutAfterWait(kind: Kind) async throws {
        let line = try Line()
        line.server.get("/a") { _ in .unanswered }
        let held = await line.fill()
        let waiting = Task { try await kind.run(line.client.get("/a").timeout(.seconds(1))) }
        line.gate.open()
        let error = await #expect(throws: APIError.self) { try await waiting.value }
        #expect(error?.message == "The attempt took longer than its timeout of 1.0 seconds, while it was waiting for the response.")
        #expect(try await held.value == 1)
    }

    @Test("without a deadline placeTimeout ends the wait, and the error names the settings", arguments: [Kind.typed, .watched, .streamed])
    func bound(kind: Kind) async throws {
        let line = try Line { $0.placeTimeout = .milliseconds(30) }
        let held = await line.fill()
        let error = await #expect(throws: APIError.self) { try await kind.run(line.client.get("/a")) }
        #expect(error?.kind == .timeout && error?.code == .timeout)
        #expect(
            error?.message
                == "None of the 1 transfers that may run to the origin at a time ended within 0.03 seconds (transfersPerOrigin, placeTimeout)."
        )
        #expect(try #require(error?.timings?.queue) >= .milliseconds(30))
        line.gate.open()
        #expect(try await held.value == 1)
        #expect(line.server.requestCount == 1)
    }

    @Test("a deadline bounds the wait instead of placeTimeout", arguments: [Kind.typed, .watched])
    func deadline(kind: Kind) async throws {
        let line = try Line { $0.placeTimeout = .milliseconds(1) }
        let held = await line.fill()
        let error = await #expect(throws: APIError.self) {
            try await kind.run(line.client.get("/a").deadline(.milliseconds(60)))
        }
        #expect(error?.message.hasPrefix("The call took longer than its deadline of 0.06 seconds") == true, "\(error?.message ?? "")")
        line.gate.open()
        #expect(try await held.value == 1)
    }

    @Test("a wait for a place that times out does not open the circuit breaker")
    func breaker() async throws {
        let line = try Line { $0.placeTimeout = .milliseconds(10) }
        let tag = Tag("place")
        line.client.configure(tag) { profile in
            profile.circuitBreaker = CircuitBreakerPolicy(failureShare: 0.5, minimumCalls: 2)
        }
        let held = await line.fill()
        for _ in 0..<4 {
            for call in [line.client.tag(tag).get("/a"), line.client.tag(tag).get("/a").deadline(.milliseconds(10))] {
                let error = await #expect(throws: APIError.self) { try await call.value() }
                #expect(error?.kind == .timeout)
            }
        }
        line.gate.open()
        #expect(try await held.value == 1)
        #expect(try await line.client.tag(tag).get("/a").value(as: Int.self) == 2)
    }

    @Test("many slow calls succeed although together they take longer than the timeout of each")
    func crowd() async throws {
        let server = try LoopbackServer()
        server.get("/slow") { _ in .json(text: "1").delayed(by: .milliseconds(500)) }
        var configuration = CurlConfiguration()
        configuration.transfersPerOrigin = 5
        let client = Client(transport: try CurlTransport(configuration))
        let values = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<40 {
                // 8 rounds of half a second are 4 seconds.
                group.addTask { try await client.host(server.url).get("/slow").timeout(.seconds(3)).value(as: Int.self) }
            }
            return try await group.reduce(0, +)
        }
        #expect(values == 40)
    }
}

@Suite("The errors of time limits", .limitedParallelism, .needsEngine) struct TimeLimitTests {
    @Test("the error of a time limit names the phase in which the time ran out")
    func phases() async throws {
        let server = try LoopbackServer()
        server.get("/silence") { _ in .unanswered }
        server.get("/half") { _ in .text("0123456789").stalled(after: 4) }
        let client = Client(transport: try CurlTransport())
        let silent = try #require(UnservedPort(.silent))
        var rows = [
            (server.url + "/silence", "waiting for the response"), (server.url + "/half", "receiving the response"),
            ("https://127.0.0.1:\(silent.port)/", "agreeing on TLS"),
        ]
        let port = try #require(UnservedPort(.closed)).port
        if let address = SilentAddress("127.0.0.1", port: port) {
            rows.append(("http://127.0.0.1:\(port)/", "connecting"))
            try await check(rows, client)
            withExtendedLifetime(address) {}
        } else {
            try await check(rows, client)
        }
    }

    private func check(_ rows: [(url: String, phase: String)], _ client: Client) async throws {
        await withTaskGroup(of: Void.self) { group in
            for (url, phase) in rows {
                group.addTask {
                    await check("The attempt took longer than its timeout of", phase) {
                        try await client.absoluteURL(url).timeout($0).value()
                    }
                }
                group.addTask {
                    await check("The call took longer than its deadline of", phase) {
                        try await client.absoluteURL(url).deadline($0).onProgress { _ in }.value()
                    }
                }
            }
        }
    }

    /// Expects the words of a limit and of a phase. On a busy machine a short limit may pass in an earlier phase or before the transfer begins, so
    /// longer ones follow.
    private func check(_ words: String, _ phase: String, _ call: @Sendable (Duration) async throws -> JSON) async {
        var message = ""
        for seconds in [2, 8, 30] {
            let error = await #expect(throws: APIError.self) { try await call(.seconds(seconds)) }
            message = error?.message ?? ""
            #expect(message.hasPrefix("\(words) \(seconds).0 seconds"), "\(message)")
            if message.hasSuffix(", while it was \(phase).") { return }
        }
        Issue.record("The phase is not \(phase): \(message)")
    }
}
#endif
