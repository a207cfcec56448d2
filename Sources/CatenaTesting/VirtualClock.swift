public import Catena
import Synchronization

/// A clock whose time is the test's, so that retries, time limits and delays are tested without waiting.
///
/// It stands still until it is told to go on:
///
/// ```swift
/// let clock = VirtualClock()
/// let client = Client(testing: stubs, clock: clock)
/// let answer = client.get("/flaky").retry(.exponential(limit: 1)).execute()
/// await clock.scheduled(.milliseconds(500))
/// clock.advance(by: .milliseconds(500))
/// ```
///
/// An automatic one goes on by itself as soon as something waits for it, and fires what is due on the way, such as the time limit of
/// the call that waits. Where several calls wait at the same time and their order matters, the test has to move the clock.
public final class VirtualClock: TimerClock {
    fileprivate struct Entry {
        let deadline: Duration
        let delay: Duration
        let id: Int
        /// Whether this is a wait, and not a limit that only matters if the time for it comes.
        let isWait: Bool
        let action: @Sendable () -> Void
    }

    fileprivate struct State {
        var now = Duration.zero
        var entries: [Entry] = []
        var nextID = 0
        var scheduled: [(delay: Duration, resolver: Resolver<Void>)] = []
        var calls = 0
        var idle: [Resolver<Void>] = []
        /// How many want the clock to go on by itself.
        var drivers: Int
        var isDriven = false
    }

    private let state: Mutex<State>

    /// Makes a clock that stands at zero.
    ///
    /// - Parameter isAutomatic: Whether it goes on by itself when something waits for it.
    public init(isAutomatic: Bool = false) {
        state = Mutex(State(drivers: isAutomatic ? 1 : 0))
    }

    /// The time that has passed on this clock.
    public var now: Duration { state.withLock { $0.now } }

    /// The lengths of the waits and limits that are under way, in the order in which they began.
    public var delays: [Duration] { state.withLock { $0.entries.map(\.delay) } }

    /// Waits until something waits for `delay` on this clock.
    public func scheduled(_ delay: Duration) async {
        let (promise, resolver) = Promise<Void>.pending()
        let isThere = state.withLock { state in
            if state.entries.contains(where: { $0.delay == delay }) { return true }
            state.scheduled.append((delay, resolver))
            return false
        }
        if !isThere { _ = await promise.result }
    }

    /// Lets time pass: everything that is due runs, the earliest first, each at its own time.
    public func advance(by duration: Duration) {
        let end = now + duration
        while let entry = state.withLock({ $0.takeNext(until: end) }) { entry.action() }
        state.withLock { $0.now = max($0.now, end) }
    }

    /// Lets time pass until the calls under way have ended, as often as something waits for it: a schedule of retries over minutes runs
    /// in milliseconds.
    ///
    /// A call that waits for something else than this clock has to end by itself.
    public func runUntilIdle() async {
        state.withLock { $0.drivers += 1 }
        driveIfNeeded()
        let (promise, resolver) = Promise<Void>.pending()
        let isIdle = state.withLock { state in
            if state.calls > 0 { state.idle.append(resolver) }
            return state.calls == 0
        }
        if !isIdle { _ = await promise.result }
        state.withLock { $0.drivers -= 1 }
    }

    // MARK: The client's side

    package func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledAction {
        schedule(after: delay, isWait: false, action)
    }

    package func sleep(for delay: Duration) async throws {
        // The clock does not go on for the sake of one who no longer waits.
        try Task.checkCancellation()
        guard delay > .zero else { return }
        let (promise, resolver) = Promise<Void>.pending()
        let entry = schedule(after: delay, isWait: true) { resolver.fulfill(()) }
        // What goes with the entry must not abandon the promise before its cancellation is seen.
        defer { withExtendedLifetime(resolver) { entry.cancel() } }
        driveIfNeeded()
        try await withTaskCancellationHandler {
            try await promise.value
        } onCancel: {
            // At once, since a limit that cancels this task may be just one stop of the clock on its way.
            entry.cancel()
        }
    }

