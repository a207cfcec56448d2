public import Foundation

// The words that are promised in a chain and awaited with `await`, each by one name.
extension Request {
    // MARK: As a promise

    /// Sends the request and returns a promise of the decoded payload together with status, headers, code and message.
    @discardableResult
    public func response<Value: Decodable & Sendable>(
        as type: Value.Type,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Response<Value>> {
        let target = ResultDecoder<Value>.decodable(type)
        let run = CallRun(asking(for: target))
        return run.promise(file, line) {
            try await Pipeline.run(run, until: KnownResponseMode(whole: WholeBodyMode(target: target)))
        }
    }

    /// Sends the request and returns a promise of the whole body.
    ///
    /// The body may be empty and of any type. The promise is rejected if the HTTP status or the envelope says that the call failed.
    @discardableResult
    public func data(file: StaticString = #fileID, line: UInt = #line) -> Promise<Data> {
        promise(.data, file, line)
    }

    /// Sends the request and returns a promise of the whole body as text.
    ///
    /// The charset is that which the response or ``Profile/charset`` names, else UTF-8.
    @discardableResult
    public func string(file: StaticString = #fileID, line: UInt = #line) -> Promise<String> {
        promise(.string, file, line)
    }

    /// Sends the request and returns a promise that is fulfilled if the call succeeds, whatever its payload is.
    @discardableResult
    public func void(file: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
        promise(.void, file, line)
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
        let promise: Promise<Response<Value>> = response(as: type)
        return try await promise.value
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
    /// Unavailable. For calls without a value, use ``void(file:line:)``.
    @available(*, unavailable, message: "where no value is wanted, call void()")
    @_disfavoredOverload
    public func execute(file: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
        void(file: file, line: line)
    }

    /// Unavailable. For calls without a value, use ``void(file:line:)``.
    @available(*, unavailable, message: "where no value is wanted, call void()")
    public func execute(as type: Void.Type, file: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
        void(file: file, line: line)
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
