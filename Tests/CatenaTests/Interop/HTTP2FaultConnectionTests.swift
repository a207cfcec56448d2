#if os(Linux)
import Catena
import Foundation
import Testing

extension InteropTests.HTTP2Faults {
    /// GOAWAY, SETTINGS, floods and silence: faults of a whole connection.
    @Suite("HTTP/2 faults of connections") struct Connections {
        typealias Faults = InteropTests.HTTP2Faults

        // MARK: GOAWAY

        @Test(
            "GOAWAY with an error code ends a call at once, although the connection stays open",
            arguments: Faults.codes.filter { $0 != "NO_ERROR" },
            [false, true])
        func goneAway(code: String, isKept: Bool) async throws {
            try await Faults.expect("body;goaway \(code) this", .failure(Faults.lost, saying: code, "GOAWAY"), isKept: isKept) {
                $0.method(.post).json(["n": 1])
            }
        }

        @Test(
            "GOAWAY with an error code and the highest stream ends a call at once", arguments: ["PROTOCOL_ERROR", "INTERNAL_ERROR"],
            [false, true])
        func goneAwayFromAll(code: String, isKept: Bool) async throws {
            try await Faults.expect("body;goaway \(code) all", .failure(Faults.lost, saying: code, "GOAWAY"), isKept: isKept) {
                $0.method(.post).json(["n": 1])
            }
        }

        @Test(
            "GOAWAY with an error code within the body ends a call at once",
            arguments: ["PROTOCOL_ERROR", "INTERNAL_ERROR", "ENHANCE_YOUR_CALM"])
        func goneAwayWithinBody(code: String) async throws {
            try await Faults.expect("head 200;data 5;goaway \(code) this", .failure(Faults.lost, saying: code, "GOAWAY"))
        }

