public import Catena
public import CatenaPlatform

/// A request as it reached a stub or a ``LoopbackServer``.
///
/// Its members are the same for both. A stub knows the call, which the server cannot see: ``tag`` and ``attempt``. The server knows the bytes on the
/// wire: ``head`` and ``connection``.
public struct StubRequest: Sendable {
    /// The origin of the request.
    enum Source: Sendable {
        /// A request that a stub got from a client, with its call.
        case call(HTTPRequest, StubContext)
        /// A request that arrived over a connection.
        case connection(ServerRequest)
    }

    let source: Source

    /// The segments that `{name}` in the path of the stub or route matched, percent-decoded.
    public package(set) var parameters: [String: String] = [:]

    /// The number of this request to its stub or route, counted from 1: `$0.visit < 3 ? .status(503) : .text("ok")`. 0 if none matched.
    public package(set) var visit = 0

    /// The index of the request among all requests of the stubs.
    package var number = 0

    /// Creates a request of a client.
    package init(_ request: HTTPRequest, of context: StubContext) {
        source = .call(request, context)
    }

    init(_ request: ServerRequest) {
        source = .connection(request)
    }
}

/// A request as a server read it.
struct ServerRequest: Sendable {
    let method: HTTPMethod
    let target: String
    let path: String
    let headers: HTTPHeaders
    /// The body without its framing, or its beginning if it is longer than the server stores.
    let body: Data
    let bodyLength: Int
    let head: Data
    let connection: Int
    let isTLS: Bool

    /// The address, of which the target of most requests lacks the scheme and the host (RFC 9112 §3.2.1, §3.3).
    var url: String { target.hasPrefix("/") ? "\(isTLS ? "https" : "http")://\(headers["Host"] ?? "")\(target)" : target }
}

// MARK: The request

extension StubRequest {
    /// The method. A server's standard methods are in upper case; ``head`` contains the original text.
    public var method: HTTPMethod {
        switch source {
        case .call(let request, _): request.method
        case .connection(let request): request.method
        }
    }

    /// The whole address.
    public var url: String {
        switch source {
        case .call(let request, _): request.address.text
        case .connection(let request): request.url
        }
    }

    /// The request target: the path with the query, exactly as sent (RFC 9112 §3.2).
    public var target: String {
        switch source {
        case .call(let request, _): request.address.query.map { "\(request.address.path)?\($0)" } ?? request.address.path
        case .connection(let request): request.target
        }
    }

    /// The path, still percent-encoded.
    public var path: String {
        switch source {
        case .call(let request, _): request.address.path
        case .connection(let request): request.path
        }
    }

    /// The header fields in their order.
    public var headers: HTTPHeaders {
        switch source {
        case .call(let request, _): request.headers
        case .connection(let request): request.headers
        }
    }

    /// The first value of a query item, decoded, or `nil` if there is none.
    public func query(_ name: String) -> String? { queryItems.first { $0.name == name }?.value }

    /// The items of the query in their order, decoded.
    package var queryItems: [(name: String, value: String)] {
        switch source {
        case .call(let request, _): Self.items(request.address.query ?? "")
        case .connection(let request):
            Self.items(request.target.utf8.firstIndex(of: UInt8(ascii: "?")).map { request.target[$0...].dropFirst() } ?? "")
        }
    }

    /// Decodes items with `+` as a space, as servers do, so that a test detects an encoder that leaves a `+` unencoded.
    package static func items(_ text: some StringProtocol) -> [(name: String, value: String)] {
        text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = parts.map { PercentDecoding.decode($0, plusIsSpace: true) }
            return (decoded[0], decoded.count == 2 ? decoded[1] : "")
        }
    }
}

// MARK: Its body

extension StubRequest {
    /// The bytes of the body. A server stores at most ``LoopbackServer/Limits/recordedBodyBytes``. Empty for a stub if the body is a file or a stream of
    /// more than 16 MiB.
    public var body: Data {
        switch source {
        case .call(let request, _): request.body ?? Data()
        case .connection(let request): request.body
        }
    }

    /// The number of bytes of the body, also of those that are not stored. 0 for a stream of unknown length that a stub did not read.
    public var bodyLength: Int {
        switch source {
        case .call(let request, _): request.body?.count ?? request.bodySource?.length.map { Int($0) } ?? 0
        case .connection(let request): request.bodyLength
        }
    }

    /// The body as text; bytes that are not UTF-8 become U+FFFD. For a body that a stub did not read, a sentence that says so.
    public var text: String { unreadBody.map { "(\($0))" } ?? String(decoding: body, as: UTF8.self) }

    /// The body as JSON, or null if it is not JSON.
    public var json: JSON { (try? JSON(parsing: body)) ?? JSON(nilLiteral: ()) }

    /// The first value of a field of an `application/x-www-form-urlencoded` body, decoded, or `nil` if there is none.
    public func form(_ name: String) -> String? { formItems.first { $0.name == name }?.value }

    /// The fields of a form in their order, decoded.
    package var formItems: [(name: String, value: String)] {
        let isForm = headers["Content-Type"]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true
        return isForm ? Self.items(text) : []
    }

    /// A clause that says that the body is not in memory, or `nil` if it is or if there is none.
    package var unreadBody: String? {
        guard case .call(let request, _) = source, request.body == nil, request.bodySource != nil else { return nil }
        return "the body was not read into memory, because it is longer than 16 MiB"
    }
}

// MARK: The call, or the connection

extension StubRequest {
    /// The tag of the call, or `nil` if it has none. `nil` for a server.
    public var tag: Tag? { context.tag }

    /// The number of the attempt within its call, from 1. 1 for a server.
    public var attempt: Int { context.attempt }

    /// The value of your own that `set(_:_:)` of the request has set for the call, or the key's initial value.
    public subscript<Key: OptionKey>(key: Key.Type) -> Key.Value { sent?[key] ?? Key.initial }

    /// The request line and the header section that a server received, byte for byte, with the empty line that ends them. Empty for a stub.
    public var head: Data {
        guard case .connection(let request) = source else { return Data() }
        return request.head
    }

    /// The number of the server's connection, counted from 1 in the order of acceptance. 0 for a stub.
    public var connection: Int {
        guard case .connection(let request) = source else { return 0 }
        return request.connection
    }

    package var context: StubContext {
        guard case .call(_, let context) = source else { return StubContext() }
        return context
    }

    /// The request that a client gave to a stub, or `nil` for a server.
    package var sent: HTTPRequest? {
        guard case .call(let request, _) = source else { return nil }
        return request
    }
}

extension StubRequest: CustomStringConvertible, CustomReflectable {
    /// The method and address, for a stub with tag and attempt, without secrets.
    public var description: String {
        guard let sent else {
            return HTTPAddress(url).map { "\(method) \($0)" } ?? "\(method), with a target of \(target.utf8.count) bytes that is no address"
        }
        let notes = [tag.map { "tag \($0)" }, attempt > 1 ? "attempt \(attempt)" : nil].compactMap { $0 }
        return notes.isEmpty ? "\(sent)" : "\(sent) (\(notes.joined(separator: ", ")))"
    }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
