#if os(Linux)
import Catena
import Foundation
import Testing

extension InteropTests.HTTP2Faults {
    /// Long and malformed heads.
    @Suite("HTTP/2 faults of heads") struct Heads {
        typealias Faults = InteropTests.HTTP2Faults

        @Test(
            "a long head arrives", arguments: ["size=1", "size=16", "size=17", "size=20", "size=64", "size=100", "field=16", "field=60"],
            [false, true])
        func long(size: String, isKept: Bool) async throws {
            try await Faults.expect("head 200 \(size);data 5 end", .body("11111"), isKept: isKept)
        }

        @Test("a head up to the limit of 256 KB arrives, or its failure names the reason at once", arguments: [130, 255], [false, true])
        func upToLimit(size: Int, isKept: Bool) async throws {
            try await Faults.expect("head 200 size=\(size);data 5 end", .bodyOrFailure("11111", [.protocolViolation]), isKept: isKept)
        }

        @Test("a head above the limit is a protocol violation", arguments: [257, 400, 2_000], [false, true])
        func aboveLimit(size: Int, isKept: Bool) async throws {
            try await Faults.expect("head 200 size=\(size);data 5 end", .failure([.protocolViolation]), isKept: isKept, sendings: nil)
        }

        @Test(
            "a malformed head fails the call at once as a protocol violation",
            arguments: [
                "head 200 connection:close;data 5 end", "head 200 upgrade:h2c;data 5 end", "head 200 keep-alive:1;data 5 end",
                "head 200 transfer-encoding:chunked;data 5 end", "head 200 X-Upper:1;data 5 end", "head -;data 5 end",
                "head - x-status:200;data 5 end", "head 2x0;data 5 end", "head 20;data 5 end", "head 200 :status:200;data 5 end",
                "head - x-first:1 :status:200;data 5 end", "head 200 :path:/a;data 5 end", "head 200 :made-up:1;data 5 end",
                "head 200 content-length:x;data 5 end",
                "head 200 content-length:5 content-length:6;data 5 end", "head 200 content-length:10;data 5 end",
                "head 200 content-length:3;data 5 end", "head 101;data 5 end",
            ], [false, true])
        func malformed(script: String, isKept: Bool) async throws {
            try await Faults.expect(
                "body;\(script)", .failure([.protocolViolation]), isKept: isKept
            ) {
                $0.method(.post).json(["n": 1])
            }
        }

        @Test(
            "misplaced or malformed frames fail the call",
            arguments: [
                "data 5 end", "head 200;head 200;data 5 end", "raw 5 4 this 0000000282", "raw 5 4 this 00000002", "raw 0 0 0 00",
                "raw 1 4 0 88", "raw 1 4 this ff", "raw 9 4 this 88", "raw 3 0 0 00000000", "raw 3 0 this 00", "raw 7 0 0 00",
                "raw 7 0 this 00*8",
                "raw 6 0 0 00", "raw 6 0 this 00*8", "raw 4 1 0 00", "raw 4 0 0 00", "raw 4 0 this", "raw 8 0 0 00",
                "raw 0 0 this 00*20000",
                "raw 0 8 this 05", "raw 1 5 7 88", "settings 4=2147483648", "settings 5=100", "settings 5=16777216", "settings 2=2",
            ], [false, true])
        func misplaced(script: String, isKept: Bool) async throws {
            try await Faults.expect("body;\(script)", .failure(Faults.lost), isKept: isKept) { $0.method(.post).json(["n": 1]) }
        }

        @Test(
            "frames without a meaning for the call are ignored",
            arguments: [
                "raw 99 0 0 00*100", "raw 99 255 this 00*100", "raw 10 0 0 0000", "raw 2 0 this 0000000010", "settings 99=1",
                "settings 1=0",
                "settings 1=65536", "settings 6=100", "raw 0 0 this", "head 103 link:</a>;head 103 link:</b>", "head 100", "raw 6 1 0 00*8",
                "ping 10",
                "raw 8 0 0 00000100",
            ], [false, true])
        func ignored(script: String, isKept: Bool) async throws {
            // An empty DATA frame may only follow the head.
            let isData = script.hasPrefix("raw 0 ")
            try await Faults.expect(
                isData ? "body;head 200;\(script);data 5 end" : "body;\(script);head 200;data 5 end", .body("11111"), isKept: isKept
            ) {
                $0.method(.post).json(["n": 1])
            }
        }

        @Test("a field with an invalid name is left out or fails the call", arguments: [false, true])
        func invalidName(isKept: Bool) async throws {
            try await Faults.expect("body;head 200 a%20b:1;data 5 end", .bodyOrFailure("11111", [.protocolViolation]), isKept: isKept) {
                $0.method(.post).json(["n": 1])
            }
        }

        @Test(
            "trailers arrive or are ignored, and the body is whole",
            arguments: ["trailers", "trailers x-a:1 x-b:2"])
        func trailers(script: String) async throws {
            try await Faults.expect("head 200;data 5;\(script)", .body("11111"))
        }

        @Test(
            "malformed trailers fail the call, although its body has arrived",
            arguments: ["head - :status:200 end", "head - X-Upper:1 end", "head - x-a:1"])
        func malformedTrailers(script: String) async throws {
            try await Faults.expect("head 200;data 5;\(script)", .failure(Faults.lost))
        }
    }
}
#endif
