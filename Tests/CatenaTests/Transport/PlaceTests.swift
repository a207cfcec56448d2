#if os(Linux) && canImport(Glibc)
import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// How long calls wait for one of the transfers that may run to their origin at a time.
@Suite("The wait for a place among the transfers to an origin", .limitedParallelism, .needsEngine) struct PlaceTests {
    /// How a call is made that waits.
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case typed, data, watched, streamed, downloaded, silent

        var testDescription: String { rawValue }

        func run(_ request: Request, in folder: ScratchFolder) async throws {
            switch self {
            case .typed: _ = try await request.value(as: Int.self)
            case .data: _ = try await request.data().value
            case .watched: _ = try await request.onProgress { _ in }.value(as: Int.self)
            case .streamed: for try await _ in request.stream() {}
            case .downloaded: _ = try await request.download(to: folder.file("a")).value
            case .silent: _ = try await request.firstByteTimeout(.milliseconds(150)).idleTimeout(.milliseconds(150)).value(as: Int.self)
            }
        }
    }

    /// A server with a request that is held, and a client that makes one transfer at a time.
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

        /// Lets the only place be taken.
        func fill() async -> Promise<Int> {
            let held = client.get("/held").execute(as: Int.self)
            await gate.entered(1)
            return held
        }
    }

    @Test("the wait is no part of the timeout of an attempt", arguments: Kind.allCases)
    func patience(kind: Kind) async throws {
        let line = try Line()
        let folder = try ScratchFolder()
        let held = await line.fill()
        let request = line.client.get("/a").timeout(.milliseconds(200))
        async let waiting: Void = kind.run(request, in: folder)
        // Another origin that does not respond, asked with the same timeout and then with another one: when both have failed, the first has
        // waited for longer than its timeout.
        let other = try LoopbackServer()
        other.get("/silence") { _ in .unanswered }
        for _ in 0..<2 {
            let error = await #expect(throws: APIError.self) {
                try await line.client.absoluteURL(other.url + "/silence").timeout(.milliseconds(200)).value()
            }
            #expect(error?.kind == .timeout)
        }
        line.gate.open()
        try await waiting
        #expect(try await held.value == 1)
        #expect(line.server.requestCount == 2)
    }

    @Test("after the wait the attempt has its timeout, and no more", arguments: [Kind.typed, .watched, .streamed])
    func timeoutAfterWait(kind: Kind) async throws {
        let line = try Line()
        line.server.get("/a") { _ in .unanswered }
        let folder = try ScratchFolder()
        let held = await line.fill()
        let waiting = Task { try await kind.run(line.client.get("/a").timeout(.milliseconds(50)), in: folder) }
        line.gate.open()
        let error = await #expect(throws: APIError.self) { try await waiting.value }
        #expect(error?.message == "The attempt took longer than its timeout of 0.05 seconds, while it was waiting for the response.")
        #expect(try await held.value == 1)
    }

    @Test("without a deadline the place timeout ends the wait, and names the settings", arguments: [Kind.typed, .watched, .streamed])
    func bound(kind: Kind) async throws {
        let line = try Line { $0.placeTimeout = .milliseconds(30) }
        let folder = try ScratchFolder()
        let held = await line.fill()
        let error = await #expect(throws: APIError.self) { try await kind.run(line.client.get("/a"), in: folder) }
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

    @Test("a deadline bounds the wait in place of the place timeout", arguments: [Kind.typed, .watched])
    func deadline(kind: Kind) async throws {
        let line = try Line { $0.placeTimeout = .milliseconds(1) }
        let folder = try ScratchFolder()
        let held = await line.fill()
        let error = await #expect(throws: APIError.self) {
            try await kind.run(line.client.get("/a").deadline(.milliseconds(60)), in: folder)
        }
        #expect(error?.message.hasPrefix("The call took longer than its deadline of 0.06 seconds") == true, "\(error?.message ?? "")")
        line.gate.open()
        #expect(try await held.value == 1)
    }

    @Test("the wait says nothing of the backend: the circuit breaker stays closed")
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

    @Test("500 calls of a response that takes its time succeed with a timeout that all together would exceed")
    func crowd() async throws {
        let server = try LoopbackServer()
        server.get("/slow") { _ in .json(text: "1").delayed(by: .milliseconds(100)) }
        var configuration = CurlConfiguration()
        configuration.transfersPerOrigin = 25
        let client = Client(transport: try CurlTransport(configuration))
        let values = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<500 {
                // 20 rounds of 100 ms are 2 seconds.
                group.addTask { try await client.host(server.url).get("/slow").timeout(.seconds(1.5)).value(as: Int.self) }
            }
            return try await group.reduce(0, +)
        }
        #expect(values == 500)
    }
}

@Suite("The words of a limit of time", .limitedParallelism, .needsEngine) struct TimeLimitTests {
    @Test("the error names the phase in which the time was up")
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
        for (url, phase) in rows {
            let error = await #expect(throws: APIError.self) { try await client.absoluteURL(url).timeout(.milliseconds(150)).value() }
            #expect(error?.message == "The attempt took longer than its timeout of 0.15 seconds, while it was \(phase).")
            let late = await #expect(throws: APIError.self) {
                try await client.absoluteURL(url).deadline(.milliseconds(150)).onProgress { _ in }.value()
            }
            #expect(late?.message == "The call took longer than its deadline of 0.15 seconds, while it was \(phase).")
        }
    }
}
#endif
