#if os(Linux)
import Catena
import Foundation
import Testing

extension InteropTests.HTTP2Faults {
    /// RST_STREAM with each error code in each part of a response.
    @Suite("HTTP/2 resets") struct Resets {
        typealias Faults = InteropTests.HTTP2Faults

        @Test(
            "a reset before the head fails a POST without a second sending, and the error contains the code", arguments: Faults.finalCodes,
            [false, true])
        func beforeHead(code: String, isKept: Bool) async throws {
            // A code that is not registered is shown in hexadecimal digits from 8.18 on.
            let words = code == "NO_ERROR" ? "HTTP/2" : code == "42" ? "" : code
            try await Faults.expect("body;rst \(code)", .failure(Faults.kinds(of: code), saying: words), isKept: isKept) {
                $0.method(.post).json(["n": 1])
            }
        }

        @Test(
            "a reset after an interim head fails a POST without a second sending, and the error contains the code",
            arguments: Faults.finalCodes)
        func afterInterimHead(code: String) async throws {
            let words = code == "NO_ERROR" ? "HTTP/2" : code == "42" ? "" : code
            try await Faults.expect("body;head 103 link:</a>;rst \(code)", .failure(Faults.kinds(of: code), saying: words)) {
                $0.method(.post).json(["n": 1])
            }
        }

        // RFC 9113 §6.2: only CONTINUATION may follow a HEADERS frame without END_HEADERS.
        @Test("a reset within the head fails the call", arguments: Faults.codes, [false, true])
        func withinHead(code: String, isKept: Bool) async throws {
            try await Faults.expect("body;head 200 part;rst \(code)", .failure(Faults.lost), isKept: isKept) {
                $0.method(.post).json(["n": 1])
            }
        }

        @Test(
            "a reset within the body fails the call instead of delivering a part of the body", arguments: Faults.codes,
            ["content-length:10", "x-length:unknown"])
        func withinBody(code: String, length: String) async throws {
            // A body of unknown length that ends with NO_ERROR cannot be distinguished from a whole one (Docs/Platforms.md).
            if code == "NO_ERROR", length == "x-length:unknown" { return }
            // Some versions of libcurl do not name these codes.
            let words = ["NO_ERROR", "REFUSED_STREAM", "HTTP_1_1_REQUIRED"].contains(code) ? "" : code
            let kinds = code == "NO_ERROR" ? [.connectionLost] : Faults.lost
            try await Faults.expect("head 200 \(length);data 5;rst \(code)", .failure(kinds, saying: words))
        }

        // RFC 9113 §8.1: a complete response must not be discarded because of the reset that follows it.
        @Test("a reset after the end of the response leaves the response valid", arguments: Faults.codes, [100, 1_000_000])
        func afterEnd(code: String, upload: Int) async throws {
            // libcurl does not report that a response without a length is complete before the request is.
            let length = upload > 100 ? " content-length:5" : ""
            try await Faults.expect(
                "body;head 200\(length);data 5 end;rst \(code)".replacing("body;", with: upload > 100 ? "" : "body;"), .body("11111")
            ) {
                $0.method(.post).body(Data(count: upload), contentType: "application/octet-stream")
            }
        }

        @Test("a reset after the end of the response to a GET is ignored", arguments: Faults.codes)
        func afterEndOfGet(code: String) async throws {
            try await Faults.expect("head 200;data 5 end;rst \(code)", .body("11111"))
        }

        @Test(
            "a reset after a body that is complete by its length leaves the response valid",
            arguments: ["NO_ERROR", "CANCEL", "INTERNAL_ERROR"])
        func afterLength(code: String) async throws {
            try await Faults.expect("head 200 content-length:5;data 5;rst \(code)", .body("11111")) {
                $0.method(.post).body(Data(count: 1_000_000), contentType: "application/octet-stream")
            }
        }

        @Test(
            "a connection that ends within a response or before it fails the call", arguments: ["fin", "drop", "cut"],
            ["", "head 200 content-length:10;data 5;pause 20;"])
        func connectionEnds(end: String, before: String) async throws {
            try await Faults.expect("body;\(before)\(end)", .failure([.connectionLost])) { $0.method(.post).json(["n": 1]) }
        }

        @Test("a connection that ends after a complete response leaves the response valid", arguments: ["fin", "drop", "cut"])
        func connectionEndsAfterEnd(end: String) async throws {
            try await Faults.expect("body;head 200;data 5 end;pause 20;\(end)", .body("11111")) { $0.method(.post).json(["n": 1]) }
        }
    }
}
#endif
