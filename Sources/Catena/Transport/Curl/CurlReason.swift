#if os(Linux) && canImport(Glibc)
import Foundation

/// Reads in libcurl's own words what its code does not say of a failure. Pure; CurlFailureTests has the words of each version.
struct CurlReason {
    /// An error code of HTTP/2 (RFC 9113 §7).
    struct HTTP2Error: Equatable {
        static let noError = HTTP2Error(number: 0)
        static let refusedStream = HTTP2Error(number: 7)
        static let enhanceYourCalm = HTTP2Error(number: 11)
        static let http1Required = HTTP2Error(number: 13)

        let number: Int

        /// Whether one side has broken the rules, so that the same request would fail again.
        var isViolation: Bool { [1, 3, 4, 5, 6, 9].contains(number) }

        /// The name that the RFC gives it.
        var name: String {
            let names = [
                "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
                "FRAME_SIZE_ERROR",
                "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY",
                "HTTP_1_1_REQUIRED",
            ]
            return names.indices.contains(number) ? names[number] : "error \(number)"
        }
    }

    let text: String

    init(_ text: String) {
        // The value of a header follows, which may be a secret.
        self.text = text.range(of: ", value:").map { String(text[..<$0.lowerBound]) } ?? text
    }

    /// The words without the credentials of a proxy; none at all if they may be among them.
    func hiding(credentialsOf proxy: String) -> CurlReason {
        guard let sign = proxy.lastIndex(of: "@") else { return self }
        let user = proxy[..<sign].split(separator: "/").last ?? ""
        let parts = user.split(separator: ":").flatMap { [String($0), $0.removingPercentEncoding ?? ""] }.filter { !$0.isEmpty }
        return text.contains("@") || parts.contains(where: text.contains) ? CurlReason("") : self
    }

    /// The code with which the server has ended the stream: "… was not closed cleanly: PROTOCOL_ERROR (err 1)", or from 8.18 on
    /// "… reset by server (error 0x1 PROTOCOL_ERROR)".
    var http2Error: HTTP2Error? {
        if let start = text.range(of: "(err ") {
            return Int(text[start.upperBound...].prefix { $0.isNumber }).map(HTTP2Error.init)
        }
        if let start = text.range(of: "shuts down connection with error ") {
            return Int(text[start.upperBound...].prefix { $0.isNumber }).map(HTTP2Error.init)
        }
        if let start = text.range(of: "(error 0x") {
            return Int(text[start.upperBound...].prefix { $0.isHexDigit }, radix: 16).map(HTTP2Error.init)
        }
        return nil
    }

    /// The status with which a proxy has refused a tunnel: from 8.21 on it stands in the words alone.
    var proxyStatus: Int? { text.range(of: "tunnel failed, response ").flatMap { Int(text[$0.upperBound...].prefix { $0.isNumber }) } }

    /// Whether nghttp2 has refused what the server sent.
    var isRefusedByHTTP2: Bool {
        says("Invalid HTTP header", "nghttp2 recv error", "nghttp2_session_mem_recv() returned", "received invalid frame")
    }

    /// Whether the connection beneath HTTP/2 has ended: "HTTP/2 stream 3 was not closed cleanly before end of the underlying stream".
    var saysConnectionEnded: Bool { says("end of the underlying stream", "end of the underlying connection") }

    /// Whether the head of the response was longer than libcurl takes.
    var isLongHead: Bool {
        // nghttp2 passes on with -902 that libcurl refuses a line of the head, which it does of those that are too long alone.
        [
            "-902", "Too many CONTINUATION", "Too large response header", "Too long response header", "header line too long",
            "Header too long",
        ].contains(where: text.contains)
    }

    func says(_ words: String...) -> Bool { words.contains { text.range(of: $0, options: .caseInsensitive) != nil } }
}

/// A line with which libcurl says what it does, as far as the engine needs to know.
enum CurlNotice: Equatable {
    /// The server has agreed to a protocol in the handshake.
    case agreed(OriginAdmission<CurlTransfer>.Version)
    /// The server takes no further requests on an HTTP/2 connection.
    case goAway(CurlReason.HTTP2Error, lastStream: Int)
    /// The server has ended the stream of the request.
    case reset(CurlReason.HTTP2Error)

    /// `nil` for all other lines.
    init?(_ line: UnsafeRawBufferPointer) {
        guard let first = line.first else { return nil }
        switch first {
        // "ALPN: server accepted h2", before 7.84 "ALPN, server accepted to use h2", from 8.12 on also "ALPN: server confirmed to use 'h2'".
        case UInt8(ascii: "A") where line.starts(with: "ALPN".utf8):
            let text = String(decoding: line, as: UTF8.self)
            guard text.contains("server") else { return nil }
            self = .agreed(text.contains("h2") ? .http2 : .http1)
        // "REFUSED_STREAM, retrying a fresh connect", where the connection is new.
        case UInt8(ascii: "R") where line.starts(with: "REFUSED_STREAM".utf8): self = .reset(.refusedStream)
        // "HTTP/2 stream 1 was not closed cleanly: CANCEL (err 8)".
        case UInt8(ascii: "H") where line.starts(with: "HTTP/2 stream".utf8):
            guard let error = CurlReason(String(decoding: line, as: UTF8.self)).http2Error else { return nil }
            self = .reset(error)
        // "received GOAWAY, error=1, last_stream=0", up to 8.1 "recveived …".
        default:
            guard line.count < 200, line.count > 20, line.contains(UInt8(ascii: "G")) else { return nil }
            let text = String(decoding: line, as: UTF8.self)
            guard let number = Self.number(behind: "eived GOAWAY, error=", in: text),
                let lastStream = Self.number(behind: "last_stream=", in: text)
            else { return nil }
            self = .goAway(CurlReason.HTTP2Error(number: number), lastStream: lastStream)
        }
    }

    private static func number(behind words: String, in text: String) -> Int? {
        text.range(of: words).flatMap { Int(text[$0.upperBound...].prefix { $0.isNumber }) }
    }
}
#endif
