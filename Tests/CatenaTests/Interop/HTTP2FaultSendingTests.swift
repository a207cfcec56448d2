#if os(Linux)
import Catena
import Foundation
import Testing

extension InteropTests.HTTP2Faults {
    /// The number of sendings of a request. The attempt stage sends a request again and counts it.
    @Suite("HTTP/2 sendings") struct Sendings {
        typealias Faults = InteropTests.HTTP2Faults

        /// Returns the request with a method, and with a body unless the method is GET.
        static func send(_ request: Request, as method: HTTPMethod) -> Request {
            method == .get ? request : request.method(method).body(Data(count: 100_000), contentType: "application/octet-stream")
        }

        @Test("a request with a reset before the head is sent once", arguments: Faults.finalCodes, [HTTPMethod.get, .put])
        func reset(code: String, method: HTTPMethod) async throws {
            try await Faults.expect("body;rst \(code)", .failure(Faults.kinds(of: code))) { Self.send($0, as: method) }
        }

        @Test(
            "a request with a malformed head in its response is sent once",
            arguments: ["head 200 connection:close", "head -", "head 200 X-Upper:1", "head 200 part;rst CANCEL"])
        func malformed(script: String) async throws {
            try await Faults.expect("\(script);data 5 end", .failure(script.contains("rst") ? Faults.lost : [.protocolViolation]))
        }

        @Test(
            "a request that the server has not processed is sent again once, with every method",
            arguments: [
                "rst REFUSED_STREAM|ok", "goaway NO_ERROR none|ok", "goaway NO_ERROR none;fin|ok", "goaway PROTOCOL_ERROR none|ok",
                "goaway ENHANCE_YOUR_CALM none;drop|ok", "goaway INTERNAL_ERROR none|ok",
            ], [HTTPMethod.get, .post, .patch])
        func notProcessed(script: String, method: HTTPMethod) async throws {
            try await Faults.expect(script, .body(#""fine""#), sendings: 2) { Self.send($0, as: method) }
            // On a kept connection some versions of libcurl cannot distinguish a refused stream from a dead connection (Docs/Platforms.md).
            let isTold = method == .get || script.hasPrefix("goaway")
            try await Faults.expect(
                script, isTold ? .body(#""fine""#) : .bodyOrFailure(#""fine""#, [.connectionLost]), isKept: true, sendings: isTold ? 2 : nil
            ) { Self.send($0, as: method) }
        }

        @Test("a repeat is counted as an attempt and may fail", arguments: [HTTPMethod.get, .post])
        func refusedTwice(method: HTTPMethod) async throws {
            let origin = try await InteropTests.FaultOrigin()
            let error = await #expect(throws: APIError.self) {
                try await Self.send(origin.call("rst REFUSED_STREAM"), as: method).execute(.void).value
            }
            #expect(error?.attempts == 2)
            #expect(error?.message.contains("REFUSED_STREAM") == true)
            #expect(try await origin.arrivals().count == 2)
            await origin.expectNext()
        }

        @Test(
            "a request of any method that requires HTTP/1.1 is sent again over it, and later calls use it at once",
            arguments: [HTTPMethod.get, .post, .put])
        func http1Required(method: HTTPMethod) async throws {
            let origin = try await InteropTests.FaultOrigin()
            let response = try await Self.send(origin.call("rst HTTP_1_1_REQUIRED"), as: method).execute(.response(as: JSON.self)).value
            #expect(response.payload.string == "fine")
            #expect(response.attempts == 2)
            #expect(try await origin.arrivals().map(\.protocol) == ["HTTP/2", "HTTP/1.1"])
            await origin.expectNext()
            #expect(try await origin.arrivals(at: "/next").map(\.protocol) == ["HTTP/1.1"])
        }

        @Test(
            "a GET on a kept connection that ends before the first byte is prepared and sent again",
            arguments: ["fin|ok", "drop|ok", "cut|ok"])
        func keptConnectionEnds(script: String) async throws {
            let origin = try await InteropTests.FaultOrigin()
            await origin.expectNext()
            // This closure runs again for each sending.
            origin.client.commonParams { _ in ["nonce": UUID().uuidString] }
            let response = try await origin.call(script).execute(.response(as: JSON.self)).value
            #expect(response.attempts == 2)
            let nonces = try await origin.arrivals().map(\.nonce)
            #expect(nonces.count == 2 && Set(nonces).count == 2)
        }

        @Test("a POST on a kept connection that ends is sent once", arguments: ["fin|ok", "drop|ok", "cut|ok"])
        func keptConnectionEndsForPost(script: String) async throws {
            try await Faults.expect("body;\(script)", .failure([.connectionLost]), isKept: true) { Self.send($0, as: .post) }
        }

        @Test(
            "simultaneous POSTs each arrive once, whatever the server's limit of streams and however late its SETTINGS",
            arguments: [1, 3, 10, 30, 60], [0, 200])
        func burst(limit: Int, late: Int) async throws {
            let origin = try await InteropTests.FaultOrigin(settings: "3=\(limit)", late: late, isDistant: true)
            for _ in 0..<2 {
                let calls = (0..<20).map { (n: Int) in
                    origin.client.post("/fault/\(n)").query(["script": "body;pause 10;ok"]).json(["n": n]).execute(.data)
                }
                for call in calls {
                    switch await call.result {
                    case .success(let body): #expect(body == Data(#""fine""#.utf8))
                    case .failure(let error): Issue.record(error)
                    }
                }
            }
            for n in 0..<20 { #expect(try await origin.arrivals(at: "/fault/\(n)").count == 2) }
        }

        @Test("a burst of POSTs by a client without a connection loses none", arguments: [10])
        func coldBurst(limit: Int) async throws {
            for _ in 0..<5 {
                let origin = try await InteropTests.FaultOrigin(settings: "3=\(limit)", isDistant: true)
                let calls = (0..<20).map { (n: Int) in
                    origin.client.post("/fault/\(n)").query(["script": "body;pause 10;ok"]).json(["n": n]).execute(.data)
                }
                for call in calls { #expect(try await call.value == Data(#""fine""#.utf8)) }
                for n in 0..<20 { #expect(try await origin.arrivals(at: "/fault/\(n)").count == 1) }
            }
        }

        @Test(
            "a POST is not sent over an idle connection that has ended, and uses a new one",
            arguments: ["fin", "drop", "goaway NO_ERROR this;fin"])
        func idleConnectionEnds(end: String) async throws {
            let origin = try await InteropTests.FaultOrigin()
            _ = try await origin.client.get("/first").query(["script": "head 200;data 5 end;\(end)"]).execute(.data).value
            try await origin.connectionEnded()
            let result = await origin.call("ok").method(.post).json(["n": 1]).execute(.response(as: JSON.self)).result
            Faults.check(result, .body(#""fine""#), isSentOnce: true, at: #_sourceLocation)
            #expect(try await origin.arrivals().count == 1)
        }
    }
}
#endif
