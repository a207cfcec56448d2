#if os(Linux) && canImport(Glibc)
import CCurl
import CatenaPlatform

/// The facts about a transfer that libcurl has ended with an error.
struct CurlOutcome {
    let code: Int32
    /// libcurl's message.
    var reason = CurlReason("")
    /// The number of the system's error, or 0 if there is none.
    var systemError: Int32 = 0
    var proxyStatus = 0
    var verification = 0
    var hasHead = false
    var hasBegun = false
    var received: Int64 = 0
    /// Whether the request has been written.
    var isWritten = false
    /// Whether libcurl may connect again after the request was written. It does not in a version without the prerequest callback.
    var mayReconnect = true
    var isIdempotent = true
    /// The host and the port, such as `forum.example.com:443`.
    var host = ""
    /// The proxy of the transfer without its credentials, or `nil` if there is none.
    var proxy: String?
    /// Whether the request needs a tunnel through the proxy.
    var isTunnelled = false
    /// The server's reason for ending the HTTP/2 connection, or `nil` if it has not ended.
    var goneAway: CurlReason.HTTP2Error?
    /// The server's reason for ending the HTTP/2 stream, or `nil` if it has not ended.
    var reset: CurlReason.HTTP2Error?
    /// The reason for which the request may be repeated at once, or `nil` if it may not.
    var repeatReason: RepeatReason?
    /// Whether the server was expected to speak HTTP/2 without TLS.
    var expectsHTTP2 = false
    /// The limit of time that libcurl has for connecting, if it is one of the call.
    var limit: TimeLimit?

    /// Whether the server may have handled a request that must not be repeated, without a response.
    fileprivate var mayHaveArrived: Bool { isWritten && !hasBegun && !isIdempotent && repeatReason != .notProcessed }
}

extension CurlOutcome {
    /// The number of characters of a proxy that an error shows.
    private static let longestProxy = 200

    init(of transfer: CurlTransfer, code: Int32) {
        self.init(code: code)
        if let easy = transfer.easy {
            reason = CurlReason(transfer.handle?.reason ?? "").hiding(credentialsOf: transfer.proxy ?? "")
            systemError = Int32(truncatingIfNeeded: catena_easy_get_long(easy, CurlLibrary.Info.systemError))
            proxyStatus = reason.proxyStatus ?? catena_easy_get_long(easy, CurlLibrary.Info.proxyStatus)
            verification = catena_easy_get_long(easy, CurlLibrary.Info.verification)
        }
        goneAway = transfer.goneAway?.error
        reset = transfer.reset ?? reason.http2Error
        repeatReason = transfer.repeatReason(after: CurlCode(rawValue: code))
        (hasHead, hasBegun, received) = (transfer.head.isComplete, transfer.head.hasBegun, transfer.received)
        (isWritten, isIdempotent) = (transfer.uses > 0, transfer.request.method.isIdempotent)
        mayReconnect = CurlLibrary.asksBeforeRequests
        let address = transfer.request.address
        isTunnelled = address.scheme == "https"
        expectsHTTP2 = transfer.expectsHTTP2
        limit = transfer.limits.connecting
        host = "\(address.host):\(address.port ?? HTTPAddress.defaultPort(of: address.scheme))"
        if let proxy = transfer.proxy, !proxy.isEmpty {
            // Remove the name and the password, which stand before the last sign.
            let place = proxy.unicodeScalars.lastIndex(of: "@").map { String(proxy.unicodeScalars[$0...].dropFirst()) } ?? proxy
            // A variable of the environment may have any text, which could steer a terminal.
            self.proxy = Redaction.unbroken(place.prefix(Self.longestProxy))
        }
    }
}

extension CurlTransport {
    /// libcurl's description of a failed transfer: the ``APIError/underlying`` error of its ``APIError``.
    public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// libcurl's code, such as 35.
        public let code: Int
        /// libcurl's message, which may be that of TLS or the system.
        public let reason: String
        /// The number of the system's error, such as 111, or `nil` if there was none.
        public let systemError: Int?

        /// The code and the message.
        public var description: String { reason.isEmpty ? "libcurl \(code)" : "libcurl \(code): \(reason)" }
    }
}

