import Foundation
import Testing

@testable import Catena

@Suite(.limitedParallelism) struct ResponseHeadReaderTests {
    private func read(_ lines: [String]) throws(ResponseHeadReader.Violation) -> ResponseHeadReader {
        var reader = ResponseHeadReader()
        for line in lines {
            let bytes = line.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
            let result = bytes.withUnsafeBytes { bytes in
                Result { () throws(ResponseHeadReader.Violation) in try reader.read(bytes) }
            }
            _ = try result.get()
        }
        return reader
    }

    @Test("a head is complete with its blank line, and interim heads are skipped")
    func completion() throws {
        var reader = try read(["HTTP/1.1 103 Early Hints\r\n", "Link: a\r\n", "\r\n", "HTTP/1.1 200 OK\r\n", "X-A: 1\r\n"])
        #expect(!reader.isComplete)
        #expect(reader.status == 200)
        #expect(reader.headers.map(\.name) == ["X-A"])
        reader = try read(["HTTP/2 204\r\n", "x-a: 1\r\n", "\r\n"])
        #expect(reader.isComplete)
    }

    @Test("header values are trimmed, unfolded, and read as UTF-8 or as Latin-1")
    func values() throws {
        let reader = try read([
            "HTTP/1.1 200 OK\r\n", "A: \t x \t\r\n", "B: one\r\n", "  two\r\n", "C: caf\u{e9}\r\n", "D: caf\u{c3}\u{a9}\r\n", "E:\r\n",
            "\r\n",
        ])
        #expect(reader.headers.map(\.value) == ["x", "one two", "café", "café", ""])
    }

    @Test(
        "a folded value has no white space around it, even if one of its lines is blank",
        arguments: [(["A: one", " "], "one"), (["A:", "\tone"], "one"), (["A: one", " ", " two "], "one two"), (["A:", " "], "")])
    func folds(lines: [String], value: String) throws {
        let reader = try read(["HTTP/1.1 200 OK"] + lines + [""])
        #expect(reader.headers.map(\.value) == [value])
    }

    @Test(
        "a repeated Content-Type of equal value is kept once, even if it is folded",
        arguments: [
            (["Content-Type: a/b", "Content-Type: a/b"], ["a/b"]), (["Content-Type: a/b", "content-type: c/d"], ["a/b", "c/d"]),
            (["Content-Type: a/b", " ;c=d", "Content-Type: a/b", " ;c=d"], ["a/b ;c=d"]),
            (["Content-Type: a/b", "X: 1", "Content-Type: a/b", " ;c=d"], ["a/b", "1", "a/b ;c=d"]),
            (["X: a/b", "Content-Type: a/b", "X: a/b"], ["a/b", "a/b", "a/b"]),
        ])
    func types(lines: [String], values: [String]) throws {
        let reader = try read(["HTTP/1.1 200 OK"] + lines + [""])
        #expect(reader.headers.map(\.value) == values)
    }

    @Test("a Location keeps its bytes, whether they are UTF-8 or not")
    func addresses() throws {
        let reader = try read([
            "HTTP/1.1 302 Found", "Location: /caf\u{e9}?\u{ff}", "location: /caf\u{c3}\u{a9}", "X-A: caf\u{e9}", "Location:", " /\u{ff}",
            "",
        ])
        #expect(reader.headers.map(\.value) == ["/caf%E9?%FF", "/café", "café", "/%FF"])
    }

    @Test(
        "a response with contradictory framing is the last one on its connection",
        arguments: [
            (["HTTP/1.1 200 OK", "Content-Length: 1", "Transfer-Encoding: chunked", ""], true),
            (["HTTP/1.1 204 No Content", "Content-Length: 1", ""], true),
            (["HTTP/1.1 204 No Content", "Content-Length: 0", ""], false),
            (["HTTP/1.1 200 OK", "Content-Length: 1", ""], false),
        ])
    func reuse(lines: [String], isForbidden: Bool) throws {
        #expect(try read(lines.map { $0 + "\r\n" }).forbidsReuse == isForbidden)
    }

    @Test(
        "a body in chunks has no announced length",
        arguments: [
            (["Content-Length: 1", "Transfer-Encoding: chunked"], nil), (["Transfer-Encoding: chunked", "Content-Length: 1"], nil),
            (["Content-Length: 1"], 1),
        ] as [([String], Int64?)])
    func length(lines: [String], length: Int64?) throws {
        #expect(try read(["HTTP/1.1 200 OK"] + lines + [""]).contentLength == length)
    }

    @Test("a malformed or ambiguous head is refused")
    static func violationsRows() {
        each(
            [
                ["HTTP/1.1 200 O\rK"], ["HTTP/1.0 200 \r"], ["HTTP/2 200 O\rK"], ["HTTP/1.1 200 OK\r\r\n"], ["HTTP/1.1 200\rOK"],
                ["HTTP/1.1 200 O\0K"],
                ["X-A: 1"], ["HTTP/1.1"], ["HTTP/1.1 20 OK"], ["HTTP/1.9 200 OK"], ["HTTP/1.1 101 Switching", ""], [" folded"],
                ["HTTP/1.1 200 OK", " folded"], ["HTTP/1.1 200 OK", "Content-Length: 1", "Content-Length: 2"],
                ["HTTP/1.1 200 OK", "Content-Length: 1", " 2"], ["HTTP/1.1 200 OK", "Transfer-Encoding: gzip, chunked"],
                ["HTTP/1.1 200 OK", "HTTP/1.1 302 : x"], ["HTTP/1.1 103 Early", "Link: a", "HTTP/1.1 200 OK"],
                ["HTTP/1.1 103 Early", "", "X-A: 1"], ["HTTP/1.1 103 Early", "", ""], ["HTTP/1.1 200 OK", ": x"],
                ["HTTP/1.1 200 OK", "X A: x"], ["HTTP/1.1 200 OK", "X-A: a\rb"],
            ] as [[String]]
        ) { Self().violations(lines: $0) }
    }

    func violations(lines: [String]) {
        #expect(throws: ResponseHeadReader.Violation.self) { try read(lines.map { $0 + "\r\n" }) }
    }
}
