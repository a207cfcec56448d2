extension Client {
    /// Sends what an endpoint describes and promises its response. Cancelling the promise stops the call.
    public func call<Described: Endpoint>(_ endpoint: Described, file: StaticString = #fileID, line: UInt = #line) -> Promise<
        Described.Response
    > {
        request(for: endpoint).promise(Described.format.target, file, line)
    }

    /// Sends what an endpoint describes and promises the payload as another type than its response, for enums whose cases are answered
    /// with different ones.
    public func call<Value: Decodable & Sendable>(
        _ endpoint: some Endpoint,
        as type: Value.Type,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Value> {
        request(for: endpoint).promise(.decodable(type), file, line)
    }

    /// Sends what an endpoint describes and awaits its response. Cancelling the task stops the call.
    ///
    /// Throws an ``APIError``, or a `CancellationError` if the task is cancelled.
    public func value<Described: Endpoint>(_ endpoint: Described) async throws -> Described.Response {
        try await request(for: endpoint).value(Described.format.target)
    }

    /// Sends what an endpoint describes and awaits the payload as another type than its response.
    public func value<Value: Decodable & Sendable>(_ endpoint: some Endpoint, as type: Value.Type) async throws -> Value {
        try await request(for: endpoint).value(.decodable(type))
    }

    /// The request that an endpoint describes, to be looked at or to go on as a chain.
    ///
    /// ```swift
    /// print(try await client.request(for: RoomUsers(room: "7")).curl())
    /// ```
    public func request(for endpoint: some Endpoint) -> Request {
        Self.request(for: endpoint, client: self)
    }

    /// - Parameter client: `nil` is the one behind ``API``, looked up when the request is executed.
    static func request<Described: Endpoint>(for endpoint: Described, client: Client?) -> Request {
        var request = Request(endpoint, client: client)
        request.options.ownErrors = OwnErrors(of: endpoint)
        return request
    }
}

extension API {
    /// Sends what an endpoint describes and promises its response. Cancelling the promise stops the call.
    public static func call<Described: Endpoint>(
        _ endpoint: Described,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Described.Response> {
        Client.current.call(endpoint, file: file, line: line)
    }

    /// Sends what an endpoint describes and promises the payload as another type than its response. See ``Client/call(_:as:file:line:)``.
    public static func call<Value: Decodable & Sendable>(
        _ endpoint: some Endpoint,
        as type: Value.Type,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Value> {
        Client.current.call(endpoint, as: type, file: file, line: line)
    }

    /// Sends what an endpoint describes and awaits its response. Cancelling the task stops the call.
    public static func value<Described: Endpoint>(_ endpoint: Described) async throws -> Described.Response {
        try await Client.current.value(endpoint)
    }

    /// Sends what an endpoint describes and awaits the payload as another type than its response.
    public static func value<Value: Decodable & Sendable>(_ endpoint: some Endpoint, as type: Value.Type) async throws -> Value {
        try await Client.current.value(endpoint, as: type)
    }

    /// The request that an endpoint describes, to be looked at or to go on as a chain.
    public static func request(for endpoint: some Endpoint) -> Request {
        Client.request(for: endpoint, client: nil)
    }
}
