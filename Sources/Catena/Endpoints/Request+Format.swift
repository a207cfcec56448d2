extension Request {
    /// Sends the request and awaits the value that a format creates from the response.
    ///
    /// ```swift
    /// let image = try await API.tag(.forum).get("/images/7").value(as: .data)
    /// ```
    ///
    /// The caller continues on its own actor, such as the main actor.
    ///
    /// - Parameter format: `.data` for the whole body, `.text` for the body as text, `.none` if only success matters, or a format of your own.
    /// - Throws: An ``APIError`` if the call fails, or a `CancellationError` if the task is cancelled, which cancels the call.
    @discardableResult
    public func value<Value>(as format: ResponseFormat<Value>) async throws -> Value {
        try await value(format.target)
    }

    /// Sends the request and returns a promise of the value that a format creates from the response. Cancelling the promise cancels the call.
    ///
    /// - Parameters:
    ///   - format: `.data` for the whole body, `.text` for the body as text, `.none` if only success matters, or a format of your own.
    ///   - file: The file of the call, for diagnostics.
    ///   - line: The line of the call, for diagnostics.
    /// - Returns: The promise. It may be ignored, because Catena reports an unhandled error.
    @discardableResult
    public func execute<Value>(
        as format: ResponseFormat<Value>,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Value> {
        promise(format.target, file, line)
    }
}
