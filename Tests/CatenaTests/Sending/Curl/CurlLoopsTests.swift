#if os(Linux)
import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// Transports with several loops. The rules for an origin hold on whichever loop it is.
@Suite(.needsKeptConnections, .limitedParallelism) struct CurlLoopsTests {
    private static func configuration(loops: Int) -> CurlConfiguration {
        var configuration = CurlConfiguration()
        configuration.loops = loops
        return configuration
    }

    @Test("origins are assigned to the loops in turn and stay there", arguments: [1, 2, 3])
    func spread(loops: Int) async throws {
        let servers = try (0..<4).map { _ in try LoopbackServer() }
        let transport = try CurlTransport(Self.configuration(loops: loops))
        let client = Client(transport: transport)
        var began: [Int] = []
        for _ in 0..<3 {
            for (number, server) in servers.enumerated() {
                server.get("/a") { _ in .json(text: "\(number)") }
                #expect(try await client.host(server.url).get("/a").value(as: Int.self) == number)
                began.append(transport.loopCount)
            }
        }
        #expect(began == ((1...4).map { min($0, loops) } + Array(repeating: min(4, loops), count: 8)))
        #expect(servers.map(\.connectionCount) == [1, 1, 1, 1])
    }

    @Test("the limit of transfers to an origin holds whatever the number of loops", arguments: [1, 2, 3])
    func limit(loops: Int) async throws {
        let servers = try (0..<2).map { _ in try LoopbackServer() }
        var configuration = Self.configuration(loops: loops)
        configuration.transfersPerOrigin = 2
        let client = Client(transport: try CurlTransport(configuration))
        let gates = servers.map { server in
            let gate = LoopbackGate()
            server.get("/held") { _ in .json(text: "1").held(by: gate) }
            return gate
        }
        let calls = servers.flatMap { server in (0..<6).map { _ in client.host(server.url).get("/held").execute(as: Int.self) } }
        for gate in gates { await gate.entered(2) }
        #expect(servers.map(\.requestCount) == [2, 2])
        for gate in gates { gate.open() }
        for call in calls { #expect(try await call.value == 1) }
        #expect(servers.map(\.connectionCount) == [2, 2])
    }

    @Test("an origin with many transfers over plain HTTP uses several loops, with one limit and one queue", arguments: [1, 2, 3])
    func crowd(loops: Int) async throws {
        let server = try LoopbackServer()
        var configuration = Self.configuration(loops: loops)
        configuration.transfersPerOrigin = 48
        let transport = try CurlTransport(configuration)
        let client = Client(transport: transport)
        let (gate, later) = (LoopbackGate(), LoopbackGate())
        server.get("/held") { _ in .json(text: "1").held(by: gate) }
        server.get("/later") { _ in .json(text: "2").held(by: later) }
        let held = (0..<48).map { _ in client.host(server.url).get("/held").execute(as: Int.self) }
        await gate.entered(48)
        #expect(transport.loopCount == loops)
        let waiting = (0..<60).map { _ in client.host(server.url).get("/later").execute(as: Int.self) }
        for call in waiting[48...] { call.cancel() }
        for call in waiting[48...] { _ = await call.result }
        #expect(server.requestCount == 48)
        gate.open()
        await later.entered(48)
        later.open()
        for call in held { #expect(try await call.value == 1) }
        for call in waiting[..<48] { #expect(try await call.value == 2) }
        #expect(server.requestCount == 96)
        #expect(server.connectionCount <= 48 * loops)
    }

    @Test("a few calls at a time use one loop and its connections", arguments: [2, 3])
    func few(loops: Int) async throws {
        let server = try LoopbackServer()
        server.get("/a") { _ in .json(text: "1") }
        let transport = try CurlTransport(Self.configuration(loops: loops))
        let client = Client(transport: transport)
        for _ in 0..<5 {
            let calls = (0..<4).map { _ in client.host(server.url).get("/a").execute(as: Int.self) }
            for call in calls { #expect(try await call.value == 1) }
        }
        #expect(transport.loopCount == 1)
        #expect(server.connectionCount <= 4)
    }

    @Test("calls on every loop can be cancelled, even in the queue", arguments: [1, 2, 3])
    func cancellation(loops: Int) async throws {
        let servers = try (0..<3).map { _ in try LoopbackServer() }
        var configuration = Self.configuration(loops: loops)
        configuration.transfersPerOrigin = 2
        let client = Client(transport: try CurlTransport(configuration))
        for server in servers {
            server.get("/silence") { _ in .unanswered }
            server.get("/a") { _ in .json(text: "1") }
        }
        let calls = servers.flatMap { server in (0..<5).map { _ in client.host(server.url).get("/silence").execute(.void) } }
        for server in servers { await server.requestsReceived(2) }
        for call in calls { call.cancel() }
        for call in calls {
            guard case .failure(let error) = await call.result else {
                Issue.record("the silent server responded")
                continue
            }
            #expect(error is CancellationError)
        }
        for server in servers { #expect(try await client.host(server.url).get("/a").value(as: Int.self) == 1) }
    }

    @Test("the loops end with their transport", arguments: [1, 2, 3])
    func givenBack(loops: Int) async throws {
        let servers = try (0..<3).map { _ in try LoopbackServer() }
        for server in servers { server.get("/a") { _ in .json(text: "1") } }
        let ends = Counter()
        do {
            let transport = try CurlTransport(Self.configuration(loops: loops))
            let client = Client(transport: transport)
            for server in servers { #expect(try await client.host(server.url).get("/a").value(as: Int.self) == 1) }
            for server in servers { for try await _ in client.host(server.url).get("/a").stream() {} }
            #expect(transport.loopCount == loops)
            transport.onLoopEnd { ends.increment() }
        }
        await ends.reached(loops)
    }

    @Test(
        "over TLS an origin has one loop for shared connections and one for those of single transfers", .enabled(if: Engine.offersTLS),
        arguments: [1, 2, 3])
    func overTLS(loops: Int) async throws {
        let server = try LoopbackServer(security: .tls)
        server.get("/a") { _ in .json(text: "1") }
        let folder = try ScratchFolder()
        try Data(try #require(server.certificateAuthority).utf8).write(to: folder.file("authority.pem"))
        var configuration = Self.configuration(loops: loops)
        configuration.certificateAuthorityFile = folder.file("authority.pem").path()
        let transport = try CurlTransport(configuration)
        let client = Client(transport: transport)
        for _ in 0..<10 { #expect(try await client.host(server.url).get("/a").value(as: Int.self) == 1) }
        #expect(server.connectionCount == 1)
        for try await _ in client.host(server.url).get("/a").stream() {}
        // A stream has its own connection, which runs on another loop.
        #expect(transport.loopCount == 2)
    }

    @Test(
        "an origin over TLS uses several loops once it is known to speak HTTP/1.1", .enabled(if: Engine.offersTLS),
        arguments: [1, 2, 3])
    func crowdOverTLS(loops: Int) async throws {
        let server = try LoopbackServer(security: .tls)
        let folder = try ScratchFolder()
        try Data(try #require(server.certificateAuthority).utf8).write(to: folder.file("authority.pem"))
        var configuration = Self.configuration(loops: loops)
        configuration.certificateAuthorityFile = folder.file("authority.pem").path()
        configuration.transfersPerOrigin = 48
        let transport = try CurlTransport(configuration)
        let client = Client(transport: transport)
        let gate = LoopbackGate()
        server.get("/a") { _ in .json(text: "1") }
        server.get("/held") { _ in .json(text: "2").held(by: gate) }
        #expect(try await client.host(server.url).get("/a").value(as: Int.self) == 1)
        let calls = (0..<48).map { _ in client.host(server.url).get("/held").execute(as: Int.self) }
        await gate.entered(48)
        #expect(transport.loopCount == loops)
        #expect(server.connectionCount == 48)
        gate.open()
        for call in calls { #expect(try await call.value == 2) }
    }

    @Test("an impossible number of loops is refused, and the error names the number", arguments: [0, -1, 65, .max])
    func refused(loops: Int) throws {
        let error = #expect(throws: CurlTransport.Unavailable.self) { try CurlTransport(Self.configuration(loops: loops)) }
        #expect(error?.description.contains("loops is \(loops)") == true)
    }
}
#endif
