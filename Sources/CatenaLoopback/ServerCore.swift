import CatenaPromise
import Dispatch
import Foundation

/// What the server's thread and its owner share.
final class ServerCore: Sendable {
    private struct State {
        var routes: [ServerRoute] = []
        var recorded: [RecordedRequest] = []
        var accepted = 0
        var thread: ObjectIdentifier?
    }

    let limits: LoopbackServer.Limits
    let continues: Bool
    /// `nil` without TLS.
    let identity: ServerIdentity?
    let mailbox: ServerMailbox
    let received = ServerCounter()
    let closed = ServerCounter()
    private let state = Mutex(State())
    /// Looks at the head of a request whose body is yet to come; what it gives is the response in place of reading the body.
    let admission = Mutex<(@Sendable (RecordedRequest) -> LoopbackResponse?)?>(nil)
    private let running = DispatchGroup()
    /// Is freed with the core, and last.
    let companion = Mutex<(any Sendable)?>(nil)

    init(security: LoopbackServer.Security, limits: LoopbackServer.Limits, continues: Bool) throws(LoopbackServer.StartError) {
        self.limits = limits
        self.continues = continues
        identity = security.isTLS ? try ServerIdentity(fault: security.fault) : nil
        mailbox = try ServerMailbox()
    }

    /// Serves on a thread of its own until it is stopped.
    func start(_ listener: ServerSocket) {
        running.enter()
        let thread = Thread { [self] in
            state.withLock { $0.thread = ObjectIdentifier(Thread.current) }
            ServerLoop(core: self, listener: listener).run()
            finish()
        }
        thread.start()
    }

    /// Stops serving; returns when everything is closed, except in a handler, where waiting would be for itself.
    func stop() {
        mailbox.post(.stop)
        let current = ObjectIdentifier(Thread.current)
        if state.withLock({ $0.thread }) != current { running.wait() }
    }

    private func finish() {
        received.finish()
        closed.finish()
        mailbox.close()
        // The handlers are released here, not under the lock: one of them may hold the server itself.
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

    /// Writes a request down and finds its route.
    func record(_ request: inout RecordedRequest) -> ServerHandler? {
        let handler = state.withLock { state -> ServerHandler? in
            let match = state.routes.match(request.method, request.path)
            if let match {
                state.routes[match.index].visits += 1
                request.visit = state.routes[match.index].visits
                request.parameters = match.parameters
            }
            // Twice the limit before the oldest half goes: forgetting one by one would move the rest every time.
            if state.recorded.count >= 2 * max(1, limits.recordedRequests) { state.recorded.removeFirst(limits.recordedRequests) }
            state.recorded.append(request)
            return match.map { state.routes[$0.index].handler }
        }
        received.increment()
        return handler
    }

    var requests: [RecordedRequest] {
        state.withLock { $0.recorded.suffix(limits.recordedRequests) }
    }

    func forgetRequests() {
        state.withLock { $0.recorded = [] }
    }

    /// The number of the next connection, counted from 1.
    func acceptConnection() -> Int {
        state.withLock { state in
            state.accepted += 1
            return state.accepted
        }
    }

    var acceptedConnections: Int {
        state.withLock { $0.accepted }
    }

    /// One reading of both numbers, or a connection accepted and closed in between would count as minus one.
    var openConnections: Int {
        state.withLock { $0.accepted - closed.value }
    }
}
