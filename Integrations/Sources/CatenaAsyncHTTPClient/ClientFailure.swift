import AsyncHTTPClient
import Catena
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOHTTPCompression
import NIOPosix
import NIOSSL

/// Converts an error of async-http-client or SwiftNIO to the error of a call.
enum ClientFailure {
    static func error(_ error: any Error) -> any Error {
        if error is APIError || error is CancellationError { return error }
        if Task.isCancelled { return CancellationError() }
        guard let kind = kind(of: error) else { return error }
        return APIError(kind, message: message(of: error), underlying: error)
    }

    /// The system's errors for a failed connection. With a numeric address they arrive without a `NIOConnectionError`.
    private static let refusals: Set<CInt> = [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL]

    private static func kind(of error: any Error) -> APIError.Kind? {
        switch error {
        case let error as HTTPClientError: kind(of: error)
        case let error as NIOConnectionError: error.connectionErrors.isEmpty ? .dns : .connect
        case let error as ChannelError: if case .connectTimeout = error { .timeout } else { .connectionLost }
        case HTTPParserError.invalidEOFState: .connectionLost
        case is HTTPParserError: .protocolViolation
        case is NIOHTTPDecompression.DecompressionError, is NIOHTTPDecompression.ExtraDecompressionError: .decompression
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: .tls
        case let error as IOError: refusals.contains(error.errnoCode) ? .connect : .connectionLost
        case is any NIOHTTP2Error: .connectionLost
        default: nil
        }
    }

    private static func kind(of error: HTTPClientError) -> APIError.Kind? {
        switch error {
        case .connectTimeout, .getConnectionFromPoolTimeout, .readTimeout, .writeTimeout, .deadlineExceeded, .tlsHandshakeTimeout,
            .socksHandshakeTimeout, .httpProxyHandshakeTimeout:
            .timeout
        case .remoteConnectionClosed, .requestStreamCancelled, .cancelled, .uncleanShutdown: .connectionLost
        case .invalidProxyResponse, .proxyAuthenticationRequired: .connect
        case .bodyLengthMismatch: .requestBody
        case .alreadyShutdown: .invalidRequest
        default: nil
        }
    }

    private static func message(of error: any Error) -> String {
        switch error {
        case let error as HTTPClientError where error == .alreadyShutdown: "The HTTPClient of the transport has been shut down."
        case let error as HTTPClientError: "async-http-client: \(error.shortDescription)."
        default: "async-http-client: \(error)"
        }
    }
}
