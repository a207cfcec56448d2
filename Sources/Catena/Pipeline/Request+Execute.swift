public import Foundation

extension Request {
    // MARK: As a promise

    /// Sends the request and promises the payload as a dynamic value.
    ///
    /// Cancelling the promise stops the call.
    @discardableResult
    public func execute(file: StaticString = #fileID, line: UInt = #line) -> Promise<JSON> {
        promise(.json, file, line)
    }

    /// Sends the request and promises the payload, decoded as the type that is asked for around it.
    ///
    /// ```swift
    /// func users() -> Promise<[User]> { API.tag(.forum).get("/users").execute() }
    /// ```
    ///
    /// Where nothing around it says a type, the payload is a ``JSON``.
    @_disfavoredOverload
    @discardableResult
    public func execute<Value: Decodable & Sendable>(file: StaticString = #fileID, line: UInt = #line) -> Promise<Value> {
        promise(.decodable(Value.self), file, line)
    }

    /// Sends the request and promises the payload, decoded.
    ///
    /// The promise is rejected with an ``APIError`` if anything goes wrong; the error of a value that cannot be decoded says which
    /// type, where and how the payload begins. Cancelling the promise stops the call.
    @discardableResult
    public func execute<Value: Decodable & Sendable>(
        as type: Value.Type,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Value> {
        promise(.decodable(type), file, line)
    }

    /// Sends the request and promises the decoded payload together with status, headers, code and message.
    @discardableResult
    public func response<Value: Decodable & Sendable>(
        as type: Value.Type,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Response<Value>> {
        let target = ResultDecoder<Value>.decodable(type)
        let execution = Execution(asking(for: target))
        return execution.promise(file, line) { try await execution.run(target) }
    }

    /// Sends the request and promises the whole body, whatever it is. A backend that says that the call failed rejects the promise.
    @discardableResult
    public func data(file: StaticString = #fileID, line: UInt = #line) -> Promise<Data> {
        promise(.data, file, line)
    }

    /// Sends the request and promises the whole body as text.
    @discardableResult
    public func string(file: StaticString = #fileID, line: UInt = #line) -> Promise<String> {
        promise(.string, file, line)
    }

    /// Sends the request and promises only that it succeeded.
    @discardableResult
    public func void(file: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
        promise(.void, file, line)
    }

    // MARK: Awaited

    /// Sends the request and awaits the payload as a dynamic value. Cancelling the task stops the call.
    @discardableResult
    public func value() async throws -> JSON {
        try await value(.json)
    }

    /// Sends the request and awaits the payload, decoded as the type that is asked for around it. Cancelling the task stops the call.
    ///
    /// ```swift
    /// let rooms: [Room] = try await API.tag(.forum).get("/rooms").value()
    /// ```
    @_disfavoredOverload
    @discardableResult
    public func value<Value: Decodable & Sendable>() async throws -> Value {
        try await value(.decodable(Value.self))
    }

    /// Sends the request and awaits the payload, decoded. Cancelling the task stops the call.
    ///
    /// Throws an ``APIError``, or a `CancellationError` if the task is cancelled.
    @discardableResult
    public func value<Value: Decodable & Sendable>(as type: Value.Type) async throws -> Value {
        try await value(.decodable(type))
    }

    // MARK: Looking without sending

    /// The request as it would go out now, with the common params and headers that the closures give, signed in and signed. Nothing is
    /// sent, and no credential is refreshed.
    ///
    /// Throws the ``APIError`` with which executing it would fail.
    public func preview() async throws -> HTTPRequest {
        let execution = Execution(self)
        do {
            return try await execution.withRedaction { try await execution.preview() }
        } catch {
            throw execution.leaving(error)
        }
    }

    /// The request as a command for a POSIX shell that sends it with curl; secrets are left out.
    ///
    /// - Parameter showingSecrets: Whether secrets are shown, so that the command works as it stands. Not for logs.
    /// - Throws: The ``APIError`` with which executing the request would fail.
    public func curl(showingSecrets: Bool = false) async throws -> String {
        let request = try await preview()
        return CurlCommand(redaction: showingSecrets ? nil : request.redaction ?? .standard).text(request)
    }

    /// The stages that the request would pass, one in each line, with their settings. Nothing is sent and no closure is asked.
    public func explain() -> String {
        Execution(self).explanation
    }
}

extension Request {
    func promise<Value: Sendable>(_ target: ResultDecoder<Value>, _ file: StaticString, _ line: UInt) -> Promise<Value> {
        let execution = Execution(asking(for: target))
        return execution.promise(file, line) { try await execution.run(target).value }
    }

    /// Sends the request for a task that waits for what comes of it.
    func value<Value: Sendable>(_ target: ResultDecoder<Value>) async throws -> Value {
        do {
            return try await awaited(target)
        } catch {
            throw (error as? any ErrorCarrier)?.thrown ?? error
        }
    }

    /// Sends the request for a task that waits for what comes of it, with the ``APIError`` around a backend's own error.
    func result<Value: Sendable>(_ target: ResultDecoder<Value>) async -> Result<Value, any Error> {
        do {
            return .success(try await awaited(target))
        } catch {
            return .failure(error)
        }
    }

    private func awaited<Value: Sendable>(_ target: ResultDecoder<Value>) async throws -> Value {
        let execution = Execution(asking(for: target))
        guard execution.isDirect else {
            return try await execution.promise(isAwaited: true) { try await execution.run(target).value }.result.get()
        }
        return try await DirectCall(execution, decoded: target.decoded).valueInTaskOfCaller(CollectingAttempt(target: target))
    }
}

// MARK: Families of responses

extension Request {
    /// Sends the request and promises the value that a family makes of the response.
    @discardableResult
    public func execute<Value: ResponseFamily>(
        as type: Value.Type,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Value> {
        promise(.family(type), file, line)
    }

    /// Sends the request and promises the payload, decoded, or the error that its family finds in the response.
    @discardableResult
    public func execute<Value: ResponseFamily & Decodable>(
        as type: Value.Type,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Value> {
        promise(.decodable(type), file, line)
    }

    /// Sends the request and awaits the value that a family makes of the response.
    @discardableResult
    public func value<Value: ResponseFamily>(as type: Value.Type) async throws -> Value {
        try await value(.family(type))
    }

    /// Sends the request and awaits the payload, decoded, or the error that its family finds in the response.
    @discardableResult
    public func value<Value: ResponseFamily & Decodable>(as type: Value.Type) async throws -> Value {
        try await value(.decodable(type))
    }
}

extension Request {
    /// A copy that knows the errors of the family that a target belongs to, if there is one.
    func asking<Value>(for target: ResultDecoder<Value>) -> Request {
        guard let family = target.family else { return self }
        var request = self
        if request.options.errorFinder == nil {
            request.options.errorFinder = CallErrorFinder(of: family)
        } else {
            request.options.errorFinder?.prepend(family)
        }
        return request
    }
}
