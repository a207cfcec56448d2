public import CatenaPlatform

extension Client {
    /// Sends the request of an endpoint and returns a promise of its response. Cancelling the promise cancels the call.
    @discardableResult
    public func call<Described: Endpoint>(_ endpoint: Described, file: StaticString = #fileID, line: UInt = #line) -> Promise<
        Described.Response
    > {
        request(for: endpoint).execute(file: file, line: line)
    }

    /// Sends the request of an endpoint and returns a promise of the payload as another type than its response. It is for enums whose cases
    /// have responses of different types.
    @discardableResult
    public func call<Value: Decodable & Sendable>(
        _ endpoint: some Endpoint,
        as type: Value.Type,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Value> {
        request(for: endpoint).execute(as: type, file: file, line: line)
    }

    /// Sends the request of an endpoint and awaits its response. Cancelling the task cancels the call.
    ///
    /// - Throws: An ``APIError``, or a `CancellationError` if the task is cancelled.
    @discardableResult
    public func value<Described: Endpoint>(_ endpoint: Described) async throws -> Described.Response {
        try await request(for: endpoint).value()
    }

    /// Sends the request of an endpoint and awaits the payload as another type than its response.
    @discardableResult
    public func value<Value: Decodable & Sendable>(_ endpoint: some Endpoint, as type: Value.Type) async throws -> Value {
        try await request(for: endpoint).value(as: type)
    }

    /// Returns the request that an endpoint describes, for a preview or for further steps.
    ///
    /// ```swift
    /// let users = try await client.request(for: RoomUsers(room: "7")).retry(.never).value()
    /// ```
    public func request<Described: Endpoint>(for endpoint: Described) -> EndpointRequest<Described> {
        Self.request(for: endpoint, client: self)
    }

    /// - Parameter client: The client, or `nil` for the one behind ``API``, which is looked up when the request is executed.
    static func request<Described: Endpoint>(for endpoint: Described, client: Client?) -> EndpointRequest<Described> {
        var request = Request(endpoint, client: client)
        request.options[\.errorFinder] = CallErrorFinder(of: endpoint)
        (client ?? .shared).active.reportMisleadingMember(of: endpoint)
        return EndpointRequest(request)
    }

    /// Sends requests concurrently and returns a promise of all results, in the order of the requests.
    ///
    /// ```swift
    /// API.batch(ids.map { API.tag(.forum).get("/users/\($0)") }, as: User.self, concurrency: 4)
    ///     .then { results in self.show(results.compactMap { try? $0.get() }) }
    /// ```
    ///
    /// The result of a failed call is its error, and the other calls continue. The promise is rejected only if `concurrency` is less than
    /// one. Cancelling the promise cancels the running calls and starts no others.
    ///
    /// - Parameters:
    ///   - requests: The requests to send.
    ///   - type: The type that each response is decoded as.
    ///   - concurrency: The maximum number of calls that run at a time. `nil` means six, the usual number of HTTP/1.1 connections to one host.
    ///   - control: A control that suspends the batch. While it is suspended, no call starts. Running calls are suspended too, except those
    ///     whose request has its own control.
    ///   - file: The file of the call, for diagnostics.
    ///   - line: The line of the call, for diagnostics.
    @discardableResult
    public func batch<Value: Decodable & Sendable>(
        _ requests: [Request],
        as type: Value.Type = JSON.self,
        concurrency: Int? = nil,
        control: TransferControl? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<[Result<Value, APIError>]> {
        Batch(requests: requests, client: self, concurrency: concurrency, control: control).run(.decodable(type), file, line)
    }

    /// Calls endpoints of one type concurrently and returns a promise of all results, in the order of the endpoints.
    @discardableResult
    public func batch<Described: Endpoint>(
        _ endpoints: [Described],
        concurrency: Int? = nil,
        control: TransferControl? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<[Result<Described.Response, APIError>]> {
        Batch(requests: endpoints.map { request(for: $0).request }, client: self, concurrency: concurrency, control: control)
            .run(Described.format.target, file, line)
    }

    /// Reports, once for each type, that an endpoint sends a param under the name of a setting.
    func reportMisleadingMember<Described: Endpoint>(of endpoint: Described) {
        guard Described.maySendSettings else { return }
        diagnostics.report(.endpointMember, once: .type(ObjectIdentifier(Described.self))) {
            EndpointReader(endpoint: endpoint).misleadingMember
        }
    }

    /// The active calls. See ``ActiveCalls``.
    public var calls: ActiveCalls { ActiveCalls(owner: self) }

    /// The messages of the client's active calls.
    var messages: ActivityMessages { companion { ActivityMessages() } }
}

extension API {
    /// Sends the request of an endpoint and returns a promise of its response. Cancelling the promise cancels the call.
    @discardableResult
    public static func call<Described: Endpoint>(
        _ endpoint: Described,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Described.Response> {
        Client.current.call(endpoint, file: file, line: line)
    }

    /// Sends the request of an endpoint and returns a promise of the payload as another type. See ``Client/call(_:as:file:line:)``.
    @discardableResult
    public static func call<Value: Decodable & Sendable>(
        _ endpoint: some Endpoint,
        as type: Value.Type,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Value> {
        Client.current.call(endpoint, as: type, file: file, line: line)
    }

    /// Sends the request of an endpoint and awaits its response. Cancelling the task cancels the call.
    @discardableResult
    public static func value<Described: Endpoint>(_ endpoint: Described) async throws -> Described.Response {
        try await Client.current.value(endpoint)
    }

    /// Sends the request of an endpoint and awaits the payload as another type than its response.
    @discardableResult
    public static func value<Value: Decodable & Sendable>(_ endpoint: some Endpoint, as type: Value.Type) async throws -> Value {
        try await Client.current.value(endpoint, as: type)
    }

    /// Returns the request that an endpoint describes, for a preview or for further steps.
    public static func request<Described: Endpoint>(for endpoint: Described) -> EndpointRequest<Described> {
        Client.request(for: endpoint, client: nil)
    }
}

extension CallErrorFinder {
    init<Described: Endpoint>(of endpoint: Described) {
        self.init(types: [ObjectIdentifier(Described.self)]) { endpoint.error(in: $0) }
    }
}

/// The body of an ``Endpoint``, if it does not consist of its params.
///
/// ```swift
/// var body: EndpointBody { .json(draft) }
/// ```
public struct EndpointBody: Sendable {
    let add: @Sendable (Request) -> Request

    /// Creates a body that a step of a request adds, such as `EndpointBody { $0.body(stream: pieces, length: 7) }`.
    public init(_ add: @escaping @Sendable (Request) -> Request) {
        self.add = add
    }

    /// Returns a body of params as a JSON object, in their order.
    public static func json(_ members: Params) -> EndpointBody {
        EndpointBody { $0.json(members) }
    }

    /// Returns a body of a value as JSON: an object, an array or a single value.
    @_disfavoredOverload
    public static func json(_ value: some Encodable & Sendable) -> EndpointBody {
        EndpointBody { $0.json(value) }
    }

    /// Returns a body of params as a form, `application/x-www-form-urlencoded`.
    public static func form(_ fields: Params) -> EndpointBody {
        EndpointBody { $0.form(fields) }
    }

    /// Returns a body of params as an XML property list.
    public static func propertyList(_ members: Params) -> EndpointBody {
        EndpointBody { $0.body(propertyList: members) }
    }

    /// Returns a body of fields and files as a form, `multipart/form-data`.
    public static func multipart(_ fill: @escaping @Sendable (inout MultipartForm) throws -> Void) -> EndpointBody {
        EndpointBody { $0.multipart(fill) }
    }

    /// Returns a body of bytes.
    public static func data(_ data: Data, contentType: String) -> EndpointBody {
        EndpointBody { $0.body(data, contentType: contentType) }
    }

    /// Returns a body of a file, which is read during sending.
    public static func file(_ file: URL, contentType: String? = nil) -> EndpointBody {
        EndpointBody { $0.body(file: file, contentType: contentType) }
    }
}
