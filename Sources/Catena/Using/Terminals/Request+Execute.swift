public import CatenaPlatform

extension Request {
    // MARK: As a promise

    /// Sends the request and returns a promise of the payload as a dynamic value.
    ///
    /// ```swift
    /// API.tag(.forum).get("/users").execute().then { ret in print(ret[0].name.string ?? "") }
    /// ```
    ///
    /// The promise is rejected with an ``APIError`` if the call fails. Cancelling it stops the call.
    @discardableResult
    public func execute(file: StaticString = #fileID, line: UInt = #line) -> Promise<JSON> {
        promise(.json, file, line)
    }

    /// Sends the request and returns a promise of the payload, decoded as the type that the context asks for.
    ///
    /// ```swift
    /// func users() -> Promise<[User]> { API.tag(.forum).get("/users").execute() }
    /// ```
    ///
    /// If the context asks for no type, the payload is a ``JSON``. The promise is rejected with an ``APIError`` if the call fails.
    /// Cancelling it stops the call.
    @_disfavoredOverload
    @discardableResult
    public func execute<Value: Decodable & Sendable>(file: StaticString = #fileID, line: UInt = #line) -> Promise<Value> {
        promise(.decodable(Value.self), file, line)
    }

    /// Sends the request and returns a promise of the decoded payload.
    ///
    /// ```swift
    /// API.tag(.forum).get("/users").execute(as: [User].self)
    ///     .then { users in self.show(users) }
    ///     .catch { error in self.alert(error.localizedDescription) }
    /// ```
    ///
    /// The promise is rejected with an ``APIError`` if the call fails. If the payload cannot be decoded, the error names the type, the key path
    /// and the first bytes. Cancelling the promise stops the call.
    ///
    /// - Parameters:
    ///   - type: The type of the payload.
    ///   - file: The file of the call, for diagnostics.
    ///   - line: The line of the call, for diagnostics.
    /// - Returns: The promise. It may be ignored; an error that nothing handles is reported.
    @discardableResult
    public func execute<Value: Decodable & Sendable>(
        as type: Value.Type,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Value> {
        promise(.decodable(type), file, line)
    }

    // MARK: Awaited

    /// Sends the request and awaits the payload as a dynamic value.
    ///
    /// - Throws: An ``APIError`` if the call fails, a `CancellationError` if the task is cancelled, which stops the call.
    @discardableResult
    public func value() async throws -> JSON {
        try await value(.json)
    }

    /// Sends the request and awaits the payload, decoded as the type that the context asks for.
    ///
    /// ```swift
    /// let rooms: [Room] = try await API.tag(.forum).get("/rooms").value()
    /// ```
    ///
    /// - Throws: An ``APIError`` if the call fails, a `CancellationError` if the task is cancelled, which stops the call.
    @_disfavoredOverload
    @discardableResult
    public func value<Value: Decodable & Sendable>() async throws -> Value {
        try await value(.decodable(Value.self))
    }

    /// Sends the request and awaits the decoded payload.
    ///
    /// ```swift
    /// let users = try await API.tag(.forum).get("/users").value(as: [User].self)
    /// ```
    ///
    /// Execution continues where the caller runs: on the main actor for a function of the main actor.
    ///
    /// - Parameter type: The type of the payload.
    /// - Throws: An ``APIError`` if the call fails, a `CancellationError` if the task is cancelled, which stops the call.
    @discardableResult
    public func value<Value: Decodable & Sendable>(as type: Value.Type) async throws -> Value {
        try await value(.decodable(type))
    }

    // MARK: Looking without sending

    /// Returns the request as it would be sent now, with the common params and headers, the credential and the signature.
    ///
    /// Nothing is sent, and no credential is refreshed.
    ///
    /// - Throws: The ``APIError`` with which executing the request would fail.
    public func preview() async throws -> HTTPRequest {
        let run = CallRun(self)
        do {
            return try await run.withRedaction { try await run.preview() }
        } catch {
            throw run.leaving(error)
        }
    }

    /// Returns a command for a POSIX shell that sends the request with curl; secrets are left out.
    ///
    /// - Parameter showingSecrets: Whether secrets are shown, so that the command works as it stands. Not for logs.
    /// - Throws: The ``APIError`` with which executing the request would fail.
    public func curl(showingSecrets: Bool = false) async throws -> String {
        let request = try await preview()
        return CurlCommand(redaction: showingSecrets ? nil : request.redaction ?? .standard).text(request)
    }

    /// Returns the stages that the request would pass, one in each line, with their settings. Nothing is sent, and no closure is called.
    public func explain() -> String {
        CallRun(self).explanation
    }
}

extension Request {
    func promise<Value: Sendable>(_ target: ResultDecoder<Value>, _ file: StaticString, _ line: UInt) -> Promise<Value> {
        CallRun(asking(for: target)).promise(of: target, file, line)
    }