/// Maps a result of libcurl to a kind of failure, by code, message and progress of the response. The mapping is the same for every version
/// of libcurl: CurlFailureTests has the table.
enum CurlFailure {
    static let closed = APIError(.connect, message: "The transport is closed.")
    static let cutHead = APIError(.connectionLost, message: "The connection ended inside the head of the response.")
    /// The failure of a body that an HTTP/2 connection ended without END_STREAM.
    static func cutStream(_ received: Int64) -> APIError {
        APIError(
            .connectionLost,
            message: "The HTTP/2 connection ended after \(received) bytes of the body, which is not complete: it has no END_STREAM.")
    }

    static let namesNoHost = APIError(
        .tls, message: "The server's certificate is refused: it names no host but in its common name, which does not count.")
    static let certificateUnknown = APIError(.tls, message: "libcurl does not show the server's certificate, so that it cannot be checked.")
    static let cutCompression = APIError(.decompression, message: "The compressed body ends too early.")

    /// The error of a request that is not idempotent and that the server may have handled.
    static let mayHaveArrived = APIError(
        .connectionLost,
        message: """
            The connection was lost before the response; the request may have arrived. With an idempotencyKey a retry policy sends it again.
            """)

    /// The error of a request that the server has answered and reset before its end.
    static let droppedResponse = APIError(
        .connectionLost,
        message: """
            The server responded before it had read the request, and libcurl \(CurlLibrary.versionText) dropped the response. With httpVersion = \
            .http1 it arrives.
            """)

    /// Returns the failure of a transfer whose server has ended the connection with this error.
    static func goneAway(_ error: CurlReason.HTTP2Error) -> APIError {
        APIError(
            error.isViolation ? .protocolViolation : .connectionLost, message: "The server has ended the HTTP/2 connection: \(error.name).")
    }

    static func error(_ outcome: CurlOutcome) -> APIError {
        var error = described(outcome)
        error.contents.repeatReason = outcome.repeatReason
        let system = outcome.systemError
        error.underlying = CurlTransport.Failure(
            code: Int(outcome.code), reason: words(outcome), systemError: system == 0 ? nil : Int(system))
        return error
    }

    private static func described(_ outcome: CurlOutcome) -> APIError {
        let code = CurlCode(rawValue: outcome.code)
        let words = words(outcome)
        if let error = violation(outcome, code) { return error }
        if isOfSecondConnection(outcome, code) { return mayHaveArrived }
        switch code {
        case .malformedAddress: return APIError(.invalidRequest, message: "The address cannot be used: \(words).")
        case .unsupportedProtocol, .notBuiltIn: return APIError(.connect, message: "No connection could be made: \(words).")
        case .serverCertificate:
            return APIError(.tls, message: "The server's certificate is refused: \(distrust(outcome.verification, words)).")
        case .proxyName: return APIError(.dns, message: "The name of the proxy \(outcome.proxy ?? "") could not be resolved.")
        case .hostName: return APIError(.dns, message: "The host's name could not be resolved: \(outcome.host).")
        case .cannotConnect where !isRefusedByProxy(outcome): return unreachable(outcome)
        case .proxyHandshake: return proxyRefusal(outcome, words)
        case .timedOut:
            // libcurl's limit for connecting is that of the attempt.
            return outcome.limit.map { APIError(late: $0, in: .connecting) }
                ?? APIError(.timeout, message: "No connection was made in time.")
        case .cutBody where outcome.hasHead:
            return APIError(.connectionLost, message: "The connection ended after \(outcome.received) bytes of the body.")
        case .contentEncoding, .writeRefused: return APIError(.decompression, message: "The body could not be decompressed.")
        // In this case the request is too long: its address, a cookie or a header.
        case .noMemory where !outcome.hasBegun, .tooLong where !outcome.hasBegun:
            return APIError(.invalidRequest, message: "The request could not be sent: its address or its headers are too long (\(words)).")
        case .tlsHandshake where isCut(outcome):
            return APIError(.connect, message: "The connection to \(outcome.host) ended during the TLS handshake: \(words).")
        case let code? where isTLS(code) || isAlert(outcome): return insecure(outcome, words)
        // A proxy's response to CONNECT is no response of the server (RFC 9110 §9.3.6).
        case _ where isRefusedByProxy(outcome):
            return APIError(.connect, message: "The proxy refused to connect to the server: it answered \(outcome.proxyStatus).")
        default: return lost(outcome, code, words)
        }
    }