    package func callBegins() -> (any AnyObject & Sendable)? {
        state.withLock { $0.calls += 1 }
        return CallPresence { [self] in
            let idle = state.withLock { state -> [Resolver<Void>] in
                state.calls -= 1
                guard state.calls == 0 else { return [] }
                defer { state.idle = [] }
                return state.idle
            }
            for resolver in idle { resolver.fulfill(()) }
        }
    }

    private func schedule(after delay: Duration, isWait: Bool, _ action: @escaping @Sendable () -> Void) -> ScheduledAction {
        let (id, reached) = state.withLock { state in
            let id = state.nextID
            state.nextID += 1
            state.entries.append(Entry(deadline: state.now + delay, delay: delay, id: id, isWait: isWait, action: action))
            let reached = state.scheduled.filter { $0.delay == delay }
            state.scheduled.removeAll { $0.delay == delay }
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

    /// Has time pass while something waits for it, if that is wanted.
    private func driveIfNeeded() {
        guard state.withLock({ $0.beginDriving() }) else { return }
        // Detached, so that no scope of a test's hangs on to it.
        Task.detached { [self] in
            repeat {
                await settle()
                let (entry, waits, id) = state.withLock { ($0.takeNextDriven(), $0.waits, $0.nextID) }
                entry?.action()
                if entry?.isWait == false { await settleStrike(waits, id) }
            } while !state.withLock({ $0.endDriving() })
        }
    }

    /// Lets the calls under way go on until all of them wait for the clock. One that waits for something else, such as another call,
    /// cannot be told from one that works, so it is given many turns.
    private func settle() async {
        var lastID = -1
        var turns = 0
        while turns < 1000 {
            await Task.yield()
            let (id, isAsleep) = state.withLock { ($0.nextID, $0.waits >= $0.calls) }
            turns = id == lastID ? turns + 1 : 0
            lastID = id
            if isAsleep, turns >= 200 { return }
        }
    }

    /// Lets the call whose limit has just struck leave its wait. Its task may not have come round to that, and to go on meanwhile would
    /// be to answer a call that is out of time; one that heeds no cancelling is not waited for without end.
    private func settleStrike(_ waits: Int, _ id: Int) async {
        var turns = 0
        while turns < 100_000, state.withLock({ $0.waits == waits && $0.nextID == id }) {
            await Task.yield()
            turns += 1
        }
    }
}

extension VirtualClock.State {
    fileprivate mutating func takeNext(until end: Duration) -> VirtualClock.Entry? {
        let due = entries.indices.filter { entries[$0].deadline <= end }
        guard let index = due.min(by: { entries[$0].deadline < entries[$1].deadline }) else { return nil }
        let entry = entries.remove(at: index)
        now = max(now, entry.deadline)
        return entry
    }

    /// How many wait.
    fileprivate var waits: Int { entries.count { $0.isWait } }

    private var isWaitedFor: Bool { drivers > 0 && entries.contains { $0.isWait } }

    fileprivate mutating func beginDriving() -> Bool {
        guard !isDriven, isWaitedFor else { return false }
        isDriven = true
        return true
    }

    fileprivate mutating func takeNextDriven() -> VirtualClock.Entry? {
        guard drivers > 0, let first = entries.filter(\.isWait).map(\.deadline).min() else { return nil }
        return takeNext(until: first)
    }

    fileprivate mutating func endDriving() -> Bool {
        isDriven = isWaitedFor
        return !isDriven
    }
}

/// Stands for a call under way.
private final class CallPresence: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit { end() }
}

extension Client {
    /// A client for tests: over a transport of the test's own, on a virtual clock, and with no chance in it.
    ///
    /// - Parameter random: The draw in place of each random number from 0 to 1, so that waits have a known length.
    public convenience init(transport: any Transport, clock: VirtualClock, random: Double = 1) {
        self.init(transport: transport, timers: clock, random: { random })
    }
}
