extension API {
    /// The calls under way, the oldest first. See ``Client/tasks()``.
    public static func tasks() -> [CallTask] { Client.current.tasks() }

    /// The calls under way with an id; `nil` finds none.
    public static func tasks(id: String?) -> [CallTask] { Client.current.tasks(id: id) }

    /// The calls under way of a named group; `nil` finds none.
    public static func tasks(group: String?) -> [CallTask] { Client.current.tasks(group: group) }

    /// The calls under way with a tag; `nil` finds none.
    public static func tasks(tag: Tag?) -> [CallTask] { Client.current.tasks(tag: tag) }

    /// Cancels all calls under way. Later ones are not affected.
    public static func cancelAll() { Client.current.cancelAll() }

    /// Cancels the calls under way with an id; `nil` cancels none.
    public static func cancel(id: String?) { Client.current.cancel(id: id) }

    /// Cancels the calls under way of a named group; `nil` cancels none.
    public static func cancel(group: String?) { Client.current.cancel(group: group) }

    /// Cancels the calls under way with a tag; `nil` cancels none.
    public static func cancel(tag: Tag?) { Client.current.cancel(tag: tag) }

    /// Holds up the calls under way with an id. See ``Client/suspend(id:)``.
    public static func suspend(id: String?) { Client.current.suspend(id: id) }

    /// Lets the calls under way with an id go on.
    public static func resume(id: String?) { Client.current.resume(id: id) }

    /// Holds up the calls under way of a named group. See ``Client/suspend(group:)``.
    public static func suspend(group: String?) { Client.current.suspend(group: group) }

    /// Lets the calls under way of a named group go on.
    public static func resume(group: String?) { Client.current.resume(group: group) }

    /// Who shows the messages of calls under way. See ``Client/activityPresenter``.
    @MainActor public static var activityPresenter: (any ActivityPresenter)? {
        get { Client.current.activityPresenter }
        set { Client.current.activityPresenter = newValue }
    }
}
