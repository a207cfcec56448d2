import Catena
import Foundation
import TestSupport
import Testing

@testable import CatenaLoopback
@testable import CatenaTesting

@Suite("Loopback server: start, stop and release", .limitedParallelism)
struct LoopbackLifetimeTests {
    @Test("each server has its own port and serves at once")
    func starts() async throws {
        let servers = try [LoopbackServer(), LoopbackServer()]
        #expect(servers[0].port != servers[1].port)
        for server in servers {
            #expect(server.url == "http://127.0.0.1:\(server.port)")
            #expect(try await body(of: "GET /a", from: server).contains("no route"))
        }
    }

    @Test("stopping closes the port and every connection, idle or waiting, and ends all waits")
    func stops() async throws {
        let server = try LoopbackServer()
        let gate = LoopbackGate()
        server.get("/held") { _ in .text("never").held(by: gate) }
        let idle = try LoopbackRawConnection(to: server)
        let held = try LoopbackRawConnection(to: server)
        held.send("GET /held HTTP/1.1\r\n\r\n")
        await gate.entered(1)
        let waiting = Task { await server.requestsReceived(1_000) }
        server.stop()
        #expect(server.openConnections == 0)
        #expect(await idle.receiveAll() == ("", .closed))
        #expect(await held.receiveAll() == ("", .closed))
        await waiting.value
        await server.connectionsClosed(1_000)
        gate.open()
        server.stop()
        #expect(server.requests.map(\.path) == ["/held"])
    }

    @Test("a handler can stop the server, before or after it suspends", arguments: [true, false])
    func stopsFromHandler(suspends: Bool) async throws {
        let server = try LoopbackServer()
        if suspends {
            server.get("/") { _ in
                await suspendOnce()
                server.stop()
                return .text("too late")
            }
        } else {
            server.get("/") { _ in
                server.stop()
                return .text("bye")
            }
        }
        let answer = try await exchange("GET / HTTP/1.1\r\n\r\n", with: server)
        #expect(suspends ? answer.text.isEmpty : answer.text.hasSuffix("bye"))
    }

    @Test("a server stops at the end of its lifetime and releases handlers that hold it")
    func lifetime() async throws {
        var limits = LoopbackServer.Limits()
        limits.lifetime = .milliseconds(20)
        let cage = Canary.Cage()
        do {
            let server = try LoopbackServer(limits: limits)
            let canary = cage.canary()
            server.get("/") { _ in
                canary.sing()
                return .text(server.url)
            }
        }
        await cage.shrunk()
    }

    #if os(Linux)
    @Test("a server releases its descriptors and its thread", arguments: [true, false])
    func givesBack(byStopping: Bool) async throws {
        var server: LoopbackServer? = try LoopbackServer()
        let port = try #require(server?.port)
        let client = try server.map { try LoopbackRawConnection(to: $0) }
        client?.send("GET / HTTP/1.1\r\n\r\n")
        await server?.requestsReceived(1)
        let sockets = try Self.sockets(onPort: port)
        #expect(sockets.count == 2)
        let pipe = try #require(server.flatMap { Self.name(of: $0.core.mailbox.wakeDescriptor) })
        let names = sockets.union([pipe])
        #expect(try names.isSubset(of: Self.openDescriptors()))
        let cage = Canary.Cage()
        server?.core.companion.withLock { $0 = cage.canary() }

        if byStopping { server?.stop() } else { server = nil }
        #expect(try names.isDisjoint(with: Self.openDescriptors()))
        // The running thread holds the core.
        server = nil
        await cage.shrunk()
        #expect(await client?.receiveAll().ending == .closed)
    }

    /// Returns the kernel's names of this process's sockets with this local port. Unlike descriptors, names are not reused at once.
    private static func sockets(onPort port: Int) throws -> Set<String> {
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
        return Set(descriptors.filter { localPort(of: $0) == port }.compactMap(name(of:)))
    }

    private static func openDescriptors() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0).flatMap(name(of:)) })
    }

    private static func name(of descriptor: Int32) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
    }
    #endif
}
