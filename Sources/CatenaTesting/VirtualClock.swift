public import Catena

/// A clock that a test controls, so that retries, time limits and delays are tested without waiting.
///
/// It stands still until the test advances it:
///
/// ```swift
/// let clock = VirtualClock()
/// let client = Client(testing: stubs, clock: clock)
/// let call = client.get("/flaky").retry(.exponential(limit: 1)).execute()
/// await clock.scheduled(.milliseconds(500))
/// clock.advance(by: .milliseconds(500))
/// ```
///
/// An automatic clock advances by itself as soon as something waits for it, and fires everything that becomes due on the way, such as the
/// time limit of the waiting call. Where several calls wait at the same time and their order matters, use a clock that the test advances.
public final class VirtualClock: CallClock {
    fileprivate struct Entry {
        let deadline: Duration
        let delay: Duration
        let id: Int
        /// Whether this is a wait, and not a limit that only matters if the time for it comes.
        let isWait: Bool
        /// The call that waits.
        let call: Int?
        let action: @Sendable () -> Void
    }

    fileprivate struct State: Sendable {
        var now = Duration.zero
        var entries: [Entry] = []
        var lastID = 0
        /// The waits that were cancelled, perhaps before they had an entry.
        var abandoned: Set<Int> = []
        /// For what each call under way waits: how many entries of this clock, and how many other calls.
        var calls: [Int: Int] = [:]
        /// How many want the clock to go on by itself.
        var drivers: Int
        var isDriven = false
    }

    private let state: Monitor<State>

    /// Makes a clock that stands at zero.
    ///
    /// - Parameter isAutomatic: Whether the clock advances by itself when something waits for it.
    public init(isAutomatic: Bool = false) {
        state = Monitor(State(drivers: isAutomatic ? 1 : 0))
    }

    /// The time that has passed on this clock.
    public var now: Duration { state.withLock { $0.now } }

    /// The lengths of the active waits and time limits, in the order in which they began.
    public var delays: [Duration] { state.withLock { $0.entries.map(\.delay) } }

    /// The time until the next wait or time limit is due; `nil` if there is none.
    package var untilNext: Duration? {
        state.withLock { state in state.entries.map(\.deadline).min().map { max($0 - state.now, .zero) } }
    }

    /// Suspends until something waits for `delay` on this clock: until a retry has begun its wait, for instance.
    public func scheduled(_ delay: Duration) async {
        await delays { $0.contains(delay) }
    }

    /// Suspends until the active waits and time limits meet a condition.
    package func delays(meet condition: @escaping @Sendable ([Duration]) -> Bool) async {
        await state.wait { condition($0.entries.map(\.delay)) }
    }

    /// Advances the clock. Everything that becomes due runs, the earliest first, each at its own time.
    public func advance(by duration: Duration) {
        let end = now + duration
        while let entry = state.withLock({ $0.takeNext(until: end) }) { entry.action() }
        state.withLock { $0.now = max($0.now, end) }
    }

    /// Advances the clock, as often as something waits for it, until the active calls have ended: a schedule of retries over minutes runs
    /// in milliseconds.
    ///
    /// A call that waits for something else than this clock has to end by itself.
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
        return ScheduledAction { [self] in end(id) }
    }

    package func sleep(for delay: Duration) async throws {
        // The clock does not go on for the sake of one who no longer waits.
        try Task.checkCancellation()
        guard delay > .zero else { return }
        let (promise, resolver) = Promise<Void>.pending()
        let presence = CurrentCall.presence as? ClockPresence
        let call = presence?.clock === self ? presence?.number : nil
        let id = state.withLock { $0.nextID() }
        defer {
            // What goes with the entry must not abandon the promise before its cancellation is seen.
            withExtendedLifetime(resolver) { end(id) }
            state.withLock { _ = $0.abandoned.remove(id) }
        }
        try await withTaskCancellationHandler {
            // Only now, when a cancellation is heard: the clock may fire a limit that cancels this task as soon as the entry is there.
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
            // At once, since a limit that cancels this task may be just one stop of the clock on its way.
            state.withLock { _ = $0.abandoned.insert(id) }
            end(id)
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

    private func end(_ id: Int) {
        let removed = state.withLock { $0.remove { $0.id == id } }
        _ = consume removed
    }

    /// Has time pass while something waits for it, if that is wanted.
    private func driveIfNeeded() {
        guard state.withLock({ $0.beginDriving() }) else { return }
        // Detached, so that no scope of a test's hangs on to it.
        Task.detached { [self] in
            repeat {
                await settle()
                let entry = state.withLock { $0.takeNextDriven() }
                entry?.action()
            } while !state.withLock({ $0.endDriving() })
        }
    }

    /// Lets the calls under way go on until all of them wait, for this clock or for one another.
    ///
    /// A call that waits for something of the test's own, or that is about to begin, cannot be told from one that works, so
    /// it is given many turns: more than a thread takes in the time for which a busy system may keep another one waiting.
    private func settle() async {
        var lastID = -1
        var turns = 0
        while turns < 10_000 {
            // Behind everything that is ready to run.
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

/// Stands for a call under way.
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
    /// Makes a client for tests that sends over a transport of the test's own and waits on a virtual clock.
    ///
    /// - Parameters:
    ///   - transport: What responds to the requests.
    ///   - clock: The clock of all waits and time limits.
    ///   - random: The draw in place of each random number from 0 to 1, so that waits have a known length.
    public convenience init(transport: any Transport, clock: VirtualClock, random: Double = 1) {
        self.init(transport: transport, timers: clock, random: { random })
    }
}
