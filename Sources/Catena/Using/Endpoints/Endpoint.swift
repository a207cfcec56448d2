/// A type that describes a call: its request and the type of its response.
///
/// ```swift
/// struct RoomUsers: Endpoint, Encodable {
///     typealias Response = [User]
///     let room: String
///     var page = 1
///     var tag: Tag { .forum }
///     var path: Path { "/rooms/{room}/users" }
/// }
///
/// API.call(RoomUsers(room: "7")).then { users in self.show(users) }
/// let users = try await API.value(RoomUsers(room: "7", page: 2))
/// ```
///
/// Only the path is required. If the endpoint is `Encodable`, each member that it encodes is a param, and no other member is sent. A param
/// fills the path or is sent in the query or the body: see ``RequestSteps/params(_:)-(Params)``. A stored property with a name and type of
/// this protocol, such as its path, tag, method or headers, is not a param.
///
/// Each property except the path may be optional. `params`, `query` and `headers` may also be dictionaries or any `Encodable` type that encodes
/// an object; `tag` and `method` may be text. A property with one of these names and another type fails the call, unless the endpoint encodes
/// it as a member. The error names the property.
public protocol Endpoint: Sendable {
    /// The result of a successful call: a `Decodable` type, a ``ResponseFamily``, `Data`, or `Void`.
    associatedtype Response: Sendable
    /// `Tag`, an optional one, or text.
    associatedtype TagValue = Tag?
    /// `HTTPMethod`, an optional one, or text.
    associatedtype MethodValue = HTTPMethod?
    /// `Params`, a dictionary, or any `Encodable` type that encodes an object; optional or not.
    associatedtype ParamsValue = Params
    /// The forms of ``ParamsValue``.
    associatedtype QueryValue = Params
    /// `HTTPHeaders`, or the forms of ``ParamsValue``.
    associatedtype HeadersValue = HTTPHeaders
    /// ``EndpointBody``, or an optional one.
    associatedtype BodyValue = EndpointBody?
    /// `Duration`, or an optional one.
    associatedtype TimeoutValue = Duration?
    /// ``RetryPolicy``, or an optional one.
    associatedtype RetryValue = RetryPolicy?
    /// ``CachePolicy``, or an optional one.
    associatedtype CacheValue = CachePolicy?

    /// The path, which is appended to the host's own. Each value interpolated into its literal is percent-encoded as a whole: see ``Path``.
    var path: Path { get }
    /// The backend.
    var tag: TagValue { get }
    /// The method. Without one it is POST for an endpoint with a ``body``, else GET.
    var method: MethodValue { get }
    /// The params. See ``RequestSteps/params(_:)-(Params)``.
    var params: ParamsValue { get throws }
    /// The params that are sent in the query, with every method.
    var query: QueryValue { get throws }
    /// The headers.
    var headers: HeadersValue { get throws }
    /// The body, if it does not consist of the params.
    var body: BodyValue { get throws }
    /// The time limit of one attempt. See ``RequestSteps/timeout(_:)``.
    var timeout: TimeoutValue { get }
    /// The retry policy. See ``RequestSteps/retry(_:)``.
    var retry: RetryValue { get }
    /// The policy for stored responses. See ``RequestSteps/cache(_:)``.
    var cache: CacheValue { get }
    /// The way in which the `Response` is created from the server's response.
    static var format: ResponseFormat<Response> { get }

    /// Returns the error, specific to this endpoint, that a response represents, or `nil` if there is none.
    ///
    /// Catena calls this method after those of a ``ResponseFamily`` and before it checks the envelope and the HTTP status. The error becomes the
    /// ``APIError/underlying`` error of the call's ``APIError``.
    func error(in reading: EnvelopeResult) -> (any Error)?

    /// Returns the request with further settings, such as a deadline, an envelope or another host.
    func adjust(_ request: Request) -> Request
}

extension Endpoint where TagValue == Tag? {
    /// No backend. The call is sent to the default host.
    public var tag: Tag? { nil }
}

extension Endpoint where MethodValue == HTTPMethod? {
    /// No method: POST for an endpoint with a body, else GET.
    public var method: HTTPMethod? { nil }
}

extension Endpoint where BodyValue == EndpointBody? {
    /// No body of its own. If there is a body, it consists of the params.
    public var body: EndpointBody? { nil }
}

extension Endpoint where ParamsValue == Params {
    /// No params.
    public var params: Params { [:] }
}

extension Endpoint where QueryValue == Params {
    /// No query params.
    public var query: Params { [:] }
}

extension Endpoint where HeadersValue == HTTPHeaders {
    /// No headers.
    public var headers: HTTPHeaders { [:] }
}

extension Endpoint where TimeoutValue == Duration? {
    /// The tag's setting.
    public var timeout: Duration? { nil }
}

extension Endpoint where RetryValue == RetryPolicy? {
    /// The tag's setting.
    public var retry: RetryPolicy? { nil }
}

extension Endpoint where CacheValue == CachePolicy? {
    /// The tag's setting.
    public var cache: CachePolicy? { nil }
}

extension Endpoint {
    public func error(in reading: EnvelopeResult) -> (any Error)? { nil }
    public func adjust(_ request: Request) -> Request { request }
}
