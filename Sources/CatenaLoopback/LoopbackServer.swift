import CatenaPromise

/// A small HTTP/1.1 server on 127.0.0.1, for tests and demonstrations: real sockets, routes, recorded requests and faults on purpose.
///
/// ```swift
/// let server = try LoopbackServer()
/// server.get("/users/{id}") { request in .json(["id": request.parameters["id"]]) }
/// // … send a request to server.url + "/users/7" …
/// #expect(server.requests.first?.headers["Accept"] == "application/json")
/// server.stop()
/// ```
///
/// It serves as soon as it is made, on a port of its own and with one thread for all connections. It stops with ``stop()``, when it is
/// released, or at the end of its lifetime. A handler that captures the server keeps it from being released: call ``stop()`` then.
///
/// Tests run side by side, and each server and connection takes a descriptor: the first server raises the process's soft limit of open files.
public final class LoopbackServer: Sendable {
    /// The port on 127.0.0.1.
    public let port: Int

    let core: ServerCore

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - security: whether it speaks TLS, for which it has a throw-away certificate.
    ///   - limits: what the server allows at most.
    ///   - sendsContinue: whether a request with `Expect: 100-continue` is told to go on; if not, the server waits for the body in
    ///     silence.
    /// - Throws: ``StartError`` when the system has no socket or pipe to give, or not what TLS needs.
    public init(security: Security = .plain, limits: Limits = Limits(), sendsContinue: Bool = true) throws(StartError) {
        _ = OpenFiles.raisedLimit
        core = try ServerCore(security: security, limits: limits, continues: sendsContinue)
        let listener = try ServerSocket.listening()
        port = listener.port
        core.start(listener)
    }

    /// Starts a server on a port of the caller's choice.
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

    /// Looks at the head of each request that has a body, before anything of the body is kept. A response that it gives ends the connection.
    package func admit(_ look: @escaping @Sendable (RecordedRequest) -> LoopbackResponse?) {
        core.admission.withLock { $0 = look }
    }

    /// The origin, such as `http://127.0.0.1:43210`, or with `https`.
    public var url: String {
        "\(core.identity == nil ? "http" : "https")://127.0.0.1:\(port)"
    }

    /// Closes the port and all connections, and forgets the routes; recorded requests stay. Stopping twice is harmless.
    ///
    /// Returns when everything is closed. From a handler it returns at once, and the server stops after that handler.
    public func stop() {
        core.stop()
    }

    /// The requests in the order of arrival, those without a route included, malformed ones left out.
    public var requests: [RecordedRequest] {
        core.requests
    }

    /// How many requests have arrived, the forgotten ones included.
    public var requestCount: Int {
        core.received.value
    }

    /// Forgets the recorded requests.
    public func forgetRequests() {
        core.forgetRequests()
    }

    /// How many connections have been accepted so far.
    public var connectionCount: Int {
        core.acceptedConnections
    }

    /// How many connections are open now.
    public var openConnections: Int {
        core.openConnections
    }

    /// Waits until `count` requests have arrived, counted from the start. Returns early if the task is cancelled or the server stops.
    public func requestsReceived(_ count: Int) async {
        await core.received.reach(count)
    }

    /// Waits until `count` connections have ended, counted from the start, by either side. Returns early if the task is cancelled or
    /// the server stops.
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
