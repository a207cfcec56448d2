import Foundation

@testable import Catena

extension FuzzTarget {
    /// The heads of responses. An accepted head keeps its meaning when it is written and read again.
    static let heads = FuzzTarget(
        "heads",
        seeds: [
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n",
            "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200\r\nX-A: one\r\n two\r\nSet-Cookie: a=b; Path=/\r\n\r\nX-Trailer: 1\r\n",
            "HTTP/2 204\nx-a:1\ncontent-length: 5, 5\n\n",
            "HTTP/1.1 200\r\nContent-Type: a/b\r\n\t;c=d\r\nContent-Type: a/b\r\n\t;c=d\r\n\r\n",
            "HTTP/1.0 302 \r\nLocation: /caf\u{e9}?\u{ff}\r\nTransfer-Encoding: chunked\r\n\r\n",
            "HTTP/1.1 304\r\nA:\t x \t\r\n\tfolded\r\n \r\nContent-Length: 9223372036854775807\r\nTransfer-Encoding: chunked\r\n\r\n",
        ],
        stepsPerByte: 300
    ) { input in
        var lines: [[UInt8]] = []
        var start = 0
        while start < input.count {
            let end = input[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? input.count
            lines.append(Array(input[start..<end]))
            start = end
        }
        guard let head = read(lines), head.isComplete else { return }
        expect((200...999).contains(head.status), "the status of a whole head is \(head.status)")
        for field in head.headers {
            expect(HeaderRules.isToken(field.name), "\"\(field.name)\" is the name of a header")
            expect(
                field.value.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F || $0 == "\t" },
                "the value of \(field.name) has a control character")
            expect(field.value.trimmingCharacters(in: [" ", "\t"]) == field.value, "\"\(field.value)\" is not trimmed")
        }
        var written = ["HTTP/1.1 \(head.status) Again"]
        written += head.headers.map { "\($0.name): \($0.value)" } + [""]
        let again = read(written.map { Array("\($0)\r\n".utf8) })
        expect(again?.isComplete == true, "what was read as a head is one: \(written)")
        expect(again?.status == head.status && again?.headers == head.headers, "\(head.headers) are read again as \(again?.headers ?? [])")
        expect(again?.contentLength == head.contentLength && again?.forbidsReuse == head.forbidsReuse, "the framing is the same again")
    }

    /// Returns `nil` if the head is refused.
    private static func read(_ lines: [[UInt8]]) -> ResponseHeadReader? {
        var reader = ResponseHeadReader()
        for line in lines {
            do {
                _ = try line.withUnsafeBytes { try reader.read($0) }
            } catch {
                return nil
            }
        }
        return reader
    }
}
