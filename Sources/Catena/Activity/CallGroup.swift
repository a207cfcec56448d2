/// Calls that belong to an object and are cancelled when it is freed.
///
/// ```swift
/// final class RoomScreen {
///     private let calls = CallGroup()
///
///     func load() {
///         API.tag(.forum).get("/rooms").group(calls).execute(as: [Room].self).then { rooms in show(rooms) }
///     }
/// }
/// ```
///
/// Neither requests nor calls keep the group alive. A request of a group that is gone is cancelled as soon as it is executed, and never
/// sent.
public final class CallGroup: Sendable {
    let calls = CallRegistry()

    /// Makes a group without calls.
    public init() {}

    deinit {
        for task in calls.close() { task.cancel() }
    }

    /// The active calls of the group, the oldest first.
    public var tasks: [CallTask] { calls.calls(.all) }

    /// Cancels the active calls. Later ones are not affected.
    public func cancel() {
        for task in tasks { task.cancel() }
    }

    /// Holds up the active calls, as ``TransferControl`` does.
    public func suspend() {
        for task in tasks { task.suspend() }
    }

    /// Lets them go on.
    public func resume() {
        for task in tasks { task.resume() }
    }
}
