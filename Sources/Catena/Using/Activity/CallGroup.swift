/// A group of calls that belongs to an object, whose end cancels them.
///
/// ```swift
/// final class RoomScreen {
///     private let calls = CallGroup()
///
///     func load() {
///         API.tag(.forum).get("/rooms").group(calls).execute(as: [Room].self).then { [weak self] rooms in self?.show(rooms) }
///     }
/// }
/// ```
///
/// A closure that holds the object strongly keeps it, and with it the group, until the call has ended. Neither requests nor calls retain the group. A request whose group has been freed is cancelled when it is executed, and never sent.
public final class CallGroup: Sendable {
    let calls = CallRegistry()

    /// Creates a group without calls.
    public init() {}

    deinit {
        for task in calls.close() { task.cancel() }
    }

    /// The active calls of the group, the oldest first.
    public var tasks: [CallTask] { calls.calls(.all) }

    /// Cancels the active calls. Later calls are not affected.
    public func cancel() { CallTask.cancel(tasks) }

    /// Suspends the active calls, as ``TransferControl`` does.
    public func suspend() {
        for task in tasks { task.suspend() }
    }

    /// Resumes the active calls.
    public func resume() {
        for task in tasks { task.resume() }
    }
}
