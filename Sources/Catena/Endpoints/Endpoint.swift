/// A call as a type: what it sends, and what its response is.
///
/// ```swift
/// struct RoomUsers: Endpoint, Encodable {
///     typealias Response = [User]
///     let room: String
///     var page = 1
///     var tag: Tag { .forum }
///     var path: String { "/rooms/{room}/users" }
/// }
///
/// API.call(RoomUsers(room: "7")).then { users in self.show(users) }
/// let users = try await API.value(RoomUsers(room: "7", page: 2))
/// ```
///
/// Only the path must be said. An endpoint that is `Encodable` encodes itself: each member that it encodes is a param, which fills the
/// path, goes to the query or to the body as ``Request/params(_:)-(Params)`` says; what it does not encode is not sent. Its path, tag,
/// method and headers are no params where they are stored, either.
///
/// `tag`, `method` and `body` may be optional or not. The others have the types that stand here: a property of the same name and another type is a
/// property of the endpoint's own, which nobody asks for.
public protocol Endpoint: Sendable {
    /// What a successful response gives: a `Decodable` type, a ``ResponseFamily``, `Data`, or `Void`.
    associatedtype Response: Sendable
    /// `Tag`, or `Tag?`.
    associatedtype TagValue: EndpointValue = Tag? where TagValue.Present == Tag
    /// `HTTPMethod`, or `HTTPMethod?`.
    associatedtype MethodValue: EndpointValue = HTTPMethod? where MethodValue.Present == HTTPMethod
    /// ``EndpointBody``, or an optional one.
    associatedtype BodyValue: EndpointValue = EndpointBody? where BodyValue.Present == EndpointBody

    /// The path, which is appended to the host's own; see ``Request/path(_:)``.
    var path: String { get }
    /// The backend.
    var tag: TagValue { get }
    /// The method. Without one it is POST for an endpoint with a ``body``, else GET.
    var method: MethodValue { get }
    /// The params; see ``Request/params(_:)-(Params)``.
    var params: Params { get throws }
    /// Params that go to the query string, with every method.
    var query: Params { get throws }
    /// Headers.
    var headers: HTTPHeaders { get throws }
    /// The body, if it is not made of the params.
    var body: BodyValue { get throws }
    /// How the `Response` comes out of what the server sends.
    static var format: ResponseFormat<Response> { get }

    /// The error that only this endpoint responds with; `nil` if the response is none. It is asked before the envelope and the HTTP
    /// status count, after what a ``ResponseFamily`` knows, and arrives as the ``APIError/underlying`` of the call's error.
    func error(in reading: EnvelopeResult) -> (any Error)?

    /// Adds whatever else the request needs: a timeout, a cache policy, a host of its own.
    func adjust(_ request: Request) -> Request
}

extension Endpoint where TagValue == Tag? {
    /// No backend; the call goes to the default host.
    public var tag: Tag? { nil }
}

extension Endpoint where MethodValue == HTTPMethod? {
    /// No method: POST for an endpoint with a body, else GET.
    public var method: HTTPMethod? { nil }
}

extension Endpoint where BodyValue == EndpointBody? {
    /// No body of its own: the body, if there is one, is made of the params.
    public var body: EndpointBody? { nil }
}

extension Endpoint {
    /// No params.
    public var params: Params { [:] }
    public var query: Params { [:] }
    public var headers: HTTPHeaders { [:] }
    public func error(in reading: EnvelopeResult) -> (any Error)? { nil }
    public func adjust(_ request: Request) -> Request { request }
}

extension Request {
    /// The request that an endpoint describes. What it throws meanwhile fails the call.
    init(_ endpoint: some Endpoint, client: Client?) {
        var request = Request(client: client).tag(endpoint.tag.presence).path(endpoint.path)
        request.chosenMethod = endpoint.method.presence
        do {
            request = request.params(try endpoint.params).query(try endpoint.query).headers(try endpoint.headers)
            if let body = try endpoint.body.presence { request = body.add(request) }
        } catch {
            request.fault = Call.failure(of: "endpoint", error)
        }
        self = endpoint.adjust(request)
    }
}

/// A value of an endpoint's that may be written with its type or as an optional.
public protocol EndpointValue<Present>: Sendable {
    /// The type of the value where there is one.
    associatedtype Present
    /// The value, if there is one.
    var presence: Present? { get }
}

extension Tag: EndpointValue {
    public var presence: Tag? { self }
}

extension HTTPMethod: EndpointValue {
    public var presence: HTTPMethod? { self }
}

extension EndpointBody: EndpointValue {
    public var presence: EndpointBody? { self }
}

extension Optional: EndpointValue where Wrapped: EndpointValue, Wrapped.Present == Wrapped {
    public var presence: Wrapped? { self }
}
