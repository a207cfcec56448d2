#if CATENA_SESSION
import Dispatch

#if canImport(FoundationNetworking)
public import Catena
import CatenaPromise
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// Sends requests over Foundation's URLSession.
///
/// Its session has no cache, cookies or credentials of its own, so that only what the request contains is sent.
public final class URLSessionTransport: Transport, OwnTransport, SecretHolder {
    /// The instance that a client uses if no transport is given and the platform's default is URLSession.
    public static let shared = URLSessionTransport()

    private let session: URLSession
    private let exchanges: SessionDelegate

    /// Decides on a challenge, such as a server certificate to trust or a request for a client certificate.
    public typealias ChallengeHandler =
        @Sendable (URLAuthenticationChallenge) async -> (
            URLSession.AuthChallengeDisposition, URLCredential?
        )

    /// Makes a transport with its own session.
    ///
    /// ```swift
    /// let configuration = URLSessionConfiguration.ephemeral
    /// configuration.allowsCellularAccess = false
    /// let client = Client(transport: URLSessionTransport(configuration))
    /// ```
    ///
    /// - Parameters:
    /// - configuration: The connection settings. Catena overrides headers, caches, cookies, stored credentials and time limits.
    ///  - challenge: Decides on server trust and client certificates; without it the system decides. Never called on Linux, where
    ///    ``CurlConfiguration`` sets the trust. Runs on any thread; the connection waits for it.
    public init(_ configuration: URLSessionConfiguration = .ephemeral, challenge: ChallengeHandler? = nil) {
        exchanges = SessionDelegate(challenge: challenge)
        session = URLSession(configuration: Self.adjusted(configuration), delegate: exchanges, delegateQueue: Self.callbackQueue())
    }

    deinit {
        // A session retains its delegate until it is invalidated. Transfers in progress end first.
        session.finishTasksAndInvalidate()
    }

    /// Stored because an operation queue does not retain its underlying queue.
    private static let callbacks = DispatchQueue(label: "catena.urlsession.callbacks")

    private static func callbackQueue() -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        // An operation queue over a dispatch queue needs fewer thread hops per callback than one with its own threads.
        queue.underlyingQueue = callbacks
        return queue
    }

    #if canImport(Glibc)
    /// The credentials of the environment's proxies, which Foundation uses on Linux.
    package var secretValues: [String] { ProxyEnvironment().credentials }
    #else
    /// No values, because the system keeps the credentials of its proxies to itself.
    package var secretValues: [String] { [] }
    #endif

    package var engine: TransportEngine { .urlSession }

    public func send(_ request: HTTPRequest) async throws -> TransportResponse { try await send(request, in: TransferContext()) }

    public func send(_ request: HTTPRequest, in context: TransferContext) async throws -> TransportResponse {
        try Task.checkCancellation()
        // The end of the task ends a transfer whose body is read as it arrives, and the reader of that body informs the meter.
        let stopper = context.limit == nil ? nil : context.stopper
        let exchange = try await exchange(
            for: stopper?.sent(request) ?? request, notifying: context.stopper?.inactivity, stopper?.meter
        ) { stopper?.watch($0) }
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                exchange.start(for: SessionExchange.Reader(continuation: continuation, limit: context.limit), in: exchanges)
                stopper?.watch { error in exchange.stop(with: error) }
            }
        } onCancel: {
            exchange.stop()
        }
    }

    /// - Parameter watch: Receives the closure that ends the writing of the body to a file.
    private func exchange(
        for request: HTTPRequest, notifying inactivity: InactivityWatch?, _ meter: (any TransferMeter)? = nil,
        endingWith watch: (@escaping @Sendable (any Error) -> Void) -> Void = { _ in }
    ) async throws -> SessionExchange {
        if let host = request.routing.flatMap({ $0.addresses[request.address.host] == nil ? nil : request.address.host }) {
            throw APIError.invalid("resolve", "URLSession looks up \(host) itself; only libcurl can be given its addresses")
        }
        let urlRequest = Self.urlRequest(request)
        guard let source = request.bodySource else {
            let task = session.dataTask(with: urlRequest)
            return SessionExchange(task: task, file: nil, notifying: inactivity, meter)
        }
        let writing = Promise { try await BodyFile.make(of: source, notifying: inactivity) }
        watch { error in writing.core.settle(.rejected(error), stopping: true) }
        let file = try await writing.value
        let task = try await uploadTask(urlRequest, file)
        return SessionExchange(task: task, file: file, notifying: inactivity, meter)
    }

    private func uploadTask(_ request: URLRequest, _ file: BodyFile) async throws -> URLSessionUploadTask {
        #if canImport(FoundationNetworking)
        // Foundation on Linux ends the process if a task ends while it waits for the next bytes of a file. So send files of up to 64 MiB
        // from memory.
        if let data = try await BlockingWork.run({ try file.contents(ofAtMost: 64 * 1024 * 1024) }) {
            return session.uploadTask(with: request, from: data)
        }
        #endif
        return session.uploadTask(with: request, fromFile: file.url)
    }

    private static func adjusted(_ given: URLSessionConfiguration) -> URLSessionConfiguration {
        guard let configuration = given.copy() as? URLSessionConfiguration else { return given }
        // On Linux, a cancelled task with a cache crashes the process, and the session's own timer races with Catena's cancelling. More
        // than four connections per host are opened and closed repeatedly.
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.timeoutIntervalForRequest = 1_000_000
        configuration.timeoutIntervalForResource = 7 * 86_400
        // The session would send these headers to the target of a cross-origin redirect too.
        configuration.httpAdditionalHeaders = nil
        #if canImport(FoundationNetworking)
        configuration.httpMaximumConnectionsPerHost = 4
        #endif
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
#endif
