import CatenaPlatform
import CatenaPromise
import Dispatch

/// The state that the server's thread shares with its owner.
final class ServerCore: Sendable {
    private struct State {
        var routes: [ServerRoute] = []
        var recorded: [StubRequest] = []
        var accepted = 0
        var thread: UInt?
    }

    let limits: LoopbackServer.Limits
    let continues: Bool
    /// The identity, or `nil` without TLS.
    let identity: ServerIdentity?
    let mailbox: ServerMailbox
    let received = ServerCounter()
    let closed = ServerCounter()
    private let state = Mutex(State())
    /// A closure that receives the head of a request before its body is read. If it returns a response, the body is not read.
    let admission = Mutex<(@Sendable (StubRequest) -> StubReply?)?>(nil)
    private let running = DispatchGroup()
    /// An object that is freed with the core, and last.
    let companion = Mutex<(any Sendable)?>(nil)

    init(security: LoopbackServer.Security, limits: LoopbackServer.Limits, continues: Bool) throws(LoopbackServer.StartError) {
        self.limits = limits
        self.continues = continues
        identity = security.isTLS ? try ServerIdentity(fault: security.fault) : nil
        mailbox = try ServerMailbox()
    }

    /// Serves on its own thread until it is stopped.
    func start(_ listener: ServerSocket) {
        running.enter()
        // Handlers run on it too.
        SystemThread.run(stackSize: 8 << 20) { [self] in
            state.withLock { $0.thread = SystemThread.current }
            ServerLoop(core: self, listener: listener).run()
            finish()
        }
    }

    /// Stops the server. Returns when everything is closed, but at once on the server's own thread, where waiting would deadlock.
    func stop() {
        mailbox.post(.stop)
        if state.withLock({ $0.thread }) != SystemThread.current { running.wait() }
    }

    private func finish() {
        received.finish()
        closed.finish()
        mailbox.close()
        // The handlers are released outside the lock, because one of them may hold the server itself.
        let routes = state.withLock { state in
            defer { state.routes = [] }
            return state.routes
        }
        running.leave()
        _ = consume routes
    }

    func add(_ route: ServerRoute) {
        state.withLock { $0.routes.append(route) }
    }

    /// Records a request and returns the handler of its route.
    func record(_ request: inout StubRequest) -> ServerHandler? {
        let handler = state.withLock { state -> ServerHandler? in
            let match = state.routes.match(request.method, request.path)
            if let match {
                state.routes[match.index].visits += 1
                request.visit = state.routes[match.index].visits
                request.parameters = match.parameters
            }
            // Trimmed only at twice the limit, because removing requests one by one would move the others every time.
            let excess = state.recorded.count - limits.recordedRequests
            if excess >= max(1, limits.recordedRequests) { state.recorded.removeFirst(excess) }
            state.recorded.append(request)
            return match.map { state.routes[$0.index].handler }
        }
        received.increment()
        return handler
    }

    var requests: [StubRequest] {
        state.withLock { $0.recorded.suffix(limits.recordedRequests) }
    }

    func forgetRequests() {
        state.withLock { $0.recorded = [] }
    }

    /// Returns the number of the next connection, counted from 1.
    func acceptConnection() -> Int {
        state.withLock { state in
            state.accepted += 1
            return state.accepted
        }
    }

    var acceptedConnections: Int {
        state.withLock { $0.accepted }
    }

    /// Both numbers are read under one lock, because a connection that is accepted and closed in between would count as minus one.
    var openConnections: Int {
        state.withLock { $0.accepted - closed.value }
    }
}