        @Test(
            "after GOAWAY without an error the response still arrives, and the next call uses another connection",
            arguments: [
                "goaway NO_ERROR this;head 200;data 5 end", "head 200;goaway NO_ERROR this;data 5 end",
                "head 200;data 5 end;goaway NO_ERROR this",
                "goaway NO_ERROR all;head 200;data 5 end", "goaway NO_ERROR all;pause 20;goaway NO_ERROR this;head 200;data 5 end",
                "goaway NO_ERROR this;head 200;data 5 end;pause 20;fin", "head 200;data 2;goaway NO_ERROR this;pause 20;data 3 end",
            ], [false, true])
        func graceful(script: String, isKept: Bool) async throws {
            let origin = try await InteropTests.FaultOrigin()
            if isKept { await origin.expectNext() }
            let result = await origin.call("body;\(script)").method(.post).json(["n": 1]).execute(.response(as: JSON.self)).result
            Faults.check(result, .body("11111"), isSentOnce: true, at: #_sourceLocation)
            await origin.expectNext()
            let arrivals = try await origin.arrivals()
            #expect(arrivals.count == 1)
            let connections = try await origin.arrivals(at: "/next").map(\.connection)
            #expect(connections.last != arrivals.first?.connection)
        }

        @Test("GOAWAY with any code after the response leaves it valid", arguments: Faults.codes)
        func goneAwayAfterEnd(code: String) async throws {
            try await Faults.expect("head 200;data 5 end;goaway \(code) this", .body("11111"))
        }

        @Test(
            "GOAWAY and the end of the connection fail the call with the error code", arguments: ["PROTOCOL_ERROR", "ENHANCE_YOUR_CALM"],
            ["fin", "drop"])
        func goneAwayAndClosed(code: String, end: String) async throws {
            try await Faults.expect("body;goaway \(code) this;\(end)", .failure(Faults.lost, saying: code, "GOAWAY")) {
                $0.method(.post).json(["n": 1])
            }
        }

        // MARK: SETTINGS

        // If a server refuses a stream beyond its limit, the attempt stage sends the request again.
        @Test(
            "calls wait for each other if the server allows few streams",
            arguments: ["3=1", "3=2", "3=10", "3=100", "3=1000,4=1"])
        func fewStreams(settings: String) async throws {
            let origin = try await InteropTests.FaultOrigin(settings: settings, isDistant: true)
            let calls = (0..<20).map { origin.client.get("/fault/\($0)").query(["script": "pause 10;ok"]).execute(.data) }
            for call in calls { #expect(try await call.value == Data(#""fine""#.utf8)) }
            for n in 0..<20 { #expect(try await origin.arrivals(at: "/fault/\(n)").count == 1) }
        }

        @Test(
            "SETTINGS that change while a response arrives affect neither this response nor the next call",
            arguments: ["3=1", "3=1000", "4=0", "4=1", "5=16777215"])
        func changed(settings: String) async throws {
            for order in ["settings \(settings);head 200;data 5 end", "head 200;data 2;settings \(settings);data 3 end"] {
                try await Faults.expect(order, .body("11111"), isKept: true)
            }
        }

        @Test("a call to a server that allows no stream fails at its timeout or before")
        func noStream() async throws {
            let origin = try await InteropTests.FaultOrigin(settings: "3=0")
            let error = await #expect(throws: APIError.self) {
                try await origin.call("ok").method(.post).json(["n": 1]).timeout(.milliseconds(500)).execute(.void).value
            }
            #expect(
                error.map { [.timeout, .connectionLost, .protocolViolation].contains($0.kind) } == true, "\(String(describing: error))")
            #expect(try await origin.arrivals().count == 0)
        }

        // MARK: Floods

        @Test(
            "floods of PING end a call at once or leave its response valid", arguments: ["ping 100", "ping 2000", "ping 20000"],
            [false, true])
        func pings(script: String, isKept: Bool) async throws {
            try await Faults.expect("body;\(script);head 200;data 5 end", .bodyOrFailure("11111", Faults.lost), isKept: isKept) {
                $0.method(.post).json(["n": 1])
            }
        }

        @Test("floods of SETTINGS end a call at once or leave its response valid", arguments: [100, 5_000])
        func settings(count: Int) async throws {
            let flood = String(repeating: "settings 3=100;", count: count / 50)
            try await Faults.expect("body;\(flood)head 200;data 5 end", .bodyOrFailure("11111", Faults.lost)) {
                $0.method(.post).json(["n": 1])
            }
        }

        @Test("a head that never ends fails a call", arguments: [1_000, 100_000], [false, true])
        func continuations(count: Int, isKept: Bool) async throws {
            try await Faults.expect("body;flood \(count);fin", .failure(Faults.lost), isKept: isKept) { $0.method(.post).json(["n": 1]) }
        }

        @Test("empty DATA frames before the data leave the response valid")
        func emptyData() async throws {
            let flood = String(repeating: "data 0;", count: 200)
            try await Faults.expect("head 200;\(flood)data 5 end", .body("11111"))
        }

        // MARK: Silence

        @Test(
            "a kept connection that goes silent fails only its current calls, and the next call uses another connection", arguments: [1, 8])
        func silent(count: Int) async throws {
            let origin = try await InteropTests.FaultOrigin()
            await origin.expectNext()
            let calls = (0..<count).map {
                origin.client.get("/fault/\($0)").query(["script": "mute"]).timeout(.milliseconds(500)).execute(.void)
            }
            for call in calls { #expect((await call.result.error as? APIError)?.kind == .timeout) }
            await origin.expectNext()
            #expect(try await origin.arrivals(at: "/next").map(\.connection) == [1, 2])
        }

        @Test("a new connection that goes silent fails only its current call")
        func silentFromTheStart() async throws {
            try await Faults.expect("mute", .failure([.timeout])) { $0.method(.post).json(["n": 1]).timeout(.milliseconds(500)) }
        }

        @Test("silence within a body fails at most one further call")
        func silentWithinBody() async throws {
            let origin = try await InteropTests.FaultOrigin()
            let error = await #expect(throws: APIError.self) {
                try await origin.call("head 200;data 5;mute").timeout(.milliseconds(500)).execute(.void).value
            }
            #expect(error?.kind == .timeout)
            // The first attempt received bytes, so that the next call may still use the connection.
            _ = await origin.client.get("/between").timeout(.milliseconds(500)).execute(.void).result
            await origin.expectNext()
        }
    }
}
#endif
