/// The active calls of a client. Finds, cancels, suspends and resumes them.
///
/// ```swift
/// API.calls.cancel(group: "room")
/// for task in API.calls.tasks(tag: .forum) { print(task.state) }
/// ```
///
/// A call is active from its execution until it has an outcome. Reading a stream is part of the call.
public struct ActiveCalls: Sendable {
    /// The client, or `nil` for the current one.
    let owner: Client?

    private var client: Client { (owner ?? .shared).active }

    // MARK: Finding

    /// The active calls, the oldest first.
    public func tasks() -> [CallTask] { client.registry.calls(.all) }

    /// The active calls with an id; `nil` finds none.
    public func tasks(id: String?) -> [CallTask] { client.registry.calls(id.map { .id($0) }) }

    /// The active calls of a named group; `nil` finds none.
    public func tasks(group: String?) -> [CallTask] { client.registry.calls(group.map { .group($0) }) }

    /// The active calls with a tag; `nil` finds none.
    public func tasks(tag: Tag?) -> [CallTask] { client.registry.calls(tag.map { .tag($0) }) }

    // MARK: Cancelling

    /// Cancels all active calls. Later calls are not affected.
    ///
    /// In an error handler, this and the other methods that cancel calls spare the call whose error it handles. That call has failed, and its code
    /// receives the error.
    public func cancelAll() { CallTask.cancel(tasks()) }

    /// Cancels the active calls with an id; `nil` cancels none.
    public func cancel(id: String?) { CallTask.cancel(tasks(id: id)) }

    /// Cancels the active calls of a named group; `nil` cancels none.
    public func cancel(group: String?) { CallTask.cancel(tasks(group: group)) }

    /// Cancels the active calls with a tag; `nil` cancels none.
    public func cancel(tag: Tag?) { CallTask.cancel(tasks(tag: tag)) }

    // MARK: Suspending

    /// Suspends the active calls with an id, as ``TransferControl`` does; `nil` suspends none. Later calls are not affected.
    public func suspend(id: String?) {
        for task in tasks(id: id) { task.suspend() }
    }

    /// Resumes the active calls with an id; `nil` resumes none.
    public func resume(id: String?) {
        for task in tasks(id: id) { task.resume() }
    }

    /// Suspends the active calls of a named group, as ``TransferControl`` does; `nil` suspends none. Later calls are not affected.
    public func suspend(group: String?) {
        for task in tasks(group: group) { task.suspend() }
    }

    /// Resumes the active calls of a named group; `nil` resumes none.
    public func resume(group: String?) {
        for task in tasks(group: group) { task.resume() }
    }

    // MARK: Showing

    /// The presenter that shows the messages of ``RequestSteps/loading(message:modal:priority:after:atLeast:)``, or `nil` to show none. It is retained.
    ///
    /// A new presenter receives the current message at once, if there is one, and the former presenter receives `nil`.
    @MainActor public var presenter: (any ActivityPresenter)? {
        get { client.messages.presenter }
        nonmutating set { client.messages.presenter = newValue }
    }
}

extension API {
    /// The active calls. See ``ActiveCalls``.
    public static var calls: ActiveCalls { ActiveCalls(owner: nil) }
}

extension RequestSteps {
    /// Sets an id by which the call can be found and cancelled without its promise. Any number of calls can have the same id.
    ///
    /// ```swift
    /// API.get("/search").params(["q": text]).id("search", replacing: true).execute(as: [Hit].self)
    /// API.calls.cancel(id: "search")
    /// ```
    ///
    /// - Parameters:
    ///   - id: The id; `nil` removes it.
    ///   - replacing: Whether the call cancels the older calls of its client with this id when it begins, unless it begins in a task that is
    ///     cancelled. The calls of a loop are as old as the loop.
    public consuming func id(_ id: String?, replacing: Bool = false) -> Self {
        request.options[\.id] = id
        request.options[\.replacement] = replacing && id != nil ? Replacement() : nil
        return self
    }

    /// Sets the name of a group whose calls can be found and cancelled together.
    ///
    /// - Parameter group: The name; `nil` removes it.
    public consuming func group(_ group: String?) -> Self {
        request.options[\.group] = group
        return self
    }

    /// Adds the call to the group of an object, and cancels it when the object is deallocated. The call can also be in a named group.
    public consuming func group(_ group: CallGroup) -> Self {
        request.lifetime = group.calls
        return self
    }
}
