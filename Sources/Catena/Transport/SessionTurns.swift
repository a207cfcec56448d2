#if canImport(FoundationNetworking)
/// Starts a bounded number of exchanges with one origin at a time, the others in the order in which they came.
///
/// The queue is here because libcurl before 7.88 forgets transfers that wait for a connection when one of those before them is cut or cancelled.
final class SessionTurns: Sendable {
    private let queue: Mutex<OriginQueue<SessionExchange>>

    init(limit: Int) {
        queue = Mutex(OriginQueue(limit: limit))
    }

    /// Starts the exchange as soon as it is its turn.
    func enter(_ exchange: SessionExchange, starting start: @escaping @Sendable (SessionExchange) -> Void) {
        let origin = exchange.address.origin
        let isFirst = queue.withLock { $0.enter(exchange, to: origin) }
        if isFirst { begin(exchange, start) }
    }

    /// Gives the turn of an exchange that ended while it waited to the next one.
    private func begin(_ exchange: SessionExchange, _ start: @escaping @Sendable (SessionExchange) -> Void) {
        var next: SessionExchange? = exchange
        while let current = next {
            let origin = current.address.origin
            let hasBegun = current.begin { [self] in
                if let next = leave(origin) { begin(next, start) }
            }
            if hasBegun { return start(current) }
            next = leave(origin)
        }
    }

    private func leave(_ origin: String) -> SessionExchange? {
        queue.withLock { $0.leave(origin) }
    }
}
#endif