    /// Sends the request for a task that awaits the value.
    // Inlined with what it calls, because each async function costs a frame and two changes of the executor.
    @inline(__always)
    func value<Value: Sendable>(_ target: ResultDecoder<Value>) async throws -> Value {
        do {
            return try await awaited(target)
        } catch {
            throw (error as? any ErrorCarrier)?.thrown ?? error
        }
    }

    /// Sends the request for a task that awaits the value. A backend's own error stays wrapped in its ``APIError``.
    func result<Value: Sendable>(_ target: ResultDecoder<Value>) async -> Result<Value, any Error> {
        do {
            return .success(try await awaited(target))
        } catch {
            return .failure(error)
        }
    }

    @inline(__always)
    private func awaited<Value: Sendable>(_ target: ResultDecoder<Value>) async throws -> Value {
        let run = CallRun(asking(for: target))
        return try await Pipeline.value(target, of: run)
    }
}

// MARK: Families of responses

extension Request {
    /// Sends the request and returns a promise of the value that a ``ResponseFamily`` creates from the response.
    @discardableResult
    public func execute<Value: ResponseFamily>(
        as type: Value.Type,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Value> {
        promise(.family(type), file, line)
    }

    /// Sends the request and returns a promise of the decoded payload, or of the error that its ``ResponseFamily`` finds in the response.
    @discardableResult
    public func execute<Value: ResponseFamily & Decodable>(
        as type: Value.Type,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Value> {
        promise(.decodable(type), file, line)
    }

    /// Sends the request and awaits the value that a ``ResponseFamily`` creates from the response.
    @discardableResult
    public func value<Value: ResponseFamily>(as type: Value.Type) async throws -> Value {
        try await value(.family(type))
    }

    /// Sends the request and awaits the decoded payload, or throws the error that its ``ResponseFamily`` finds in the response.
    @discardableResult
    public func value<Value: ResponseFamily & Decodable>(as type: Value.Type) async throws -> Value {
        try await value(.decodable(type))
    }
}

extension Request {
    /// Returns a copy that recognizes the errors of the target's response family, if it has one.
    func asking<Value>(for target: ResultDecoder<Value>) -> Request {
        guard let family = target.family else { return self }
        var request = self
        if request.options[\.errorFinder] == nil {
            request.options[\.errorFinder] = CallErrorFinder(of: family)
        } else {
            request.options[\.errorFinder]?.prepend(family)
        }
        return request
    }
}

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

    /// Returns the cached value at once, and then the value that the server sends.
    ///
    /// ```swift
    /// for try await users in API.tag(.forum).get("/users").values(of: [User].self) { self.show(users) }
    /// ```
    ///
    /// The cached value may be of any age, and is that of the signed-in user. The server is asked in any case. Its value is left out if the body
    /// has not changed. Without a ``Profile/cache``, the sequence has the server's value alone.
    ///
    /// If the server fails after a cached value, the sequence ends without throwing. Observers, error handlers and a diagnostic of kind
    /// ``DiagnosticEvent/Kind/unrefreshedValue`` report the failure. Without a cached value, the sequence throws it.
    ///
    /// Each loop is one call, which is active from the first value to the last. Leaving the loop stops it. If a call with
    /// ``CallOptions/invalidates`` has changed the value meanwhile, the loop asks the server again before it ends;
    /// ``CachedValues/watching()`` also waits for later changes.
    ///
    /// - Parameter type: The type of the payload.
    public func values<Value: Decodable & Sendable>(of type: Value.Type) -> CachedValues<Value> {
        CachedValues(request: self, target: .decodable(type))
    }

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
