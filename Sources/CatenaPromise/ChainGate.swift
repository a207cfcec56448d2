/// Holds chains still while a long one is being cancelled: a recursion that goes on without end would otherwise add links to its chain
/// about as fast as the cancellation follows it.
enum ChainGate {
    private static let isClosed = AtomicCounter()
    private static let gate = Mutex(())

    /// To be called before a chain grows at its source, without a lock held. Costs a look at a counter while nothing is being cancelled.
    static func pass() {
        if isClosed.count > 0 { gate.withLock { _ in } }
    }

    /// Does something during which no chain grows at its source. No code of a user may run in it, and nothing may be freed that holds any.
    static func whileClosed(_ body: () -> Void) {
        isClosed.add(1)
        gate.withLock { _ in body() }
        isClosed.add(-1)
    }
}
