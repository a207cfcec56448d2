#if os(Linux) && canImport(Glibc)
import CatenaPlatform

/// Extracts details of a failure from libcurl's message that its code does not tell. Pure; CurlFailureTests has the messages of each
/// version.
struct CurlReason {
    /// An error code of HTTP/2 (RFC 9113 §7).
    struct HTTP2Error: Equatable {
        static let noError = HTTP2Error(number: 0)
        static let refusedStream = HTTP2Error(number: 7)
        static let enhanceYourCalm = HTTP2Error(number: 11)
        static let http1Required = HTTP2Error(number: 13)

        let number: Int

        /// Whether one side has violated the protocol, so that the same request would fail again.
        var isViolation: Bool { [1, 3, 4, 5, 6, 9].contains(number) }

        /// The name in the RFC.
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
        // The value of a header follows, which may be secret. Texts of servers and of the environment could steer a terminal.
        self.text = Redaction.unbroken(text.firstRange(of: ", value:").map { text[..<$0.lowerBound] } ?? text[...])
    }

    /// Returns the reason without the proxy's credentials, or an empty reason if the text may contain them.
    func hiding(credentialsOf proxy: String) -> CurlReason {
        guard let sign = proxy.lastIndex(of: "@") else { return self }
        let user = proxy[..<sign].split(separator: "/").last ?? ""
        let parts = user.split(separator: ":").flatMap { [String($0), PercentDecoding.decode($0, plusIsSpace: false)] }.filter {
            !$0.isEmpty
        }
        return text.contains("@") || parts.contains(where: text.contains) ? CurlReason("") : self
    }

    /// The code with which the server ended the stream: "… was not closed cleanly: PROTOCOL_ERROR (err 1)", or from 8.18 on "… reset by
    /// server (error 0x1 PROTOCOL_ERROR)".
    var http2Error: HTTP2Error? {
        if let start = text.firstRange(of: "(err ") {
            return Int(text[start.upperBound...].prefix { $0.isNumber }).map(HTTP2Error.init)
        }
        if let start = text.firstRange(of: "shuts down connection with error ") {
            return Int(text[start.upperBound...].prefix { $0.isNumber }).map(HTTP2Error.init)
        }
        if let start = text.firstRange(of: "(error 0x") {
            return Int(text[start.upperBound...].prefix { $0.isHexDigit }, radix: 16).map(HTTP2Error.init)
        }
        return nil
    }

    /// The status with which a proxy refused a tunnel. From 8.21 on only the message contains it.
    var proxyStatus: Int? { text.firstRange(of: "tunnel failed, response ").flatMap { Int(text[$0.upperBound...].prefix { $0.isNumber }) } }

    /// Whether nghttp2 has rejected data from the server.
    var isRefusedByHTTP2: Bool {
        says("Invalid HTTP header", "nghttp2 recv error", "nghttp2_session_mem_recv() returned", "received invalid frame")
    }

    /// Whether the connection under HTTP/2 has ended: "HTTP/2 stream 3 was not closed cleanly before end of the underlying stream".
    var saysConnectionEnded: Bool { says("end of the underlying stream", "end of the underlying connection") }

    /// Whether the head of the response exceeded libcurl's limit.
    var isLongHead: Bool {
        // nghttp2 returns -902 if libcurl rejects a line of the head, which libcurl does only with lines that are too long.
        [
            "-902", "Too many CONTINUATION", "Too large response header", "Too long response header", "header line too long",
            "Header too long",
        ].contains(where: text.contains)
    }

    func says(_ words: String...) -> Bool {
        let text = text.lowercased()
        return words.contains { text.contains($0.lowercased()) }
    }
}

/// A line of libcurl's verbose output that matters to the engine.
enum CurlNotice: Equatable {
    /// The server agreed to a protocol in the handshake.
    case agreed(OriginAdmission<CurlTransfer>.Version)
    /// The server accepts no further requests on an HTTP/2 connection.
    case goAway(CurlReason.HTTP2Error, lastStream: Int)
    /// The server ended the stream of the request.
    case reset(CurlReason.HTTP2Error)

    /// Returns `nil` for all other lines.
    init?(_ line: UnsafeRawBufferPointer) {
        guard let first = line.first else { return nil }
        switch first {
        // "ALPN: server accepted h2", before 7.84 "ALPN, server accepted to use h2", from 8.12 on also "ALPN: server confirmed to use 'h2'".
        case UInt8(ascii: "A") where line.starts(with: "ALPN".utf8):
            let text = String(decoding: line, as: UTF8.self)
            guard text.contains("server") else { return nil }
            self = .agreed(text.contains("h2") ? .http2 : .http1)
        // "REFUSED_STREAM, retrying a fresh connect", on a new connection.
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
        text.firstRange(of: words).flatMap { Int(text[$0.upperBound...].prefix { $0.isNumber }) }
    }
}
#endif
