extension Request {
    /// Sends the request and awaits the value that a format creates from the response.
    ///
    /// ```swift
    /// let feed = try await API.tag(.forum).get("/feed.xml").value(format: ResponseFormat { reading in try RSS(reading.response.body) })
    /// ```
    ///
    /// The caller continues on its own actor, such as the main actor.
    ///
    /// - Parameter format: The format, such as that of an ``Endpoint``.
    /// - Throws: An ``APIError`` if the call fails, or a `CancellationError` if the task is cancelled, which cancels the call.
    @discardableResult
    public func value<Value>(format: ResponseFormat<Value>) async throws -> Value {
        try await value(format.target)
    }
}

extension CallResult {
    /// The value that a format creates from the response: `execute(.format(feed))`.
    public static func format(_ format: ResponseFormat<Value>) -> CallResult {
        CallResult { request, file, line in request.promise(format.target, file, line) }
    }
}
