#if os(Linux)
import Foundation
import Testing

@testable import Catena

/// The errors for libcurl's results, by code, by the text of each version and by the progress of the response.
@Suite(.limitedParallelism, .needsEngine)
struct CurlFailureTests {
    enum Phase: CaseIterable, Sendable {
        case connecting, sent, begun, headed
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let code: Int32
        let words: String
        let phases: [Phase]
        let kind: APIError.Kind
        var system: Int32 = 0
        var isIdempotent = true
        var testDescription: String { "\(code) \(words) \(phases)" }

        var outcomes: [CurlOutcome] {
            phases.map { phase in
                var outcome = CurlOutcome(code: code)
                outcome.reason = CurlReason(words)
                outcome.systemError = system
                outcome.isIdempotent = isIdempotent
                outcome.host = "forum.example:443"
                outcome.isWritten = phase != .connecting
                outcome.hasBegun = phase == .begun || phase == .headed
                outcome.hasHead = phase == .headed
                return outcome
            }
        }
    }

    static let cases: [Case] = [
        // Lines that are too long: up to 8.5, from 8.6, from 8.12, and over HTTP/2.
        Case(code: 27, words: "Too large response headers: 307204 > 307200", phases: [.sent, .begun], kind: .protocolViolation),
        Case(code: 56, words: "Too large response headers: 307204 > 307200", phases: [.begun], kind: .protocolViolation),
        Case(code: 100, words: "", phases: [.begun, .headed], kind: .protocolViolation),
        Case(code: 100, words: "", phases: [.connecting, .sent], kind: .invalidRequest),
        Case(code: 27, words: "", phases: [.connecting, .sent], kind: .invalidRequest),
        Case(
            code: 56, words: "h2_process_pending_input: nghttp2_session_mem_recv() returned -902:The user callback function failed",
            phases: [.sent], kind: .protocolViolation),
        Case(
            code: 16, words: "nghttp2 recv error -905: Too many CONTINUATION frames following a HEADER frame", phases: [.sent, .begun],
            kind: .protocolViolation),
        // Streams that are reset.
        Case(
            code: 92, words: "HTTP/2 stream 1 was not closed cleanly: PROTOCOL_ERROR (err 1)", phases: [.sent, .begun, .headed],
            kind: .protocolViolation),
        Case(
            code: 92, words: "HTTP/2 stream 1 reset by server (error 0x1 PROTOCOL_ERROR)", phases: [.sent, .headed],
            kind: .protocolViolation),
        Case(
            code: 92, words: "HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)", phases: [.sent, .headed],
            kind: .connectionLost),
        Case(code: 92, words: "HTTP/2 stream 1 was not closed cleanly: ENHANCE_YOUR_CALM (err 11)", phases: [.sent], kind: .connectionLost),
        Case(
            code: 16, words: "nghttp2 shuts down connection with error 1: PROTOCOL_ERROR", phases: [.sent, .headed],
            kind: .protocolViolation),
        Case(
            code: 16, words: "Invalid HTTP header field was received: frame type: 1, stream: 1, name: [upgrade], value: [h2c]",
            phases: [.sent, .begun], kind: .protocolViolation),
        Case(
            code: 92, words: "[HTTP2] [1] received invalid frame: FRAME[DATA, len=5, eos=1, padlen=0], error -505: Protocol error",
            phases: [.sent, .headed], kind: .protocolViolation),
        Case(code: 16, words: "", phases: [.sent], kind: .connectionLost),
        // Malformed heads.
        Case(code: 1, words: "Received HTTP/0.9 when not allowed", phases: [.sent, .begun], kind: .protocolViolation),
        Case(code: 1, words: "Unsupported HTTP version (1.7) in response", phases: [.sent], kind: .protocolViolation),
        Case(code: 1, words: "Unsupported proxy scheme", phases: [.connecting], kind: .connect),
        Case(code: 4, words: "libcurl is built without the HTTPS-proxy support", phases: [.connecting], kind: .connect),
        Case(code: 8, words: "Invalid Content-Length: value", phases: [.sent, .begun], kind: .protocolViolation),
        Case(code: 61, words: "Unsupported transfer encoding type 'x'", phases: [.sent, .begun], kind: .protocolViolation),
        Case(code: 61, words: "", phases: [.headed], kind: .decompression),
        // TLS.
        Case(code: 35, words: "error:0A00010B:SSL routines::wrong version number", phases: [.connecting], kind: .tls),
        Case(
            code: 56, words: "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0", phases: [.sent],
            kind: .tls),
        Case(code: 60, words: "SSL certificate problem: certificate has expired", phases: [.connecting], kind: .tls),
        // The connection ends during the handshake: with each version of libcurl and OpenSSL another text.
        Case(code: 35, words: "Recv failure: Connection reset by peer", phases: [.connecting], kind: .connect, system: ECONNRESET),
        Case(code: 35, words: "Send failure: Broken pipe", phases: [.connecting], kind: .connect),
        Case(
            code: 35, words: "OpenSSL SSL_connect: Connection reset by peer in connection to forum.example:443", phases: [.connecting],
            kind: .connect),
        Case(
            code: 35, words: "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to forum.example:443", phases: [.connecting],
            kind: .connect),
        Case(
            code: 35, words: "TLS connect error: error:0A000126:SSL routines::unexpected eof while reading", phases: [.connecting],
            kind: .connect),
        Case(
            code: 35, words: "TLS connect error: error:00000000:lib(0)::reason(0)", phases: [.connecting],
            kind: .connect),
        Case(code: 35, words: "error:0A000410:SSL routines::sslv3 alert handshake failure", phases: [.connecting], kind: .tls),
        // The connection before was lost, and the server of this one refuses.
        Case(
            code: 35, words: "error:0A00042E:SSL routines::tlsv1 alert protocol version", phases: [.connecting], kind: .tls,
            system: ECONNRESET),
        Case(code: 90, words: "", phases: [.connecting], kind: .tls), Case(code: 98, words: "", phases: [.connecting], kind: .tls),
        // Connecting.
        Case(code: 7, words: "", phases: [.connecting], kind: .connect, system: ECONNREFUSED),
        Case(code: 7, words: "", phases: [.connecting], kind: .offline, system: ENETUNREACH),
        Case(code: 7, words: "", phases: [.connecting], kind: .offline, system: EHOSTUNREACH),
        Case(code: 7, words: "", phases: [.connecting], kind: .connect),
        Case(code: 6, words: "Could not resolve host: forum.example", phases: [.connecting], kind: .dns),
        Case(code: 97, words: "Can't complete SOCKS5 connection to forum.example. (4)", phases: [.connecting], kind: .connect),
        Case(code: 7, words: "CONNECT tunnel failed, response 403", phases: [.connecting], kind: .connect),
        Case(code: 8, words: "Multiple Location headers", phases: [.begun], kind: .redirect),
        Case(code: 28, words: "", phases: [.connecting], kind: .timeout),
        // A second connection, after that of the request was lost.
        Case(code: 7, words: "", phases: [.sent], kind: .connectionLost, system: ECONNREFUSED, isIdempotent: false),
        Case(code: 7, words: "", phases: [.sent], kind: .connect, system: ECONNREFUSED),
        Case(code: 6, words: "Could not resolve host: forum.example", phases: [.sent], kind: .connectionLost, isIdempotent: false),
        Case(
            code: 35, words: "error:0A00010B:SSL routines::wrong version number", phases: [.sent], kind: .connectionLost,
            isIdempotent: false),
        // Connections that end.
        Case(code: 52, words: "Empty reply from server", phases: [.sent], kind: .connectionLost),
        Case(code: 55, words: "Send failure: Broken pipe", phases: [.sent, .begun, .headed], kind: .connectionLost, system: EPIPE),
        Case(
            code: 56, words: "Recv failure: Connection reset by peer", phases: [.sent, .begun, .headed], kind: .connectionLost,
            system: ECONNRESET),
        Case(code: 18, words: "", phases: [.sent, .headed], kind: .connectionLost),
        Case(code: 56, words: "", phases: [.sent], kind: .connectionLost, isIdempotent: false),
        Case(code: 43, words: "", phases: [.begun], kind: .protocolViolation),
        Case(code: 9999, words: "", phases: [.sent], kind: .connectionLost),
    ]

