/// An active call, which can be examined and cancelled without its promise.
///
/// ```swift
/// for task in API.calls.tasks(group: "room") where task.state == .running { task.cancel() }
/// ```
public final class CallTask: Sendable {
    /// The progress of a call.
    public enum State: Sendable, Hashable {
        /// The call is running.
        case running
        /// The call is suspended by ``ActiveCalls/suspend(id:)``, by its group or by a ``TransferControl``.
        case suspended
        /// The call was cancelled before it had a value or an error.
        case cancelled
        /// The call has a value or an error.
        case completed
    }

    private struct Course {
        /// The work to cancel, or `nil` before the call begins and after it has ended.
        var work: (any StoppableWork)?
        /// The work of which the calls with this handle are parts, such as a poll. It keeps the handle active between two parts.
        var whole: (any StoppableWork)?
        var end: State?
    }

    /// The id of the call, set with ``RequestSteps/id(_:replacing:)``.
    public let id: String?
    /// The named group of the call, set with ``RequestSteps/group(_:)-(String?)``.
    public let group: String?
    /// The tag of the call.
    public let tag: Tag?
    /// The number of the call, which a ``CallEvent`` has too. Later calls have higher numbers. A poll has the number of its first call.
    public let callID: UInt64
    /// The number by which calls with the same id are older or newer: that of the call, or of the loop that it is a part of.
    let age: UInt64
    /// Whether the call cancels the older calls with its id.
    let replaces: Bool
    /// The controls that can suspend the call.
    let controls: [TransferControl]
    /// The control of this call alone. Only calls that can be found have one: by id, by group or by the object that they belong to.
    private let control: TransferControl?
    private let registry: CallRegistry
    private let lifetime: CallRegistry?
    private let indicators: ShownIndicators?
    private let course = Mutex(Course())

    init(_ request: Request, _ configuration: Box<CallConfiguration>, callID: UInt64, client: Client) {
        id = configuration.value.id
        group = configuration.value.group
        tag = request.tag
        self.callID = callID
        let replacement = configuration.value.replacement
        age = replacement?.number ?? callID
        replaces = replacement != nil
        registry = client.registry
        let lifetime = request.lifetime
        self.lifetime = lifetime
        control = id == nil && group == nil && lifetime == nil ? nil : TransferControl()
        let ofCall = configuration.value.control
        controls = ofCall == nil && control == nil ? [] : [ofCall, control].compactMap { $0 }
        let indicators = request.indicators
        self.indicators = indicators.isEmpty ? nil : ShownIndicators(indicators, of: client)
    }

    /// The progress of the call.
    public var state: State {
        course.withLock { $0.end } ?? (isHeldUp ? .suspended : .running)
    }

    /// Whether any control suspends the call.
    var isHeldUp: Bool { controls.contains { $0.isSuspended } }

    var isCancelled: Bool { course.withLock { $0.end == .cancelled } }

    /// Cancels the call and its promise. Code that awaits the call or reads from it throws a `CancellationError`. A call that has ended
    /// does not change.
    public func cancel() { cancel(isReplaced: false) }

    /// Cancels calls, but for those whose errors the current task handles: they have failed, and keep their errors.
    static func cancel(_ tasks: [CallTask]) {
        let inHand = ClosureScope.callsInHand
        for task in tasks where !inHand.contains(task.callID) { task.cancel() }
    }

    /// - Parameter isReplaced: Whether a newer call takes its place, so that its indicators may outlast it.
    private func cancel(isReplaced: Bool) {
        let work = course.withLock { course -> (any StoppableWork)? in
            guard course.end == nil, let work = course.work else { return nil }
            course = Course(end: .cancelled)
            return work
        }
        guard let work else { return }
        leave(as: .cancelled, isReplaced: isReplaced)
        work.stop(with: CancellationError())
        // Calls may have joined this one, and nothing finds it any more to resume it.
        control?.resume()
    }

    func suspend() { control?.suspend() }

    func resume() { control?.resume() }

    /// Waits while any control suspends the call.
    func waitWhileSuspended() async throws {
        while let control = controls.first(where: \.isSuspended) { try await control.waitWhileSuspended() }
    }
}

// MARK: Beginning and ending

extension CallTask {
    /// Adds the call to the lists of active calls. A call of an object that no longer exists is cancelled instead.
    func begin(_ work: any StoppableWork) {
        let isFirst = course.withLock { course -> Bool? in
            guard course.end != .cancelled else { return nil }
            defer { (course.work, course.end) = (work, nil) }
            return course.end == nil && course.work == nil
        }
        guard let isFirst else { return work.stop(with: CancellationError()) }
        // Shown once for each run, because work that follows its end, such as a wait, shows no indicator.
        if isFirst { indicators?.show() }
        registry.add(self)
        // The call may have ended before it was in the list.
        if course.withLock({ $0.end != nil }) { registry.remove(self) }
        guard let lifetime else { return }
        // Another thread may have found the call in the first list and ended it before it was in the second one.
        if !lifetime.add(self) { cancel() } else if course.withLock({ $0.end != nil }) { lifetime.remove(self) }
    }

    /// Keeps the handle active from one call to the next, until `whole` ends or the handle is cancelled.
    func keep(for whole: any StoppableWork) {
        course.withLock { if $0.end == nil { $0.whole = whole } }
        begin(whole)
    }

    /// Replaces the work of the call. Throws if the call has been cancelled meanwhile.
    func proceed(with work: any StoppableWork) throws {
        let former = course.withLock { course -> (any StoppableWork)? in
            guard let former = course.work else { return nil }
            course.work = work
            return former
        }
        guard former != nil else { throw CancellationError() }
    }

    /// Continues with other work, also after the end of the work before. Returns `false` if the call has been cancelled.
    func take(_ work: any StoppableWork) -> Bool {
        if (try? proceed(with: work)) != nil { return true }
        guard !isCancelled else { return false }
        begin(work)
        return !isCancelled
    }

    /// Removes the call from the lists, unless it has ended or continues with other work. Returns whether it did so.
    @discardableResult
    func end(_ work: any StoppableWork, as end: State) -> Bool {
        let (former, isOver) = course.withLock { course -> ((any StoppableWork)?, Bool) in
            guard let current = course.work, current === work else { return (nil, false) }
            let rest = end == .completed && course.whole !== work ? course.whole : nil
            course = Course(work: rest, whole: rest, end: rest == nil ? end : nil)
            return (current, rest == nil)
        }
        guard former != nil else { return false }
        if isOver {
            leave(as: end)
            control?.resume()
        }
        return true
    }

    /// Cancels the older calls with the same id, or this call if a newer one has begun meanwhile. A call of a cancelled task spares the others.
    func replaceOlderCalls() {
        guard replaces else { return }
        let (older, isReplaced) = registry.replaced(by: self)
        if isReplaced { return cancel(isReplaced: true) }
        // Its task may have been cancelled for one of them, which is newer.
        guard !Task.isCancelled else { return }
        for call in older { call.cancel(isReplaced: true) }
    }

    private func leave(as end: State, isReplaced: Bool = false) {
        registry.remove(self)
        lifetime?.remove(self)
        indicators?.hide(isCancelled: end == .cancelled && !isReplaced)
    }
}
