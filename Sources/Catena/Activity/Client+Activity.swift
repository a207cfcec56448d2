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
