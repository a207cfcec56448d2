#if os(Linux) && canImport(Glibc)
import CCurl

/// Reads what sort of failure a result of libcurl means, by code and by how far the response had come.
enum CurlFailure {
    static let noAnswer = APIError(.connectionLost, message: "The connection ended without a response.")
    static let closed = APIError(.connect, message: "The transport is closed.")
    static let cutHead = APIError(.connectionLost, message: "The connection ended inside the head of the response.")

    /// Of a request that is not idempotent. libcurl does not tell whether the server had begun to handle it, not even where HTTP/2 says so
    /// (RFC 9113 §6.8): its results are the same for a connection that broke.
    static let mayHaveArrived = APIError(
        .connectionLost,
        message: """
            The connection was lost before the response; the request may have arrived. With idempotencyKey() a retry policy sends it again.
            """)
    static let cutCompression = APIError(.decompression, message: "The compressed body ends too early.")

    static func error(code: Int32, hasHead: Bool, hasBegun: Bool, received: Int64, of easy: OpaquePointer?) -> APIError {
        let text = String(cString: catena_easy_error(code))
        let proxyStatus = info(CurlLibrary.Info.proxyStatus, of: easy)
        switch code {
        case 3: return APIError(.invalidRequest, message: "The address cannot be used: \(text).")
        case 60:
            return APIError(
                .tls, message: "The server's certificate is refused: \(distrust(info(CurlLibrary.Info.verification, of: easy))).")
        // What a proxy says to CONNECT is no response of the server (RFC 9110 §9.3.6).
        case 56 where !hasBegun && proxyStatus != 0 && !(200...299).contains(proxyStatus):
            return APIError(.connect, message: "The proxy refused to connect to the server: it answered \(proxyStatus).")
        case 5: return APIError(.dns, message: "The proxy's name could not be resolved.")
        case 97: return APIError(.connect, message: "The proxy refused to connect to the server.")
        case 6: return APIError(.dns, message: "The host's name could not be resolved.")
        case 7: return APIError(.connect, message: "No connection could be made.")
        case 28: return APIError(.timeout, message: "No connection was made in time.")
        case 35, 53, 54, 58, 59, 64, 66, 77, 80, 82, 83, 90, 91, 98:
            return APIError(.tls, message: "The secure connection failed: \(text).")
        case 52: return noAnswer
        case 18:
            return APIError(.connectionLost, message: "The connection ended after \(received) bytes of the body.")
        case 55, 56, 65, 92:
            let place =
                hasHead ? "after \(received) bytes of the body" : hasBegun ? "inside the head of the response" : "before the response"
            return APIError(.connectionLost, message: "The connection was lost \(place).")
        case 16 where !hasBegun: return APIError(.connectionLost, message: "The connection was lost before the response.")
        // What is too long then is the request: an address, a cookie or a header that it has.
        case 27 where !hasBegun:
            return APIError(.invalidRequest, message: "The request could not be sent: its address or its headers are too long (\(text)).")
        case 1, 8, 27, 43, 16: return APIError(.protocolViolation, message: "The response breaks the rules of HTTP: \(text).")
        case 61, 23: return APIError(.decompression, message: "The body could not be decompressed.")
        default: return APIError(.connectionLost, message: "The transfer failed: \(text).")
        }
    }

    private static func info(_ number: Int32, of easy: OpaquePointer?) -> Int {
        easy.map { catena_easy_get_long($0, number) } ?? 0
    }

    /// What OpenSSL's result of checking a certificate means.
    private static func distrust(_ result: Int) -> String {
        switch result {
        // libcurl compares the name itself.
        case 0, 1, 62, 64: "it is for another host"
        case 9: "it is not valid yet"
        case 10: "it has expired"
        case 18, 19: "it is signed by itself"
        case 2, 20, 21: "no trusted authority signed it"
        // What the engine's own check ends with.
        case 50: "it names no host but in its common name, which does not count"
        default: "the check ended with \(result)"
        }
    }
}
#endif
