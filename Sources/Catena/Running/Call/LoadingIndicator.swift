import Dispatch

/// An indicator that shows that a call is active.
struct LoadingIndicator: Sendable {
    /// Hides the indicator, once.
    ///
    /// - Parameter isCancelled: Whether the call was cancelled, so that the indicator must not outlast it.
    typealias Hide = @MainActor (_ isCancelled: Bool) -> Void

    /// Shows the indicator. Returns the closure that hides it.
    let show: @MainActor @Sendable (Client) -> Hide

    private init(showing show: @escaping @MainActor @Sendable (Client) -> Hide) {
        self.show = show
    }

    init(_ show: @escaping @MainActor @Sendable (Client) -> (@MainActor () -> Void)) {
        self.show = { client in
            let hide = show(client)
            return { _ in hide() }
        }
    }

    /// Returns the indicator with a delay before it is shown and a shortest time for which it is.
    func timed(after delay: Duration, atLeast shortest: Duration) -> LoadingIndicator {
        guard delay > .zero || shortest > .zero else { return self }
        return LoadingIndicator(showing: { client in
            let timed = TimedIndicator(self, of: client, atLeast: shortest)
            timed.begin(after: delay)
            return { timed.end(isCancelled: $0) }
        })
    }
}

/// The indicators of one call. Every `show` is followed by one `hide`.
final class ShownIndicators: Sendable {
    @MainActor private final class Screen {
        var hiding: [LoadingIndicator.Hide] = []
        nonisolated init() {}
    }

    private let indicators: [LoadingIndicator]
    private let client: Client
    private let screen = Screen()

    init(_ indicators: [LoadingIndicator], of client: Client) {
        self.client = client
        self.indicators = indicators
    }

    // Both use the main queue, which keeps their order, because a call may begin on one thread and end on another.

    /// Shows the indicators: at once if the call begins on the main actor, so that code after `execute()` finds a flag set.
    func show() {
        guard !MainQueue.isCurrent else { return MainActor.assumeIsolated { show(screen) } }
        DispatchQueue.main.async { [self] in
            MainActor.assumeIsolated { show(screen) }
        }
    }

    @MainActor
    private func show(_ screen: Screen) {
        screen.hiding += indicators.map { $0.show(client) }
    }

    func hide(isCancelled: Bool) {
        DispatchQueue.main.async { [screen] in
            MainActor.assumeIsolated {
                let hiding = screen.hiding
                screen.hiding = []
                for hide in hiding { hide(isCancelled) }
            }
        }
    }
}

/// Tells whether code runs on the main queue, which is the executor of the main actor.
private enum MainQueue {
    private static let key: DispatchSpecificKey<Void> = {
        let key = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: key, value: ())
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) != nil }
}

/// An indicator of one call that is shown after a delay and for a shortest time, by the clock of the client.
@MainActor
private final class TimedIndicator {
    private enum Phase {
        case waiting
        case shown(since: Duration, hide: LoadingIndicator.Hide)
        case over
    }

    private let indicator: LoadingIndicator
    private let client: Client
    private let shortest: Duration
    private var phase = Phase.waiting
    private var timer: ScheduledAction?

    init(_ indicator: LoadingIndicator, of client: Client, atLeast shortest: Duration) {
        (self.indicator, self.client, self.shortest) = (indicator, client, shortest)
    }

    func begin(after delay: Duration) {
        guard delay > .zero else { return show() }
        timer = client.clock.schedule(after: delay) {
            DispatchQueue.main.async { MainActor.assumeIsolated { self.show() } }
        }
    }

    /// Shows the indicator, unless its call has ended while the main queue was busy.
    private func show() {
        guard case .waiting = phase else { return }
        timer = nil
        phase = .shown(since: client.clock.now, hide: indicator.show(client))
    }

    func end(isCancelled: Bool) {
        timer?.cancel()
        timer = nil
        guard case .shown(let start, let hide) = phase else { return phase = .over }
        phase = .over
        let rest = start + shortest - client.clock.now
        guard rest > .zero, !isCancelled, !client.hasShutDown else { return hide(isCancelled) }
        LastingIndicators.of(client).hide(after: rest, by: client.clock) { hide(false) }
    }
}

/// The indicators of a client's ended calls that are shown a little longer.
@MainActor
final class LastingIndicators {
    private var hiding: [Int: (timer: Task<Void, Never>, hide: @MainActor () -> Void)] = [:]
    private var lastKey = 0

    nonisolated init() {}

    nonisolated static func of(_ client: Client) -> LastingIndicators { client.companion { LastingIndicators() } }

    /// Hides an indicator after a time, or when the client is shut down.
    func hide(after time: Duration, by clock: any TimerClock, _ hide: @escaping @MainActor () -> Void) {
        lastKey += 1
        let key = lastKey
        // A task that waits, because a test's clock advances for it by itself.
        let timer = Task {
            try? await clock.sleep(for: time)
            self.end(key)
        }
        hiding[key] = (timer, hide)
    }

    private func end(_ key: Int) {
        guard let (timer, hide) = hiding.removeValue(forKey: key) else { return }
        timer.cancel()
        hide()
    }

    /// Hides the indicators, on the main queue.
    nonisolated func hideAll() {
        DispatchQueue.main.async {
            MainActor.assumeIsolated {
                for key in self.hiding.keys.ordered(by: <) { self.end(key) }
            }
        }
    }
}
