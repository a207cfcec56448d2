public import Catena

/// A clock that a test controls, so that retries, time limits and delays are tested without waiting.
///
/// Time passes only when the test advances the clock:
///
/// ```swift
/// let clock = VirtualClock()
/// let client = Client(testing: stubs, clock: clock)
/// let call = client.get("/flaky").retry(.exponential(limit: 1)).execute()
/// await clock.scheduled(.milliseconds(500))
/// clock.advance(by: .milliseconds(500))
/// ```
///
/// An automatic clock advances by itself as soon as something waits for it. It also fires everything that becomes due before, such as the time limit of the
/// waiting call. If several calls wait at the same time and their order matters, use a clock that the test advances.
public final class VirtualClock: CallClock {
    fileprivate struct Entry {
        let deadline: Duration
        let delay: Duration
        let id: Int
        /// Whether this is a wait and not a time limit. Only a wait makes an automatic clock advance.
        let isWait: Bool
        /// The number of the call that waits.
        let call: Int?
        let action: @Sendable () -> Void
    }

    fileprivate struct State: Sendable {
        var now = Duration.zero
        var entries: [Entry] = []
        var lastID = 0
        /// The ids of cancelled waits. A wait may be cancelled before it has an entry.
        var abandoned: Set<Int> = []
        /// For each call in progress, the number of clock entries and other calls for which it waits.
        var calls: [Int: Int] = [:]
        /// The number of requests to advance automatically.
        var drivers: Int
        var isDriven = false
    }

    private let state: Monitor<State>

    /// Makes a clock whose time is zero.
    ///
    /// - Parameter isAutomatic: Whether the clock advances by itself when something waits for it.
    public init(isAutomatic: Bool = false) {
        state = Monitor(State(drivers: isAutomatic ? 1 : 0))
    }

    /// The time that has passed on this clock.
    public var now: Duration { state.withLock { $0.now } }

    /// The durations of the active waits and time limits, in the order in which they began.
    public var delays: [Duration] { state.withLock { $0.entries.map(\.delay) } }

    /// The time until the next wait or time limit is due, or `nil` if there is none.
    package var untilNext: Duration? {
        state.withLock { state in state.entries.map(\.deadline).min().map { max($0 - state.now, .zero) } }
    }

    /// Suspends until something waits for `delay` on this clock, such as a retry.
    public func scheduled(_ delay: Duration) async {
        await delays { $0.contains(delay) }
    }

    /// Suspends until the active waits and time limits meet a condition.
    package func delays(meet condition: @escaping @Sendable ([Duration]) -> Bool) async {
        await state.wait { condition($0.entries.map(\.delay)) }
    }

    /// Advances the clock. Runs everything that becomes due, the earliest first, each at its own time.
    public func advance(by duration: Duration) {
        let end = now + duration
        while let entry = state.withLock({ $0.takeNext(until: end) }) { entry.action() }
        state.withLock { $0.now = max($0.now, end) }
    }

    /// Advances the clock whenever something waits for it, until all calls have ended. Retries over minutes take milliseconds.
    ///
    /// A call that waits for something other than this clock has to end by itself.
    public func runUntilIdle() async {
        state.withLock { $0.drivers += 1 }
        driveIfNeeded()
        await state.wait { $0.calls.isEmpty }
        state.withLock { $0.drivers -= 1 }
    }

    // MARK: The client's side

    package func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledAction {
        let id = state.withLock { state in
            let id = state.nextID()
            state.add(Entry(deadline: state.now + delay, delay: delay, id: id, isWait: false, call: nil, action: action))
            return id
        }
        return ScheduledAction(id, of: self)
    }

    package func sleep(for delay: Duration) async throws {
        // A cancelled task must not make the clock advance.
        try Task.checkCancellation()
        guard delay > .zero else { return }
        let (promise, resolver) = Promise<Void>.pending()
        let presence = CurrentCall.presence as? ClockPresence
        let call = presence?.clock === self ? presence?.number : nil
        let id = state.withLock { $0.nextID() }
        defer {
            // The entry's action holds the resolver. Retain the resolver until the task has seen its cancellation, or the promise would be abandoned first.
            withExtendedLifetime(resolver) { cancel(id) }
            state.withLock { _ = $0.abandoned.remove(id) }
        }
        try await withTaskCancellationHandler {
            // Add the entry only when the cancellation handler is in place. As soon as there is an entry, the clock may fire a limit that cancels this task.
            let isAdded = state.withLock { state in
                guard !state.abandoned.contains(id) else { return false }
                let deadline = state.now + delay
                state.add(Entry(deadline: deadline, delay: delay, id: id, isWait: true, call: call) { resolver.fulfill(()) })
                return true
            }
            guard isAdded else { throw CancellationError() }
            driveIfNeeded()
            try await promise.value
        } onCancel: {
            // Remove the entry at once, because the clock may be about to fire it after the limit that cancelled this task.
            state.withLock { _ = $0.abandoned.insert(id) }
            cancel(id)
        }
    }

