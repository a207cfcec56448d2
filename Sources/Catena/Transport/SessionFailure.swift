import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Reads what sort of failure a URLSession means.
enum SessionFailure {
    static func error(from error: any Error) -> APIError {
        guard let failure = error as? URLError else { return .wrapping(error) }
        return APIError(kind(of: failure), code: code(of: failure), message: failure.localizedDescription, underlying: failure)
    }

    private static func code(of failure: URLError) -> ErrorCode {
        failure.code == .timedOut ? .timeout : .integer(failure.errorCode)
    }

    private static func kind(of failure: URLError) -> APIError.Kind {
        switch failure.code {
        case .timedOut: .timeout
        case .cancelled: .cancelled
        case .notConnectedToInternet: .offline
        case .cannotFindHost, .dnsLookupFailed: .dns
        case .cannotConnectToHost: .connect
        // On Linux a "bad server response" is no answer at all.
        case .networkConnectionLost, .badServerResponse: .connectionLost
        case .cannotParseResponse: .protocolViolation
        case .cannotDecodeContentData, .cannotDecodeRawData: .decompression
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected:
            .tls
        default: .connectionLost
        }
    }
}
