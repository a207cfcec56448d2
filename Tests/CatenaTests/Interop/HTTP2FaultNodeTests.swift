#if os(Linux)
import Catena
import Foundation
import Testing

extension InteropTests {
    /// The faults that a server with Node's own HTTP/2 can produce. `.ci/http2-faults.mjs` lists the steps of their scripts.
    @Suite("HTTP/2 faults of Node", .enabled(if: InteropTests.nodeFaults != nil), .needsHTTP2) struct NodeFaults {
        typealias Faults = InteropTests.HTTP2Faults

        private static func expect(
            _ script: String, _ ending: Faults.Ending, isKept: Bool = false, sendings: Int? = 1,
            at location: SourceLocation = #_sourceLocation, _ prepare: @Sendable (Request) -> Request = { $0 }
        ) async throws {
            try await Faults.expect(script, ending, isKept: isKept, sendings: sendings, of: .node, at: location, prepare)
        }

        private static func post(_ request: Request) -> Request { request.method(.post).json(["n": 1]) }

        // MARK: RST_STREAM

        @Test(
            "a reset before the head fails a POST without a second sending, and the error contains the code",
            arguments: Faults.finalCodes.filter { $0 != "NO_ERROR" && $0 != "42" }, [false, true])
        func beforeHead(code: String, isKept: Bool) async throws {
            try await Self.expect("body;rst \(code)", .failure(Faults.kinds(of: code), saying: code), isKept: isKept, Self.post)
        }

        @Test(
            "a reset after an interim head fails a POST without a second sending",
            arguments: ["INTERNAL_ERROR", "CANCEL", "ENHANCE_YOUR_CALM"])
        func afterInterimHead(code: String) async throws {
            try await Self.expect("body;head 103 link:</a>;rst \(code)", .failure([.connectionLost], saying: code), Self.post)
        }

        // Node ends the body first, which is then shorter than its Content-Length.
        @Test(
            "a reset within the body fails the call instead of delivering a part of the body",
            arguments: Faults.finalCodes.filter { $0 != "42" })
        func withinBody(code: String) async throws {
            try await Self.expect("head 200 content-length:10;data 5;rst \(code)", .failure(Faults.lost))
        }

        @Test("a reset after the end of the response leaves the response valid", arguments: ["NO_ERROR", "CANCEL"], [false, true])
        func afterEnd(code: String, isKept: Bool) async throws {
            try await Self.expect("head 200 content-length:5;data 5 end;rst \(code)", .body("11111"), isKept: isKept) {
                $0.method(.post).body(Data(count: 1_000_000), contentType: "application/octet-stream")
            }
        }

        @Test("a refused stream is sent again once, with every method", arguments: [HTTPMethod.get, .post, .patch])
        func refused(method: HTTPMethod) async throws {
            try await Self.expect("rst REFUSED_STREAM|ok", .body(#""fine""#), sendings: 2) {
                method == .get ? $0 : $0.method(method).json(["n": 1])
            }
        }

        @Test("a request that requires HTTP/1.1 is sent again over it, and later calls use it at once", arguments: [HTTPMethod.get, .post])
        func http1Required(method: HTTPMethod) async throws {
            let origin = try await FaultOrigin(of: .node)
            let call = origin.call("rst HTTP_1_1_REQUIRED")
            let response = try await (method == .get ? call : Self.post(call)).execute(.response(as: JSON.self)).value
            #expect(response.payload.string == "fine" && response.attempts == 2)
            await origin.expectNext()
            #expect(try await origin.arrivals().map(\.protocol) == ["HTTP/2", "HTTP/1.1"])
            #expect(try await origin.arrivals(at: "/next").map(\.protocol) == ["HTTP/1.1"])
        }

        // MARK: GOAWAY and ends

        @Test(
            "GOAWAY with an error code ends a call at once, although the connection stays open",
            arguments: Faults.codes.filter { $0 != "NO_ERROR" && $0 != "42" }, [false, true])
        func goneAway(code: String, isKept: Bool) async throws {
            try await Self.expect("body;goaway \(code) this", .failure(Faults.lost, saying: code, "GOAWAY"), isKept: isKept, Self.post)
        }

        @Test(
            "after GOAWAY without an error the response still arrives, and the next call uses another connection",
            arguments: [
                "goaway NO_ERROR this;head 200;data 5 end", "head 200;goaway NO_ERROR this;data 5 end",
                "goaway NO_ERROR all;pause 20;goaway NO_ERROR this;head 200;data 5 end", "close;head 200;data 5 end",
                "head 200;close;data 2;pause 20;data 3 end",
            ], [false, true])
        func graceful(script: String, isKept: Bool) async throws {
            let origin = try await FaultOrigin(of: .node)
            if isKept { await origin.expectNext() }
            let result = await Self.post(origin.call("body;\(script)")).execute(.response(as: JSON.self)).result
            Faults.check(result, .body("11111"), isSentOnce: true, at: #_sourceLocation)
            await origin.expectNext()
            let arrivals = try await origin.arrivals()
            #expect(arrivals.count == 1)
            #expect(try await origin.arrivals(at: "/next").map(\.connection).last != arrivals.first?.connection)
        }

        @Test(
            "a session that the server destroys fails the call", arguments: ["INTERNAL_ERROR", "ENHANCE_YOUR_CALM", "PROTOCOL_ERROR"],
            ["", "head 200 content-length:10;data 5;pause 20;"])
        func destroyed(code: String, before: String) async throws {
            try await Self.expect("body;\(before)destroy \(code)", .failure(Faults.lost), Self.post)
        }

        @Test(
            "a connection that ends before or within a response fails the call", arguments: ["fin", "drop"],
            ["", "head 200 content-length:10;data 5;pause 20;"])
        func connectionEnds(end: String, before: String) async throws {
            try await Self.expect("body;\(before)\(end)", .failure([.connectionLost]), Self.post)
        }

        @Test("a POST is not sent over an idle connection that has ended, and uses a new one", arguments: ["close", "fin", "drop"])
        func idleConnectionEnds(end: String) async throws {
            let origin = try await FaultOrigin(of: .node)
            _ = try await origin.client.get("/first").query(["script": "head 200;data 5 end;pause 20;\(end)"]).execute(.data).value
            try await origin.connectionEnded()
            let result = await Self.post(origin.call("ok")).execute(.response(as: JSON.self)).result
            Faults.check(result, .body(#""fine""#), isSentOnce: true, at: #_sourceLocation)
            #expect(try await origin.arrivals().count == 1)
        }

        // MARK: SETTINGS

        @Test("calls wait for each other if the server allows few streams", arguments: ["3=1", "3=2", "3=10", "3=1000,4=1"])
        func fewStreams(settings: String) async throws {
            let origin = try await FaultOrigin(settings: settings, of: .node)
            let calls = (0..<20).map { origin.client.get("/fault/\($0)").query(["script": "pause 10;ok"]).execute(.data) }
            for call in calls { #expect(try await call.value == Data(#""fine""#.utf8)) }
            for n in 0..<20 { #expect(try await origin.arrivals(at: "/fault/\(n)").count == 1) }
        }

        @Test("SETTINGS that change while a response arrives do not affect it", arguments: ["3=1", "3=1000", "4=0", "4=1", "5=16777215"])
        func changed(settings: String) async throws {
            for order in ["settings \(settings);head 200;data 5 end", "head 200;data 2;settings \(settings);data 3 end"] {
                try await Self.expect(order, .body("11111"), isKept: true)
            }
        }

        @Test(
            "an upload arrives whole despite PING frames, changed windows and pauses", arguments: ["ping 10", "settings 4=1000", "pause 1"])
        func upload(before: String) async throws {
            let origin = try await FaultOrigin(of: .node)
            let call = origin.call("\(before);ok").method(.put).body(Data(count: 1_000_000), contentType: "application/octet-stream")
            Faults.check(await call.execute(.response(as: JSON.self)).result, .body(#""fine""#), isSentOnce: true, at: #_sourceLocation)
            #expect(try await origin.arrivals().map(\.received) == [1_000_000])
        }

        // MARK: Heads

        @Test(
            "a long head arrives", arguments: ["size=1", "size=16", "size=17", "size=20", "size=64", "size=100", "field=16", "field=60"],
            [false, true])
        func long(size: String, isKept: Bool) async throws {
            try await Self.expect("head 200 \(size);data 5 end", .body("11111"), isKept: isKept)
        }

        @Test("a head above the limit is a protocol violation", arguments: [257, 400], [false, true])
        func aboveLimit(size: Int, isKept: Bool) async throws {
            try await Self.expect("head 200 size=\(size);data 5 end", .failure([.protocolViolation]), isKept: isKept, sendings: nil)
        }

        @Test("interim heads and trailers leave the body whole")
        func trailers() async throws {
            try await Self.expect("head 103 link:</a>;head 200 trailers;data 5;trailers x-a:1 x-b:2", .body("11111"))
        }
    }
}
#endif
