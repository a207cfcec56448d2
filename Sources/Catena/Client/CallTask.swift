import Dispatch

/// An active call, which can be examined and cancelled without its promise.
///
/// ```swift
/// for task in API.calls.tasks(group: "room") where task.state == .running { task.cancel() }
/// ```
public final class CallTask: Sendable {
    /// How far a call is.
    public enum State: Sendable, Hashable {
        /// The call is running.
        case running
        /// Held up by ``ActiveCalls/suspend(id:)``, by its group or by a ``TransferControl``.
        case suspended
        /// The call was stopped before it had a value or an error.
        case cancelled
        /// It has a value or an error.
        case completed
    }

    private struct Course {
        /// What can be stopped; `nil` before the call begins and after it has ended.
        var work: (any CancellableWork)?
        var end: State?
    }

    /// What the call was given with ``RequestSteps/id(_:)``.
    public let id: String?
    /// What the call was given with ``RequestSteps/group(_:)-(String?)``.
    public let group: String?
    /// The tag of the call.
    public let tag: Tag?
    /// Tells calls apart, also in a ``CallEvent``. Later calls have higher numbers.
    public let callID: UInt64
    /// What may hold the call up.
    let controls: [TransferControl]
    /// The control that no other call has; only calls with an id or a group can be found for it.
    private let control: TransferControl?
    private let registry: CallRegistry
    private let lifetime: CallRegistry?
    private let indicators: ShownIndicators?
    private let course = Mutex(Course())

    init(_ request: Request, callID: UInt64, client: Client) {
        let hasOptions = request.hasOptions
        id = hasOptions ? request.options.id : nil
        group = hasOptions ? request.options.group : nil
        tag = request.tag
        self.callID = callID
        registry = client.registry
        let lifetime = request.lifetime
        self.lifetime = lifetime
        control = id == nil && group == nil && lifetime == nil ? nil : TransferControl()
        controls = hasOptions || control != nil ? [request.options.control, control].compactMap { $0 } : []
        let indicators = request.indicators
        self.indicators = indicators.isEmpty ? nil : ShownIndicators(indicators, of: client)
    }

    /// How far the call is.
    public var state: State {
        course.withLock { $0.end } ?? (isHeldUp ? .suspended : .running)
    }

    /// Whether anybody holds the call up.
    var isHeldUp: Bool { controls.contains { $0.isSuspended } }

    var isCancelled: Bool { course.withLock { $0.end == .cancelled } }

    /// Stops the call: its promise is cancelled, and who awaits it or reads from it gets a `CancellationError`. What has ended stays as
    /// it is.
    public func cancel() {
        let work = course.withLock { course -> (any CancellableWork)? in
            guard course.end == nil, let work = course.work else { return nil }
            course = Course(work: nil, end: .cancelled)
            return work
        }
        guard let work else { return }
        leave()
        work.cancel()
    }

    func suspend() { control?.suspend() }

    func resume() { control?.resume() }

    /// Waits while anybody holds the call up.
    func waitWhileSuspended() async throws {
        while let control = controls.first(where: \.isSuspended) { try await control.waitWhileSuspended() }
    }
}

// MARK: Beginning and ending

extension CallTask {
    /// Enters the call in the lists of those under way. One that belongs to an object that is gone is cancelled instead.
    func begin(_ work: any CancellableWork) {
        let isFirst = course.withLock { course -> Bool? in
            guard course.end != .cancelled else { return nil }
            defer { course = Course(work: work, end: nil) }
            return course.end == nil
        }
        guard let isFirst else { return work.cancel() }
        // A run is shown once; what is still done for it when it has ended, such as a wait, is not.
        if isFirst { indicators?.show() }
        registry.add(self)
        // It may have ended before it was in the list.
        if course.withLock({ $0.end != nil }) { registry.remove(self) }
        guard let lifetime else { return }
        // Found in the first list it may have ended before it came to the second one.
        if !lifetime.add(self) { cancel() } else if course.withLock({ $0.end != nil }) { lifetime.remove(self) }
    }

    /// Goes on with other work; throws if the call has been cancelled meanwhile.
    func proceed(with work: any CancellableWork) throws {
        let former = course.withLock { course -> (any CancellableWork)? in
            guard let former = course.work else { return nil }
            course.work = work
            return former
        }
        guard former != nil else { throw CancellationError() }
    }

    /// Strikes the call off the lists, unless it has ended or goes on with other work; says whether it did.
    @discardableResult
    func end(_ work: any CancellableWork, as end: State) -> Bool {
        let former = course.withLock { course -> (any CancellableWork)? in
            guard let current = course.work, current === work else { return nil }
            course = Course(work: nil, end: end)
            return current
        }
        if former != nil { leave() }
        return former != nil
    }

    private func leave() {
        registry.remove(self)
        lifetime?.remove(self)
        indicators?.hide()
    }
}

/// Work under way that can be stopped from outside.
protocol CancellableWork: AnyObject, Sendable {
    func cancel()
}

extension PromiseCore: CancellableWork {}

extension TransferStopper: CancellableWork {
    func cancel() { interrupt(with: CancellationError()) }
}

extension BodyPipe: CancellableWork {
    func cancel() { stop(with: CancellationError()) }
}

/// Something that shows that a call is under way.
struct LoadingIndicator: Sendable {
    /// Shows it; gives what hides it again, to be called once.
    let show: @MainActor @Sendable (Client) -> (@MainActor () -> Void)
}

/// The indicators of one call. Each showing is followed by one hiding.
final class ShownIndicators: Sendable {
    @MainActor private final class Screen {
        var hiding: [@MainActor () -> Void] = []
        nonisolated init() {}
    }

    private let indicators: [LoadingIndicator]
    private let client: Client
    private let screen = Screen()

    init(_ indicators: [LoadingIndicator], of client: Client) {
        self.client = client
        self.indicators = indicators
    }

    // Both always take the same way, the main queue, where nothing overtakes: a call may begin on one thread and end on another.

    func show() {
        DispatchQueue.main.async { [indicators, client, screen] in
            MainActor.assumeIsolated { screen.hiding += indicators.map { $0.show(client) } }
        }
    }

    func hide() {
        DispatchQueue.main.async { [screen] in
            MainActor.assumeIsolated {
                let hiding = screen.hiding
                screen.hiding = []
                for hide in hiding { hide() }
            }
        }
    }
}
