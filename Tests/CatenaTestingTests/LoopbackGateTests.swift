import Catena
import CatenaTesting
import Foundation
import TestSupport
import Testing

@Suite("Loopback gate", .limitedParallelism)
struct LoopbackGateTests {
    @Test("all waiting responses continue when the gate opens, and later ones do not wait")
    func opens() async throws {
        let server = try LoopbackServer()
        let gate = LoopbackGate()
        server.get("/") { _ in .text("ok").held(by: gate) }
        let answers = try (1...3).map { _ in
            let connection = try LoopbackRawConnection(to: server)
            connection.send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
            return connection
        }
        await gate.entered(3)
        #expect(gate.entryCount == 3)
        #expect(answers.allSatisfy { $0.available == 0 })
        gate.open()
        gate.open()
        for answer in answers { #expect(await answer.receiveAll().text.hasSuffix("ok")) }
        #expect(try await body(of: "GET /", from: server) == "ok")
        await gate.entered(4)
        #expect(gate.entryCount == 4)
    }

    @Test("a client may disconnect while its response waits, and the gate can still open")
    func clientGoes() async throws {
        let server = try LoopbackServer()
        let gate = LoopbackGate()
        server.get("/") { _ in .text("ok").held(by: gate) }
        let connection = try LoopbackRawConnection(to: server)
        connection.send("GET / HTTP/1.1\r\n\r\n")
        await gate.entered(1)
        connection.close()
        await server.connectionsClosed(1)
        gate.open()
        #expect(try await body(of: "GET /", from: server) == "ok")
    }

    @Test("one gate can hold the responses of two servers")
    func twoServers() async throws {
        let gate = LoopbackGate()
        let servers = try [LoopbackServer(), LoopbackServer()]
        var connections: [LoopbackRawConnection] = []
        for server in servers {
            server.get("/") { _ in .text("ok").held(by: gate) }
            let connection = try LoopbackRawConnection(to: server)
            connection.send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
            connections.append(connection)
        }
        await gate.entered(2)
        gate.open()
        for connection in connections { #expect(await connection.receiveAll().text.hasSuffix("ok")) }
    }

    @Test("awaiting an entry ends if the task is cancelled, before or during the wait", arguments: [true, false])
    func cancellation(isLate: Bool) async {
        let gate = LoopbackGate()
        let task = Task { await gate.entered(1) }
        if isLate { await giveChances() }
        task.cancel()
        await task.value
        #expect(gate.entryCount == 0)
    }
}
