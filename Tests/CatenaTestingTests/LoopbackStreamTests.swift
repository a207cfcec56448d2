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
}