    @Test("a failure of libcurl has the same kind over every version")
    func kinds() {
        each(Self.cases) { one in
            for outcome in one.outcomes {
                let error = CurlFailure.error(outcome)
                #expect(error.kind == one.kind, "\(error)")
                #expect(!error.message.isEmpty && error.message.hasSuffix("."))
                let underlying = error.underlying as? CurlTransport.Failure
                #expect(underlying?.code == Int(one.code))
                if !one.words.isEmpty, !one.words.contains(", value:") { #expect(underlying?.reason == one.words) }
            }
        }
    }

    @Test("a connection error names host and port, or the proxy without its credentials")
    func places() {
        var outcome = CurlOutcome(code: 7)
        outcome.host = "forum.example:443"
        outcome.systemError = ECONNREFUSED
        #expect(CurlFailure.error(outcome).message == "The connection to forum.example:443 was refused.")
        outcome.proxy = "proxy.example:3128"
        #expect(CurlFailure.error(outcome).message == "The connection to the proxy proxy.example:3128 was refused.")
        outcome.systemError = ENETUNREACH
        #expect(CurlFailure.error(outcome).message.hasPrefix("No route leads to the proxy proxy.example:3128: "))
    }

    @Test("the error for a proxy's refusal names the status if libcurl reports it")
    func refusal() {
        var outcome = CurlOutcome(code: 56)
        (outcome.proxy, outcome.proxyStatus) = ("proxy.example:3128", 403)
        #expect(CurlFailure.error(outcome).message == "The proxy refused to connect to the server: it answered 403.")
        outcome = CurlOutcome(code: 7)
        (outcome.proxy, outcome.isTunnelled) = ("proxy.example:3128", true)
        #expect(CurlFailure.error(outcome).kind == .connectionLost)
    }

    @Test(
        "an error says that server and transport share no version of TLS, over every version of OpenSSL",
        arguments: [
            "OpenSSL/3.0.19: error:0A00042E:SSL routines::tlsv1 alert protocol version",
            "error:1409442E:SSL routines:ssl3_read_bytes:tlsv1 alert protocol version",
            "TLS connect error: error:0A000102:SSL routines::unsupported protocol",
        ])
    func versionOfTLS(words: String) {
        var outcome = CurlOutcome(code: 35)
        outcome.reason = CurlReason(words)
        let error = CurlFailure.error(outcome)
        #expect(error.kind == .tls)
        #expect(error.message == "The secure connection failed: the server speaks no version of TLS that is allowed (\(words)).")
    }

    @Test(
        "a failure of HTTP/2 without TLS names the cause, with the same kind over every version",
        arguments: [
            (52, "Empty reply from server"), (56, "Failure when receiving data from the peer"),
            (16, "Remote peer returned unexpected data while we expected SETTINGS frame.  Perhaps, peer does not support HTTP/2 properly."),
        ] as [(Int32, String)])
    func withoutTLS(code: Int32, words: String) {
        for (isWritten, isIdempotent) in [(false, true), (true, true), (true, false)] {
            var outcome = CurlOutcome(code: code)
            outcome.reason = CurlReason(words)
            (outcome.host, outcome.expectsHTTP2) = ("forum.example:80", true)
            (outcome.isWritten, outcome.isIdempotent) = (isWritten, isIdempotent)
            let error = CurlFailure.error(outcome)
            #expect(error.kind == .connectionLost)
            #expect(error.message.hasSuffix("With httpVersion = .http2 the server must speak HTTP/2 without TLS."))
        }
    }

    @Test("a bad argument is a TLS failure before the request is sent, and a protocol violation after it", arguments: [false, true])
    func badArgument(isWritten: Bool) {
        var outcome = CurlOutcome(code: 43)
        (outcome.isTunnelled, outcome.isWritten) = (true, isWritten)
        #expect(CurlFailure.error(outcome).kind == (isWritten ? .protocolViolation : .tls))
    }

    @Test("an error shows no header value and no line break that the server sent")
    func cleaned() {
        var outcome = CurlOutcome(code: 16)
        outcome.reason = CurlReason(
            "Invalid HTTP header field was received: frame type: 1, name: [set-cookie], value: [made-up]\n\u{1B}[31m")
        let error = CurlFailure.error(outcome)
        let shown = "\(error) \(String(reflecting: error)) \(String(describing: error.underlying))"
        #expect(!shown.contains("made-up") && !error.message.contains("\u{1B}") && !error.message.contains("\n"))
    }

    @Test(
        "an error shows nothing of a proxy's credentials",
        arguments: ["Unsupported proxy scheme for 'odd://ann:made-up@127.0.0.1'", "Could not resolve proxy: made-up", "bad ann"])
    func credentials(words: String) {
        let reason = CurlReason(words).hiding(credentialsOf: "http://ann:made-up@proxy.example:1")
        #expect(reason.text.isEmpty)
        #expect(
            CurlReason("Proxy CONNECT aborted").hiding(credentialsOf: "http://ann:made-up@proxy.example:1").text == "Proxy CONNECT aborted")
    }

