#if canImport(FoundationNetworking)
/// Starts a bounded number of exchanges with one origin at a time, the others in the order in which they came.
///
/// The queue is here because libcurl before 7.88 forgets transfers that wait for a connection when one of those before them is cut or cancelled.
final class SessionTurns: Sendable {
    private struct State: Sendable {
        /// With more connections than these to one origin, libcurl closes idle ones to make room, and opens others.
        var plain = OriginQueue<SessionExchange>(limit: 4)
        /// HTTP/2 carries several exchanges over one connection.
        var secure = OriginQueue<SessionExchange>(limit: 16)
    }

    private let state = Mutex(State())

    /// Starts the exchange as soon as it is its turn.
    func enter(_ exchange: SessionExchange, starting start: @escaping @Sendable (SessionExchange) -> Void) {
        let address = exchange.address
        let isFirst = state.withLock { state in
            address.scheme == "https" ? state.secure.enter(exchange, to: address.origin) : state.plain.enter(exchange, to: address.origin)
        }
        if isFirst { begin(exchange, start) }
    }

    /// Gives the turn of an exchange that ended while it waited to the next one.
    private func begin(_ exchange: SessionExchange, _ start: @escaping @Sendable (SessionExchange) -> Void) {
        var next: SessionExchange? = exchange
        while let current = next {
            let address = current.address
            let hasBegun = current.begin { [self] in
                if let next = leave(address) { begin(next, start) }
            }
            if hasBegun { return start(current) }
            next = leave(address)
        }
    }

    private func leave(_ address: HTTPAddress) -> SessionExchange? {
        state.withLock { state in
            address.scheme == "https" ? state.secure.leave(address.origin) : state.plain.leave(address.origin)
        }
    }
}
#endif