    /// Returns the failure if a response or a request violates its protocol.
    private static func violation(_ outcome: CurlOutcome, _ code: CurlCode?) -> APIError? {
        if outcome.reason.isLongHead {
            return APIError(.protocolViolation, message: "The response breaks the rules of HTTP: the head of the response is too long.")
        }
        if let error = outcome.reason.http2Error, error.isViolation {
            return APIError(.protocolViolation, message: "HTTP/2 failed: \(words(outcome)).")
        }
        if let error = outcome.goneAway, error != .noError { return goneAway(error) }
        if outcome.reason.isRefusedByHTTP2 {
            return APIError(.protocolViolation, message: "The response breaks the rules of HTTP: \(words(outcome)).")
        }
        // From 8.19 on libcurl rejects the responses that the redirect rules reject.
        if outcome.reason.says("Multiple Location headers") {
            return APIError(.redirect, message: "The response names two different places to go to.")
        }
        // From 8.23 on libcurl uses this code for the response of a proxy too.
        if code == .malformedResponse, let error = brokenTunnel(outcome) { return error }
        switch code {
        // From 8.16 on: TLS rejects the file of a certificate or a key.
        case .badArgument where outcome.isTunnelled && !outcome.isWritten: return insecure(outcome, words(outcome))
        // libcurl reports an unknown HTTP version and HTTP/0.9 as an unsupported protocol.
        case .malformedResponse, .badArgument,
            .unsupportedProtocol where outcome.isWritten || code != .unsupportedProtocol,
            .noMemory where outcome.hasBegun, .tooLong where outcome.hasBegun:
            return APIError(.protocolViolation, message: "The response breaks the rules of HTTP: \(words(outcome)).")
        case .contentEncoding where !outcome.hasHead:
            return APIError(.protocolViolation, message: "The response breaks the rules of HTTP: \(words(outcome)).")
        default: return nil
        }
    }

    /// Whether a request that must not be repeated was written, and libcurl then failed to connect. It has lost the connection of the request.
    private static func isOfSecondConnection(_ outcome: CurlOutcome, _ code: CurlCode?) -> Bool {
        guard outcome.mayReconnect, outcome.mayHaveArrived else { return false }
        return switch code {
        case .proxyName, .hostName, .cannotConnect, .proxyHandshake, .serverCertificate, .tlsHandshake: true
        default: false
        }
    }

    private static func lost(_ outcome: CurlOutcome, _ code: CurlCode?, _ words: String) -> APIError {
        if outcome.expectsHTTP2, !outcome.hasBegun, outcome.reset ?? outcome.reason.http2Error == nil { return noHTTP2(outcome) }
        // libcurl names no reason if it drops a response that is complete before the request (up to 7.88).
        if code == .http2Stream, !outcome.hasBegun, outcome.isWritten, outcome.reset == nil, outcome.reason.text.isEmpty {
            return droppedResponse
        }
        if outcome.mayHaveArrived { return mayHaveArrived }
        if let error = outcome.reset ?? outcome.reason.http2Error, !outcome.hasBegun {
            return APIError(.connectionLost, message: "The server ended the request without a response: \(error.name).")
        }
        let place =
            outcome.hasHead
            ? "after \(outcome.received) bytes of the body" : outcome.hasBegun ? "inside the head of the response" : "before the response"
        switch code {
        case .noResponse: return APIError(.connectionLost, message: "The connection ended without a response.")
        case .sendFailed, .receiveFailed, .cannotRewind, .http2Stream, .http2Framing, .cutBody:
            return APIError(.connectionLost, message: "The connection was lost \(place)\(reason(outcome)).")
        default: return APIError(.connectionLost, message: "The transfer failed: \(words).")
        }
    }

    /// Returns a failure that names both causes. A server that does not understand HTTP/2 cannot be told from a lost one: it closes the
    /// connection, with or without a line of HTTP/1.1.
    private static func noHTTP2(_ outcome: CurlOutcome) -> APIError {
        APIError(
            .connectionLost,
            message: """
                The connection to \(outcome.host) was lost before the response\(reason(outcome)). With httpVersion = .http2 the server must speak \
                HTTP/2 without TLS.
                """)
    }

    /// Returns the reason of the system or of HTTP/2 in brackets, or "" if there is none.
    private static func reason(_ outcome: CurlOutcome) -> String {
        if let error = outcome.reason.http2Error, error != .noError { return " (\(error.name))" }
        return outcome.systemError == 0 ? "" : " (\(String(cString: strerror(outcome.systemError))))"
    }

    // MARK: Connecting

