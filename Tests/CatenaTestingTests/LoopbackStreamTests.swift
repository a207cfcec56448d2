import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import CatenaLoopback

@Suite("Loopback server: streams", .limitedParallelism)
struct LoopbackStreamTests {
    @Test("a stream is closed if its client disconnected before the handler returned it")
    func disconnected() async throws {
        let server = try LoopbackServer()
        let connection = try LoopbackRawConnection(to: server)
        connection.send("GET /events HTTP/1.1\r\n")
        connection.close()
        await server.connectionsClosed(1)
        let ends = Counter()
        let stream = LoopbackStream { ends.increment() }
        // The handler's response arrives in the mailbox, which the server empties before it stops.
        server.core.mailbox.post(.answer(connection: 1, .streaming(stream, contentType: "text/event-stream")))
        server.stop()
        #expect(ends.count == 1)
        #expect(!stream.send(Data("data: 1\n\n".utf8)))
    }

    @Test("at most 4 MiB wait for a slow client, and there is room again once it has received them")
    func bound() {
        let stream = LoopbackStream()
        let piece = Data(count: 1 << 20)
        for _ in 0..<4 { #expect(stream.send(piece)) }
        #expect(!stream.send(Data(count: 1)))
        #expect(stream.waitingBytes == 4 << 20)
        #expect((stream.take(orElse: {})?.count ?? 0) > 4 << 20)
        #expect(stream.waitingBytes == 0)
        #expect(stream.send(piece))
    }
}
