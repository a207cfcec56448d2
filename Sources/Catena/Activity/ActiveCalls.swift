extension Client {
    /// The calls under way, the oldest first: from the moment in which they are executed until they have an outcome. Reading a stream is
    /// part of the call.
    public func tasks() -> [CallTask] { calls.calls(.all) }

    /// The calls under way with an id; `nil` finds none.
    public func tasks(id: String?) -> [CallTask] { calls.calls(id.map { .id($0) }) }

    /// The calls under way of a named group; `nil` finds none.
    public func tasks(group: String?) -> [CallTask] { calls.calls(group.map { .group($0) }) }

    /// The calls under way with a tag; `nil` finds none.
    public func tasks(tag: Tag?) -> [CallTask] { calls.calls(tag.map { .tag($0) }) }

    /// Cancels all calls under way. Later ones are not affected.
    public func cancelAll() {
        for task in tasks() { task.cancel() }
    }

    /// Cancels the calls under way with an id; `nil` cancels none.
    public func cancel(id: String?) {
        for task in tasks(id: id) { task.cancel() }
    }

    /// Cancels the calls under way of a named group; `nil` cancels none.
    public func cancel(group: String?) {
        for task in tasks(group: group) { task.cancel() }
    }

    /// Cancels the calls under way with a tag; `nil` cancels none.
    public func cancel(tag: Tag?) {
        for task in tasks(tag: tag) { task.cancel() }
    }

    /// Holds up the calls under way with an id, as ``TransferControl`` does; `nil` holds up none.
    public func suspend(id: String?) {
        for task in tasks(id: id) { task.suspend() }
    }

    /// Lets the calls under way with an id go on; `nil` lets none.
    public func resume(id: String?) {
        for task in tasks(id: id) { task.resume() }
    }

    /// Holds up the calls under way of a named group, as ``TransferControl`` does; `nil` holds up none. Later ones are not affected.
    public func suspend(group: String?) {
        for task in tasks(group: group) { task.suspend() }
    }

    /// Lets the calls under way of a named group go on; `nil` lets none.
    public func resume(group: String?) {
        for task in tasks(group: group) { task.resume() }
    }
}

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

extension Request {
    /// Names the call, so that it can be found and stopped without its promise. Any number of calls can have the same name.
    ///
    /// ```swift
    /// API.cancel(id: "search")
    /// API.get("/search").id("search").params(["q": text]).execute(as: [Hit].self)
    /// ```
    ///
    /// - Parameter id: The name; `nil` takes it away again.
    public consuming func id(_ id: String?) -> Request {
        options.id = id
        return self
    }

    /// Names a group of calls, so that they can be found and stopped together.
    ///
    /// - Parameter group: The name; `nil` takes it away again.
    public consuming func group(_ group: String?) -> Request {
        options.group = group
        return self
    }

    /// Puts the call into a group that belongs to an object, and cancels it when the object goes. It can have a named group, too.
    public consuming func group(_ group: CallGroup) -> Request {
        lifetime = group.calls
        return self
    }
}
