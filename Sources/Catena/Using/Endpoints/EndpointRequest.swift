/// The request that an endpoint describes, which keeps the type of the endpoint's response through its steps.
///
/// ```swift
/// let users = try await API.request(for: RoomUsers(room: "7")).retry(.never).value()
/// ```
///
/// It has the steps of every request. The result of `execute()` and `value()` is the endpoint's `Response`.
public struct EndpointRequest<Described: Endpoint>: RequestSteps {
    /// The request without the type of the response.
    public var request: Request

    init(_ request: Request) {
        self.request = request
    }

    public subscript(access: RequestAccess) -> Request {
        _read { yield request }
        _modify { yield &request }
    }
}

extension EndpointRequest {
    /// Sends the request and returns a promise of the endpoint's response. Cancelling the promise cancels the call.
    @discardableResult
    public func execute(file: StaticString = #fileID, line: UInt = #line) -> Promise<Described.Response> {
        request.promise(Described.format.target, file, line)
    }

    /// Sends the request and awaits the endpoint's response. Cancelling the task cancels the call.
    ///
    /// - Throws: An ``APIError``, or a `CancellationError` if the task is cancelled.
    @discardableResult
    public func value() async throws -> Described.Response {
        try await request.value(Described.format.target)
    }

    /// Sends the request and returns a promise of the payload as another type than the endpoint's response.
    @discardableResult
    public func execute<Value: Decodable & Sendable>(
        as type: Value.Type,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Value> {
        request.execute(as: type, file: file, line: line)
    }

    /// Sends the request and awaits the payload as another type than the endpoint's response.
    @discardableResult
    public func value<Value: Decodable & Sendable>(as type: Value.Type) async throws -> Value {
        try await request.value(as: type)
    }

    /// Sends the request and returns a promise of the value that a ``ResponseFamily`` creates from the response.
    @discardableResult
    public func execute<Value: ResponseFamily>(
        as type: Value.Type,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Value> {
        request.execute(as: type, file: file, line: line)
    }

    /// Sends the request and returns a promise of the decoded payload, or of the error that its ``ResponseFamily`` finds in the response.
    @discardableResult
    public func execute<Value: ResponseFamily & Decodable>(
        as type: Value.Type,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Value> {
        request.execute(as: type, file: file, line: line)
    }

    /// Sends the request and awaits the value that a ``ResponseFamily`` creates from the response.
    @discardableResult
    public func value<Value: ResponseFamily>(as type: Value.Type) async throws -> Value {
        try await request.value(as: type)
    }

    /// Sends the request and awaits the decoded payload, or throws the error that its ``ResponseFamily`` finds in the response.
    @discardableResult
    public func value<Value: ResponseFamily & Decodable>(as type: Value.Type) async throws -> Value {
        try await request.value(as: type)
    }
}

extension EndpointRequest: CustomStringConvertible, CustomReflectable {
    /// Tag, method and path, without secrets.
    public var description: String { request.description }

    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
