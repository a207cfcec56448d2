extension Request {
    /// Sends the request and awaits what a format makes of the response.
    ///
    /// ```swift
    /// let image = try await API.tag(.forum).get("/images/7").value(as: .data)
    /// ```
    ///
    /// The code after it goes on where the caller runs: on the main actor for a function of the main actor.
    ///
    /// - Parameter format: `.data` for the whole body, `.text` for the body as text, `.none` where only success matters, or one of your own.
    /// - Throws: An ``APIError`` if the call fails, a `CancellationError` if the task is cancelled, which stops the call.
    @discardableResult
    public func value<Value>(as format: ResponseFormat<Value>) async throws -> Value {
        try await value(format.target)
    }

    /// Sends the request and returns a promise of what a format makes of the response. Cancelling the promise stops the call.
    ///
    /// - Parameters:
    ///   - format: `.data` for the whole body, `.text` for the body as text, `.none` where only success matters, or one of your own.
    ///   - file: The file of the call, for diagnostics.
    ///   - line: The line of the call, for diagnostics.
    /// - Returns: The promise. It may be ignored; an error that nothing handles is reported.
    @discardableResult
    public func execute<Value>(
        as format: ResponseFormat<Value>,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Value> {
        promise(format.target, file, line)
    }
}
