/// Stops chains from growing while a long one is cancelled, because an endless recursion would add links about as fast as the cancellation
/// follows them.
enum ChainGate {
    private static let isClosed = AtomicCounter()
    private static let gate = Mutex(())

    /// Waits while the gate is closed. Call it before a chain grows at its source, and without a lock. Costs the load of a counter while it is open.
    static func pass() {
        if isClosed.count > 0 { gate.withLock { _ in } }
    }

    /// Runs `body` while no chain can grow at its source. `body` must run no user code, and free nothing that holds user objects.
    static func whileClosed(_ body: () -> Void) {
        isClosed.add(1)
        gate.withLock { _ in body() }
        isClosed.add(-1)
    }
}
