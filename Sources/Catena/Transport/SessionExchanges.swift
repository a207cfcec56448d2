import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The delegate of a session: finds the exchange that a callback is for.
///
/// Answers every challenge and every redirect, since an unanswered one hangs for ever on Linux, and follows no redirect by itself.
final class SessionExchanges: NSObject, URLSessionDataDelegate, Sendable {
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
    // Foundation on Linux measures nothing.
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
        // Any other answer hangs or crashes; the 401 and its body have been delivered by now.
        completionHandler(.cancelAuthenticationChallenge, nil)
        #else
        // A 401 is an answer like any other: who is signed in is the business of the tag.
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
