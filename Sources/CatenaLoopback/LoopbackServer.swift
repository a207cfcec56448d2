import CatenaPromise

/// A small HTTP/1.1 server on 127.0.0.1, for tests and demonstrations: real sockets, routes, recorded requests and deliberate faults.
///
/// ```swift
/// let server = try LoopbackServer()
/// server.get("/users/{id}") { request in .json(["id": request.parameters["id"]]) }
/// // … send a request to server.url + "/users/7" …
/// #expect(server.requests.first?.headers["Accept"] == "application/json")
/// server.stop()
/// ```
///
/// It starts as soon as it is made, on its own port and with one thread for all connections. It stops with ``stop()``, when it is released, or
/// at the end of its lifetime. A handler that captures the server keeps it from being released, so call ``stop()`` then.
///
/// Tests run in parallel, and each server and connection needs a descriptor. So the first server raises the process's soft limit of open files.
public final class LoopbackServer: Sendable {
    /// The port on 127.0.0.1.
    public let port: Int

    let core: ServerCore

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - security: Whether the server uses TLS, for which it creates a temporary certificate.
    ///   - limits: The limits of the server.
    ///   - sendsContinue: Whether a request with `Expect: 100-continue` receives `100 Continue`. If not, the server waits for the body in silence.
    /// - Throws: ``StartError`` if the system provides no socket or pipe, or lacks what TLS needs.
    public init(security: Security = .plain, limits: Limits = Limits(), sendsContinue: Bool = true) throws(StartError) {
        _ = OpenFiles.raisedLimit
        core = try ServerCore(security: security, limits: limits, continues: sendsContinue)
        let listener = try ServerSocket.listening()
        port = listener.port
        core.start(listener)
    }

    /// Starts a server on a given port.
    ///
    /// - Parameter onAllAddresses: Whether other machines can reach it, too.
    package init(port: Int, onAllAddresses: Bool = false, limits: Limits) throws(StartError) {
        core = try ServerCore(security: .plain, limits: limits, continues: true)
        let listener = try ServerSocket.listening(port: port, onAllAddresses: onAllAddresses)
        self.port = listener.port
        core.start(listener)
    }

    deinit {
        core.stop()
    }

    /// Sets a closure that receives the head of each request with a body before that body is stored. A response that it returns ends the connection.
    package func admit(_ look: @escaping @Sendable (StubRequest) -> StubReply?) {
        core.admission.withLock { $0 = look }
    }

    /// The origin, such as `http://127.0.0.1:43210`, or with `https`.
    public var url: String {
        "\(core.identity == nil ? "http" : "https")://127.0.0.1:\(port)"
    }

    /// Closes the port and all connections, and removes the routes. Recorded requests stay. Stopping twice is harmless.
    ///
    /// Returns when everything is closed. In a handler without `await` it returns at once, and the server stops after that handler.
    public func stop() {
        core.stop()
    }

    /// The requests in the order of arrival, including those without a route, but not malformed ones.
    public var requests: [StubRequest] {
        core.requests
    }

    /// The number of requests that have arrived, including forgotten ones.
    public var requestCount: Int {
        core.received.value
    }

    /// Removes the recorded requests.
    public func forgetRequests() {
        core.forgetRequests()
    }

    /// The number of connections accepted so far.
    public var connectionCount: Int {
        core.acceptedConnections
    }

    /// The number of connections that are open now.
    public var openConnections: Int {
        core.openConnections
    }

    /// Waits until `count` requests have arrived since the start. Returns early if the task is cancelled or the server stops.
    public func requestsReceived(_ count: Int) async {
        await core.received.reach(count)
    }

    /// Waits until either side has ended `count` connections since the start. Returns early if the task is cancelled or the server stops.
    ///
    /// ```swift
    /// server.get("/endless") { _ in .unanswered }
    /// // … send a request and cancel it …
    /// await server.connectionsClosed(1)       // the client has let go of its connection
    /// ```
    public func connectionsClosed(_ count: Int) async {
        await core.closed.reach(count)
    }
}

extension LoopbackServer {
    /// The limits of a ``LoopbackServer``, so that a mistake in a test ends instead of growing.
    public struct Limits: Sendable {
        /// The number of open connections. Further ones are closed as soon as they are accepted.
        public var connections = 1_100

        /// The time after which the server stops.
        public var lifetime: Duration = .seconds(600)

        /// The size of a request line with its header section, in bytes. The response to a larger one is 431.
        public var headBytes = 262_144

        /// The size of a request body, in bytes. The response to a larger one is 413.
        public var bodyBytes = 67_108_864

        /// The number of bytes of a request body that are stored. The others are read, counted and discarded.
        public var recordedBodyBytes = Int.max

        /// The number of requests that are stored. The oldest ones are discarded first.
        public var recordedRequests = 10_000

        /// The time for the head of a request, from when the server waits for it; then the connection is closed. `nil` is no limit.
        package var headTime: Duration?

        /// Creates limits that suit most tests.
        public init() {}
    }
}
