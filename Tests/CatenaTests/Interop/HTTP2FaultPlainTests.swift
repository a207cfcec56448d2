#if os(Linux)
@testable import Catena
import Foundation
import Testing

extension InteropTests.HTTP2Faults {
    /// HTTP/2 without TLS, which a tag selects by `httpVersion` (RFC 9113 §3.3).
    @Suite("HTTP/2 without TLS") struct Plain {
        typealias Faults = InteropTests.HTTP2Faults

        // libcurl 7.88 would negotiate anew on a kept connection with each request.
        private static let isKept = CurlLibrary.keepsHTTP2WithoutTLS

        @Test("every method and body uses HTTP/2, over one connection if this libcurl can keep it", arguments: [0, 5, 200_000])
        func methods(length: Int) async throws {
            let origin = try await InteropTests.FaultOrigin(isPlain: true)
            for method in [HTTPMethod.get, .post, .put, .delete] where method != .get || length == 0 {
                let call = origin.call("ok").method(method)
                let body = Data(count: length)
                let result = await (length == 0 ? call : call.body(body, contentType: "application/octet-stream"))
                    .execute(.response(as: JSON.self)).result
                Faults.check(result, .body(#""fine""#), isSentOnce: true, at: #_sourceLocation)
            }
            let arrivals = try await origin.arrivals()
            #expect(arrivals.allSatisfy { $0.protocol == "HTTP/2" && $0.received == length }, "\(arrivals)")
            #expect(Set(arrivals.map(\.connection)).count == (Self.isKept ? 1 : arrivals.count))
        }

        @Test("simultaneous calls get their own responses and are each sent once")
        func multiplexed() async throws {
            let origin = try await InteropTests.FaultOrigin(isPlain: true)
            let calls = (0..<20).map { origin.client.get("/fault/\($0)").query(["script": "pause 10;ok"]).execute(.data) }
            for call in calls { #expect(try await call.value == Data(#""fine""#.utf8)) }
            for n in 0..<20 { #expect(try await origin.arrivals(at: "/fault/\(n)").count == 1) }
        }

        @Test(
            "a reset fails the call, and the error contains the code, as over TLS",
            arguments: ["PROTOCOL_ERROR", "INTERNAL_ERROR", "CANCEL", "ENHANCE_YOUR_CALM"],
            [false, true])
        func reset(code: String, isKept: Bool) async throws {
            let origin = try await InteropTests.FaultOrigin(isPlain: true)
            if isKept { await origin.expectNext() }
            let result = await origin.call("body;rst \(code)").method(.post).json(["n": 1]).execute(.response(as: JSON.self)).result
            Faults.check(result, .failure(Faults.kinds(of: code), saying: code), isSentOnce: true, at: #_sourceLocation)
            await origin.expectNext()
        }

        @Test("a connection that ends fails the call, and the error names HTTP/2 without TLS", arguments: ["drop", "cut"])
        func ends(script: String) async throws {
            let origin = try await InteropTests.FaultOrigin(isPlain: true)
            let result = await origin.call("body;\(script)").method(.post).json(["n": 1]).execute(.response(as: JSON.self)).result
            Faults.check(result, .failure([.connectionLost], saying: "HTTP/2 without TLS"), isSentOnce: true, at: #_sourceLocation)
            await origin.expectNext()
        }
    }
}
#endif