    private static func unreachable(_ outcome: CurlOutcome) -> APIError {
        let target = outcome.proxy.map { "the proxy \($0)" } ?? outcome.host
        // From 8.21 on libcurl uses this code for a connected proxy that ends the connection.
        if outcome.systemError == 0, let error = brokenTunnel(outcome) { return error }
        switch outcome.systemError {
        case ECONNREFUSED: return APIError(.connect, message: "The connection to \(target) was refused.")
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL:
            return APIError(.offline, message: "No route leads to \(target): \(String(cString: strerror(outcome.systemError))).")
        case 0: return APIError(.connect, message: "No connection to \(target) could be made.")
        default:
            return APIError(
                .connect, message: "No connection to \(target) could be made: \(String(cString: strerror(outcome.systemError))).")
        }
    }

    /// Returns the failure of a connected proxy that provides no tunnel, or `nil` if the transfer had one or needs none.
    private static func brokenTunnel(_ outcome: CurlOutcome) -> APIError? {
        guard let proxy = outcome.proxy, outcome.isTunnelled, !outcome.isWritten else { return nil }
        return APIError(.connectionLost, message: "The connection to the proxy \(proxy) ended without a tunnel to \(outcome.host).")
    }

    private static func proxyRefusal(_ outcome: CurlOutcome, _ words: String) -> APIError {
        APIError(.connect, message: "The proxy \(outcome.proxy ?? "") did not connect to \(outcome.host): \(words).")
    }

    private static func isRefusedByProxy(_ outcome: CurlOutcome) -> Bool {
        !outcome.hasBegun && outcome.proxyStatus != 0 && !(200...299).contains(outcome.proxyStatus)
    }

    // MARK: TLS

    private static func insecure(_ outcome: CurlOutcome, _ words: String) -> APIError {
        // The text is the server's alert (RFC 8446 §6.2), or OpenSSL's rejection of the server's choice.
        guard outcome.reason.says("alert protocol version", "unsupported protocol") else {
            return APIError(.tls, message: "The secure connection failed: \(words).")
        }
        return APIError(.tls, message: "The secure connection failed: the server speaks no version of TLS that is allowed (\(words)).")
    }

    /// Whether libcurl's words say that the connection ended during the handshake. The server may be starting again. The number of the system's error
    /// does not decide, because it may be that of an earlier connection. OpenSSL's error 0 is none: TLS had no objection.
    private static func isCut(_ outcome: CurlOutcome) -> Bool {
        outcome.reason.says(
            "SSL_ERROR_SYSCALL", "error:00000000:", "unexpected eof", "Connection reset", "Broken pipe", "Recv failure", "Send failure",
            "non-properly terminated", "Error in the pull function", "Error in the push function")
    }

    private static func isTLS(_ code: CurlCode) -> Bool {
        switch code {
        case .tlsHandshake, .tlsEngine, .tlsEngineSetting, .clientCertificate, .cipher, .tlsRequired, .tlsEngineStart, .authorities,
            .tlsShutdown,
            .revocationList, .issuer, .pinnedKey, .certificateStatus, .wantsClientCertificate:
            true
        default: false
        }
    }

    /// Whether TLS ended the connection instead of a response. In TLS 1.3 the server rejects a client certificate after the handshake.
    private static func isAlert(_ outcome: CurlOutcome) -> Bool {
        !outcome.hasBegun && outcome.reason.says("alert", "certificate required")
    }

    /// Returns the meaning of OpenSSL's verification result.
    private static func distrust(_ result: Int, _ words: String) -> String {
        switch result {
        // libcurl compares the name itself.
        case 0, 1, 62, 64: "it is for another host"
        case 9: "it is not valid yet"
        case 10: "it has expired"
        case 18, 19: "it is signed by itself"
        case 2, 20, 21: "no trusted authority signed it"
        // The result of the engine's own check.
        case 50: "it names no host but in its common name, which does not count"
        default: words
        }
    }

    // MARK: Words

    /// Returns libcurl's message without a final full stop, and without control characters that a server may have inserted.
    private static func words(_ outcome: CurlOutcome) -> String {
        let own = outcome.reason.text.isEmpty ? String(cString: catena_easy_error(outcome.code)) : outcome.reason.text
        let line = String(String.UnicodeScalarView(own.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
        let trimmed = line.trimmed()
        return trimmed.hasSuffix(".") ? String(trimmed.dropLast()) : trimmed
    }
}
#endif
