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
        options.lifetime = group.calls
        return self
    }
}
