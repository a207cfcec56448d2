public import CatenaPlatform

extension Request {
    /// Sends the request and returns a promise of the result that a ``CallResult`` names.
    ///
    /// ```swift
    /// API.tag(.forum).delete("/rooms/7").execute(.void)
    /// ```
    ///
    /// `try await` before it waits for nothing. The word that waits is ``void()``, ``data()``, ``string()``, ``response(as:)`` or
    /// ``download(to:ifExists:sha256:resumes:limit:)``.
    ///
    /// - Returns: The promise. It may be ignored; an error that nothing handles is reported with the file and the line of this call.
    @discardableResult
    public func execute<Value>(_ result: CallResult<Value>, file: StaticString = #fileID, line: UInt = #line) -> Promise<Value> {
        result.promise(self, file, line)
    }

    // MARK: Awaited

    /// Sends the request and awaits the decoded payload together with status, headers, code and message.
    ///
    /// ```swift
    /// let response = try await API.tag(.forum).get("/rooms").response(as: [Room].self)
    /// print(response.status, response.payload.count)
    /// ```
    ///
    /// - Throws: An ``APIError`` if the call fails, a `CancellationError` if the task is cancelled, which stops the call.
    @discardableResult
    public func response<Value: Decodable & Sendable>(as type: Value.Type) async throws -> Response<Value> {
        try await execute(.response(as: type)).value
    }

    /// Sends the request and awaits the whole body.
    ///
    /// The body may be empty and of any type. An HTTP status or an envelope that says that the call failed is thrown as an ``APIError``.
    @discardableResult
    public func data() async throws -> Data {
        try await value(.data)
    }

    /// Sends the request and awaits the whole body as text.
    ///
    /// The charset is that which the response or ``Profile/charset`` names, else UTF-8.
    @discardableResult
    public func string() async throws -> String {
        try await value(.string)
    }

    /// Sends the request and awaits its success, whatever its payload is.
    ///
    /// - Throws: An ``APIError`` if the call fails, a `CancellationError` if the task is cancelled, which stops the call.
    public func void() async throws {
        try await value(.void)
    }
}

// Terminals for calls without a value. `Void` is not `Decodable`, so without these declarations compiler errors would mention `JSON` and
// `Decodable`.
extension Request {
    /// Unavailable. For calls without a value, use ``execute(_:file:line:)`` with `.void`.
    @available(*, unavailable, message: "where no value is wanted, write execute(.void)")
    @_disfavoredOverload
    public func execute(file: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
        execute(.void, file: file, line: line)
    }

    /// Unavailable. For calls without a value, use ``execute(_:file:line:)`` with `.void`.
    @available(*, unavailable, message: "where no value is wanted, write execute(.void)")
    public func execute(as type: Void.Type, file: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
        execute(.void, file: file, line: line)
    }

    /// Not there: where no value is wanted, await ``void()``.
    @available(*, unavailable, message: "where no value is wanted, await void()")
    @_disfavoredOverload
    public func value() async throws {
        try await void()
    }

    /// Not there: where no value is wanted, await ``void()``.
    @available(*, unavailable, message: "where no value is wanted, await void()")
    public func value(as type: Void.Type) async throws {
        try await void()
    }
}

// The compiler selects these where a promise is wanted, because only the awaited words of these names are available.
extension RequestSteps {
    /// Explains the error of an awaited word in a chain.
    @available(*, unavailable, message: "void() is awaited; a promise is execute(.void)")
    @discardableResult
    public func void(file: StaticString = #fileID, line: UInt = #line) -> Promise<Void> { request.execute(.void) }

    /// Explains the error of an awaited word in a chain.
    @available(*, unavailable, message: "data() is awaited; a promise is execute(.data)")
    @discardableResult
    public func data(file: StaticString = #fileID, line: UInt = #line) -> Promise<Data> { request.execute(.data) }

    /// Explains the error of an awaited word in a chain.
    @available(*, unavailable, message: "string() is awaited; a promise is execute(.string)")
    @discardableResult
    public func string(file: StaticString = #fileID, line: UInt = #line) -> Promise<String> { request.execute(.string) }

    /// Explains the error of an awaited word in a chain.
    @available(*, unavailable, message: "response(as:) is awaited; a promise is execute(.response(as:))")
    @discardableResult
    public func response<Value: Decodable & Sendable>(
        as type: Value.Type, file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<Response<Value>> { request.execute(.response(as: type)) }
}
