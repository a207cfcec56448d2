#if os(Linux)
import Catena
import Foundation
import Testing

extension InteropTests.HTTP2Faults {
    /// Responses that arrive while the request is being sent, and windows that stay closed.
    @Suite("HTTP/2 faults of uploads") struct Uploads {
        typealias Faults = InteropTests.HTTP2Faults

        /// Returns the request as a POST with a body that does not end.
        static func endless(_ request: Request) -> Request {
            let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
            continuation.yield(Data(count: 10_000))
            // The closure keeps the continuation, and so the stream, open.
            return request.method(.post).body(stream: {
                withExtendedLifetime(continuation) { stream }
            })
        }

        static func long(_ request: Request) -> Request {
            request.method(.post).body(Data(count: 1_000_000), contentType: "application/octet-stream")
        }

        // From 8.4 until 8.12 libcurl may leave such a response unread on a busy machine until the timeout of the attempt.
        @Test(
            "a complete response is delivered although the server does not read the upload",
            .enabled(if: LoadedLibcurl.isOlder(than: 8, 4) || !LoadedLibcurl.isOlder(than: 8, 12)),
            arguments: [
                ("head 200 content-length:5;data 5 end;rst NO_ERROR", "11111"),
                ("head 202 content-length:5;data 5 end;rst CANCEL", "11111"),
                ("head 204 end;rst NO_ERROR", ""), ("head 201 content-length:5;data 5 end;rst NO_ERROR", "11111"),
                ("head 200 content-length:0 end;rst NO_ERROR", ""), ("head 200 content-length:5;data 5 end", "11111"), ("head 204 end", ""),
                ("got 10000;head 200 content-length:5;data 5 end;rst NO_ERROR", "11111"),
                ("got 10000;head 200 content-length:5;data 5 end", "11111"),
            ], [false, true])
        func early(answer: (script: String, body: String), isEndless: Bool) async throws {
            let origin = try await InteropTests.FaultOrigin()
            let call = isEndless ? Self.endless(origin.call(answer.script)) : Self.long(origin.call(answer.script))
            switch await call.execute(.data).result {
            case .success(let body): #expect(String(decoding: body, as: UTF8.self) == answer.body)
            case .failure(let error): Issue.record(error)
            }
            #expect(try await origin.arrivals().count == 1)
            await origin.expectNext()
        }

        @Test(
            "a long body is sent over HTTP/1.1, which always reveals a complete response, unless the tag selects HTTP/2",
            arguments: [true, false])
        func longBody(isChosen: Bool) async throws {
            let origin = try await InteropTests.FaultOrigin()
            if !isChosen { origin.client.configureDefaults { $0.httpVersion = .automatic } }
            for call in [
                Self.long(origin.call("ok")), origin.call("ok").method(.post).body(Data(count: 60_000), contentType: "text/plain"),
            ] {
                _ = try await call.execute(.data).value
            }
            #expect(try await origin.arrivals().map(\.protocol) == ["HTTP/" + (isChosen ? "2" : "1.1"), "HTTP/2"])
        }

        @Test(
            "an error status that arrives during the upload is delivered", arguments: [413, 401, 503],
            ["rst NO_ERROR", "rst CANCEL", "pause 1"])
        func refused(status: Int, after: String) async throws {
            try await Faults.expect("head \(status) content-length:5;data 5 end;\(after)", .status(status)) { Self.long($0) }
        }

        @Test("an upload whose window stays closed ends at its timeout, and the next call succeeds", arguments: ["both", "stream"])
        func starved(window: String) async throws {
            try await Faults.expect("starve \(window);body", .failure([.timeout])) { Self.long($0).timeout(.milliseconds(500)) }
        }

        @Test("a response that arrives while the window is closed is delivered", arguments: ["both", "stream"])
        func starvedThenAnswered(window: String) async throws {
            try await Faults.expect("starve \(window);got 60000;head 200 content-length:5;data 5 end", .body("11111")) { Self.long($0) }
            try await Faults.expect("starve \(window);got 60000;head 413 content-length:5;data 5 end;rst NO_ERROR", .status(413)) {
                Self.long($0)
            }
        }

        @Test("an upload waits for a window that opens late, and arrives whole")
        func lateWindow() async throws {
            let origin = try await InteropTests.FaultOrigin(settings: "4=0")
            let response = try await Self.long(origin.call("pause 50;settings 4=65535;ok")).execute(.response(as: JSON.self)).value
            #expect(response.payload.string == "fine")
            #expect(try await origin.arrivals().map(\.received) == [1_000_000])
        }

        @Test(
            "a window update that overflows or is zero fails the call", arguments: ["this", "0"], ["7fffffff", "00000000"])
        func badWindow(stream: String, increment: String) async throws {
            // An overflow of the stream's window is a fault of the stream, else of the connection (RFC 9113 §6.9.1).
            try await Faults.expect("got 1;raw 8 0 \(stream) \(increment)", .failure(Faults.lost)) { Self.long($0) }
        }
    }
}
#endif