    package func callBegins() -> (any CallPresence)? {
        ClockPresence(self, number: state.withLock { $0.addCall() })
    }

    fileprivate func callEnds(_ number: Int) {
        state.withLock { _ = $0.calls.removeValue(forKey: number) }
    }

    fileprivate func call(_ number: Int, waits change: Int) {
        state.withLock { $0.calls[number]? += change }
    }

    package func cancel(_ id: Int) {
        let removed = state.withLock { $0.remove { $0.id == id } }
        _ = consume removed
    }

    /// Starts to advance the clock, if it is automatic and something waits for it.
    private func driveIfNeeded() {
        guard state.withLock({ $0.beginDriving() }) else { return }
        // Detached, so that the task does not retain a test's scope of stubs.
        Task.detached { [self] in
            repeat {
                await settle()
                let entry = state.withLock { $0.takeNextDriven() }
                entry?.action()
            } while !state.withLock({ $0.endDriving() })
        }
    }

    /// Waits until all calls in progress wait, for this clock or for one another.
    ///
    /// The clock cannot tell a call that waits for something else from one that is working. So the loop has an upper bound of turns, which is high because a
    /// busy system may delay the thread of a working call.
    private func settle() async {
        var lastID = -1
        var turns = 0
        while turns < 10_000 {
            // A new task runs after the work that is already queued.
            await Task.detached {}.value
            let (id, isAsleep) = state.withLock { ($0.lastID, $0.isAsleep) }
            turns = id == lastID ? turns + 1 : 0
            lastID = id
            if isAsleep, turns >= 100 { return }
        }
    }
}

extension VirtualClock.State {
    fileprivate mutating func nextID() -> Int {
        lastID += 1
        return lastID
    }

    fileprivate mutating func addCall() -> Int {
        let id = nextID()
        calls[id] = 0
        return id
    }

    fileprivate mutating func add(_ entry: VirtualClock.Entry) {
        entries.append(entry)
        if let call = entry.call { calls[call]? += 1 }
    }

    fileprivate mutating func remove(_ isMeant: (VirtualClock.Entry) -> Bool) -> VirtualClock.Entry? {
        guard let index = entries.firstIndex(where: isMeant) else { return nil }
        let entry = entries.remove(at: index)
        if let call = entry.call { calls[call]? -= 1 }
        return entry
    }

    fileprivate mutating func takeNext(until end: Duration) -> VirtualClock.Entry? {
        let due = entries.filter { $0.deadline <= end }
        guard let next = due.min(by: { $0.deadline < $1.deadline }) else { return nil }
        now = max(now, next.deadline)
        return remove { $0.id == next.id }
    }

    /// Whether every call waits.
    fileprivate var isAsleep: Bool { calls.values.allSatisfy { $0 > 0 } }

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

/// Registers a call in progress with the clock.
private final class ClockPresence: CallPresence {
    let clock: VirtualClock
    let number: Int

    init(_ clock: VirtualClock, number: Int) {
        self.clock = clock
        self.number = number
    }

    func another() -> any CallPresence { clock.callBegins() ?? self }

    func waitBegins() { clock.call(number, waits: 1) }

    func waitEnds() { clock.call(number, waits: -1) }

    deinit { clock.callEnds(number) }
}

extension Client {
    /// Makes a client for tests with a transport of the test and a virtual clock.
    ///
    /// - Parameters:
    ///   - transport: The transport that responds to the requests.
    ///   - clock: The clock of all waits and time limits.
    ///   - random: The value used instead of each random number from 0 to 1, so that delays are predictable.
    public convenience init(transport: any Transport, clock: VirtualClock, random: Double = 1) {
        self.init(transport: transport, timers: clock, random: { random })
    }
}
