#if CATENA_SESSION
import Foundation

#if canImport(FoundationNetworking)
import Catena
import CatenaPromise
import FoundationNetworking
#endif

/// The delegate of a session. Forwards each callback to its exchange.
///
/// Answers every challenge and redirect, because an unanswered one hangs forever on Linux. Never follows a redirect.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let running = Mutex<[Int: SessionExchange]>([:])
    private let challenge: URLSessionTransport.ChallengeHandler?

    init(challenge: URLSessionTransport.ChallengeHandler?) {
        self.challenge = challenge
    }

    func add(_ exchange: SessionExchange) {
        running.withLock { $0[exchange.task.taskIdentifier] = exchange }
    }

    private func exchange(for task: URLSessionTask) -> SessionExchange? {
        running.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        exchange(for: dataTask)?.didReceive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(for: dataTask)?.didReceive(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData: Int64, totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        exchange(for: task)?.didSend(totalBytesSent)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        running.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.didComplete(with: error)
    }

    #if !canImport(FoundationNetworking)
    // Foundation on Linux provides no metrics.
    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        guard let last = metrics.transactionMetrics.last else { return }
        exchange(for: task)?.didMeasure(CallTimings(last))
    }
    #endif

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let exchange = exchange(for: task), exchange.mayAnswer else { return }
        exchange.didReceive(response)
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
        // Any other answer hangs or crashes. The 401 and its body have been delivered by now.
        completionHandler(.cancelAuthenticationChallenge, nil)
        #else
        // Deliver a 401 like any other response, because the tag's authentication handles sign-in.
        switch (challenge.protectionSpace.authenticationMethod, self.challenge) {
        case (NSURLAuthenticationMethodServerTrust, let handler?), (NSURLAuthenticationMethodClientCertificate, let handler?):
            Task {
                let (disposition, credential) = await handler(challenge)
                completionHandler(disposition, credential)
            }
        case (NSURLAuthenticationMethodServerTrust, nil): completionHandler(.performDefaultHandling, nil)
        default: completionHandler(.rejectProtectionSpace, nil)
        }
        #endif
    }
}

/// Maps errors of URLSession to errors of Catena.
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
        // On Linux, `badServerResponse` means that there was no response.
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

#if !canImport(FoundationNetworking)
extension CallTimings {
    /// Reads the metrics of a finished exchange.
    init(_ metrics: URLSessionTaskTransactionMetrics) {
        self.init()
        func time(_ start: Date?, _ end: Date?) -> Duration? {
            guard let start, let end else { return nil }
            return .seconds(max(end.timeIntervalSince(start), 0))
        }
        // Use the first phase that has a date, because a reused connection has no lookup and no connect phase.
        queue = time(metrics.fetchStartDate, metrics.domainLookupStartDate ?? metrics.connectStartDate ?? metrics.requestStartDate)
        dns = time(metrics.domainLookupStartDate, metrics.domainLookupEndDate)
        tls = time(metrics.secureConnectionStartDate, metrics.secureConnectionEndDate)
        // The connect phase includes the TLS handshake here.
        connect = time(metrics.connectStartDate, metrics.connectEndDate).map { max($0 - (tls ?? .zero), .zero) }
        firstByte = time(metrics.requestStartDate, metrics.responseStartDate)
        transfer = time(metrics.responseStartDate, metrics.responseEndDate)
    }
}
#endif
#endif
