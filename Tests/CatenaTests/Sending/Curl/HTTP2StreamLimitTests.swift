#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import Catena

/// Bursts to servers that allow few streams on a connection, and are so far away that requests arrive before their SETTINGS have.
@Suite("Few streams over HTTP/2", .limitedParallelism, .needsHTTP2, .enabled(if: Engine.offersTLS))
struct HTTP2StreamLimitTests {
    /// The server refuses requests beyond its limit that come before the client has acknowledged its SETTINGS.
    private static func server(_ limit: Int, _ arrivals: Counter) throws -> RawServer {
        try FrameServer.make(settings: [(3, limit)], isDistant: true) { request in
            if request.isEarly, request.open > limit { return [.send(Frame.reset(7, stream: request.stream))] }
            arrivals.increment()
            let head = Frame.head(200, stream: request.stream)
            return [.request, .send(head + Frame.data(Array(#""fine""#.utf8), stream: request.stream, isLast: true))]
        }
    }

    @Test("simultaneous POSTs each arrive once, whatever the server's limit of streams", arguments: [1, 3, 10])
    func burst(limit: Int) async throws {
        let arrivals = Counter()
        let server = try Self.server(limit, arrivals)
        defer { server.stop() }
        let client = try server.client { $0.leastSettlingTime = .seconds(10) }
        for _ in 0..<2 {
            let calls = (0..<20).map { (n: Int) in client.post("/\(n)").json(["n": n]).execute(.response(as: JSON.self)) }
            for call in calls {
                switch await call.result {
                case .success(let response): #expect(response.attempts == 1)
                case .failure(let error): Issue.record(error)
                }
            }
        }
        #expect(arrivals.count == 40)
    }

    @Test("cancelled calls leave the others their connections", arguments: [1, 3])
    func cancelled(limit: Int) async throws {
        let arrivals = Counter()
        let server = try Self.server(limit, arrivals)
        defer { server.stop() }
        let client = try server.client { $0.leastSettlingTime = .seconds(10) }
        for _ in 0..<5 {
            let calls = (0..<20).map { (n: Int) in client.post("/\(n)").json(["n": n]).execute(.data) }
            for call in calls.prefix(10) { call.cancel() }
            for call in calls.suffix(10) { #expect(try await call.value == Data(#""fine""#.utf8)) }
        }
    }
}
#endif
