/// A call as a type: what it sends, and what its response is.
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
/// Only the path must be said. An endpoint that is `Encodable` encodes itself: each member that it encodes is a param, which fills the
/// path, goes to the query or to the body as ``RequestSteps/params(_:)-(Params)`` says; what it does not encode is not sent. Its path, tag,
/// method and headers are no params where they are stored, either.
///
/// Each property may be optional. `params`, `query` and `headers` may also be dictionaries or any `Encodable` type that encodes an object;
/// `tag` and `method` may be text. A property of one of these names in another form fails the call, and the error names it, unless the endpoint
/// encodes it as a member.
public protocol Endpoint: Sendable {
    /// What a successful response gives: a `Decodable` type, a ``ResponseFamily``, `Data`, or `Void`.
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

    /// The path, which is appended to the host's own. What its literal interpolates is percent-encoded whole; see ``Path``.
    var path: Path { get }
    /// The backend.
    var tag: TagValue { get }
    /// The method. Without one it is POST for an endpoint with a ``body``, else GET.
    var method: MethodValue { get }
    /// The params; see ``RequestSteps/params(_:)-(Params)``.
    var params: ParamsValue { get throws }
    /// Params that go to the query string, with every method.
    var query: QueryValue { get throws }
    /// Headers.
    var headers: HeadersValue { get throws }
    /// The body, if it is not made of the params.
    var body: BodyValue { get throws }
    /// The time for one attempt; see ``RequestSteps/timeout(_:)``.
    var timeout: TimeoutValue { get }
    /// Which failures are retried; see ``RequestSteps/retry(_:)``.
    var retry: RetryValue { get }
    /// When stored responses are used; see ``RequestSteps/cache(_:)``.
    var cache: CacheValue { get }
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

extension Endpoint where ParamsValue == Params {
    /// No params.
    public var params: Params { [:] }
}

extension Endpoint where QueryValue == Params {
    /// No params of the query.
    public var query: Params { [:] }
}

extension Endpoint where HeadersValue == HTTPHeaders {
    /// No headers.
    public var headers: HTTPHeaders { [:] }
}

extension Endpoint where TimeoutValue == Duration? {
    /// As the tag says.
    public var timeout: Duration? { nil }
}

extension Endpoint where RetryValue == RetryPolicy? {
    /// As the tag says.
    public var retry: RetryPolicy? { nil }
}

extension Endpoint where CacheValue == CachePolicy? {
    /// As the tag says.
    public var cache: CachePolicy? { nil }
}

extension Endpoint {
    public func error(in reading: EnvelopeResult) -> (any Error)? { nil }
    public func adjust(_ request: Request) -> Request { request }
}

extension Request {
    /// The request that an endpoint describes. What it throws meanwhile fails the call.
    init(_ endpoint: some Endpoint, client: Client?) {
        var request = Request(client: client).path(endpoint.path)
        do {
            try EndpointReader(endpoint).fill(&request)
        } catch {
            request.fault = Call.failure(of: "endpoint", error)
        }
        self = endpoint.adjust(request)
    }
}