    // MARK: Lines of libcurl's log

    @Test(
        "lines of libcurl's log about the agreed protocol and about GOAWAY are read",
        arguments: [
            ("ALPN: server accepted h2\n", CurlNotice.agreed(.http2)), ("ALPN, server accepted to use h2\n", .agreed(.http2)),
            ("ALPN: server confirmed to use 'h2'", .agreed(.http2)), ("ALPN: server accepted http/1.1\n", .agreed(.http1)),
            ("ALPN: server did not agree on a protocol. Uses default.\n", .agreed(.http1)),
            ("ALPN, server did not agree to a protocol\n", .agreed(.http1)),
            ("recveived GOAWAY, error=1, last_stream=0\n", .goAway(CurlReason.HTTP2Error(number: 1), lastStream: 0)),
            ("received GOAWAY, error=11, last_stream=2147483647\n", .goAway(.enhanceYourCalm, lastStream: 2_147_483_647)),
        ])
    func notices(line: String, notice: CurlNotice) {
        #expect(Array(line.utf8).withUnsafeBytes { CurlNotice($0) } == notice)
    }

    @Test(
        "all other lines of libcurl's log are ignored",
        arguments: [
            "", "A", "ALPN: offers h2,http/1.1\n", "Connection #0 to host forum.example left intact\n", "GOAWAY",
            "GOAWAY, error=x, last_stream=y, and more",
        ])
    func otherLines(line: String) {
        #expect(Array(line.utf8).withUnsafeBytes { CurlNotice($0) } == nil)
    }
}
#endif
