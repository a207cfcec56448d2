import Dispatch
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Carries requests over Foundation's URLSession.
///
/// All instances made by default share one session without cache, cookies or credentials of its own, so that what goes out is what
/// the request says.
public final class URLSessionTransport: Transport, CollectingTransport {
    /// The session that is used unless one is given.
    public static let shared = URLSessionTransport()

    private let session: URLSession
    private let exchanges: SessionExchanges

    private init() {
        exchanges = SessionExchanges()
        session = URLSession(configuration: Self.configuration(), delegate: exchanges, delegateQueue: Self.callbackQueue())
    }

    /// Kept here because an operation queue does not keep it.
    private static let callbacks = DispatchQueue(label: "catena.urlsession.callbacks")

    private static func callbackQueue() -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        // An operation queue over a dispatch queue hands callbacks over with fewer hops than one over its own threads.
        queue.underlyingQueue = callbacks
        return queue
    }

    public func send(_ request: HTTPRequest) async throws -> TransportResponse {
        try Task.checkCancellation()
        let exchange = try await exchange(for: request)
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                exchange.start(for: .head(continuation), in: exchanges)
            }
        } onCancel: {
            exchange.stop()
        }
    }

    func collect(_ request: HTTPRequest, limit: Int, interruption: Interruption) async throws -> HTTPResponse {
        try Task.checkCancellation()
        let exchange = try await exchange(for: request, interruption)
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                exchange.start(for: .whole(continuation, limit: limit), in: exchanges)
                interruption.watch { error in exchange.stop(with: error) }
            }
        } onCancel: {
            exchange.stop()
        }
    }

    private func exchange(for request: HTTPRequest, _ interruption: Interruption? = nil) async throws -> SessionExchange {
        let urlRequest = Self.urlRequest(request)
        let silence = interruption?.silence
        guard let source = request.bodySource else {
            return SessionExchange(task: session.dataTask(with: urlRequest), address: request.address, file: nil, silence: silence)
        }
        let writing = Promise { try await BodyFile.make(of: source, telling: silence) }
        interruption?.watch { error in writing.core.settle(.rejected(error), stopping: true) }
        let file = try await writing.value
        let task = session.uploadTask(with: urlRequest, fromFile: file.url)
        return SessionExchange(task: task, address: request.address, file: file, silence: silence)
    }

    private static func configuration() -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        // On Linux a cancelled task with a cache crashes the process, a timer of the session's own races with our cancelling, and
        // more than four connections a host churn.
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.timeoutIntervalForRequest = 1_000_000
        configuration.httpMaximumConnectionsPerHost = 4
        return configuration
    }

    private static func urlRequest(_ request: HTTPRequest) -> URLRequest {
        var urlRequest = URLRequest(url: request.url)
        urlRequest.httpMethod = request.method.name
        urlRequest.timeoutInterval = 1_000_000
        urlRequest.httpShouldHandleCookies = false
        for field in request.headers.fields {
            urlRequest.addValue(field.value, forHTTPHeaderField: field.name)
        }
        if request.bodySource == nil { urlRequest.httpBody = request.body }
        return urlRequest
    }
}
