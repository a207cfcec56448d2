public import Catena
import Synchronization

/// A clock that stands still until it is told to go on, so that retries, time limits and delays are tested without waiting.
///
/// ```swift
/// let clock = VirtualClock()
/// let client = Client(transport: stub, clock: clock)
/// let answer = client.host("https://example.com").get("/flaky").retry(.exponential(limit: 1)).execute()
/// await clock.scheduled(.milliseconds(500))
/// clock.advance(by: .milliseconds(500))
/// ```
public final class VirtualClock: TimerClock {
    private struct Entry {
        let deadline: Duration
        let delay: Duration
        let id: Int
        let action: @Sendable () -> Void
    }

    private struct State {
        var now = Duration.zero
        var entries: [Entry] = []
        var nextID = 0
        var waiting: [(delay: Duration, resolver: Resolver<Void>)] = []
    }

    private let state = Mutex(State())

    public init() {}

    /// Time since the clock was made.
    package var now: Duration { state.withLock { $0.now } }

    /// The lengths of the waits that are under way, in the order in which they began.
    public var delays: [Duration] { state.withLock { $0.entries.map(\.delay) } }

    package func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledAction {
        let (id, reached) = state.withLock { state in
            let id = state.nextID
            state.nextID += 1
            state.entries.append(Entry(deadline: state.now + delay, delay: delay, id: id, action: action))
            let reached = state.waiting.filter { $0.delay == delay }
            state.waiting.removeAll { $0.delay == delay }
            return (id, reached)
        }
        for wait in reached { wait.resolver.fulfill(()) }
        return ScheduledAction { [self] in
            let removed = state.withLock { state in
                let removed = state.entries.filter { $0.id == id }
                state.entries.removeAll { $0.id == id }
                return removed
            }
            _ = consume removed
        }
    }

    /// Waits until something waits for `delay` on this clock.
    public func scheduled(_ delay: Duration) async {
        let (promise, resolver) = Promise<Void>.pending()
        let isThere = state.withLock { state in
            if state.entries.contains(where: { $0.delay == delay }) { return true }
            state.waiting.append((delay, resolver))
            return false
        }
        if !isThere { _ = await promise.result }
    }

    /// Lets time pass: everything that is due runs, the earliest first, each at its own time.
    public func advance(by duration: Duration) {
        let end = now + duration
        while let action = takeNext(until: end) { action() }
        state.withLock { $0.now = max($0.now, end) }
    }

    private func takeNext(until end: Duration) -> (@Sendable () -> Void)? {
        state.withLock { state in
            let due = state.entries.indices.filter { state.entries[$0].deadline <= end }
            guard let index = due.min(by: { state.entries[$0].deadline < state.entries[$1].deadline }) else { return nil }
            let entry = state.entries.remove(at: index)
            state.now = max(state.now, entry.deadline)
            return entry.action
        }
    }
}

extension Client {
    /// A client for tests: over a transport of the test's own, on a virtual clock, and with no chance in it.
    ///
    /// - Parameter random: The draw in place of each random number from 0 to 1, so that waits have a known length.
    public convenience init(transport: any Transport, clock: VirtualClock, random: Double = 1) {
        self.init(transport: transport, timers: clock, random: { random })
    }
}
