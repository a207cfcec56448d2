/// An HTTP method: one of the ten standard verbs, or any other token.
///
/// Standard verbs are upper-cased (`"post"` is `.post`). Other names are kept as written, because methods are case-sensitive (RFC 9110
/// §9.1). A name that is not a token is rejected when the request is prepared.
public struct HTTPMethod: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The method as it is sent in the request line.
    public let name: String

    /// Makes a method from a name.
    public init(_ name: String) {
        let upper = name.uppercased()
        self.name = Self.standard.contains(upper) ? upper : name
    }

    public init(stringLiteral name: String) {
        self.init(name)
    }

    /// Makes a method from a name, which may be any token: ``init(_:)``.
    public init(rawValue name: String) {
        self.init(name)
    }

    /// The method as it is sent: ``name``.
    public var rawValue: String { name }

    private init(standard name: String) {
        self.name = name
    }

    public var description: String { name }

    /// A GET request.
    public static let get = HTTPMethod(standard: "GET")
    /// A HEAD request.
    public static let head = HTTPMethod(standard: "HEAD")
    /// A POST request.
    public static let post = HTTPMethod(standard: "POST")
    /// A PUT request.
    public static let put = HTTPMethod(standard: "PUT")
    /// A PATCH request.
    public static let patch = HTTPMethod(standard: "PATCH")
    /// A DELETE request.
    public static let delete = HTTPMethod(standard: "DELETE")
    /// A QUERY request: its body describes what the response contains (RFC 10008). It is safe and idempotent, and its responses can be cached.
    ///
    /// ```swift
    /// let rooms = try await API.tag(.forum).method(.query).path("/search").json(filter).value(as: [Room].self)
    /// ```
    public static let query = HTTPMethod(standard: "QUERY")
    /// An OPTIONS request.
    public static let options = HTTPMethod(standard: "OPTIONS")
    /// A TRACE request.
    public static let trace = HTTPMethod(standard: "TRACE")
    /// A CONNECT request.
    public static let connect = HTTPMethod(standard: "CONNECT")

    private static let standard: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "QUERY", "OPTIONS", "TRACE", "CONNECT",
    ]

    /// Whether a text is the name of a standard verb, in any case.
    static func isStandard(_ name: String) -> Bool { standard.contains(name.uppercased()) }
}

// The rules of the methods, which no other type knows.
extension HTTPMethod {
    /// Whether the method only reads a resource, so that identical calls may share a response (RFC 9110 §9.3, RFC 10008 §2).
    var isRead: Bool { self == .get || self == .head || self == .query }

    /// Whether the cache stores responses to the method. The body is a part of the key, as QUERY requires (RFC 10008 §2.7).
    var isCacheable: Bool { self == .get || self == .query }

    /// Whether the method requests no change (RFC 9110 §9.2.1, RFC 10008 §2).
    var isSafe: Bool { isRead || self == .options || self == .trace }

    /// Whether sending the request twice has the same effect as sending it once (RFC 9110 §9.2.2, RFC 10008 §2).
    public var isIdempotent: Bool { isSafe || self == .put || self == .delete }

    /// Whether `params` go to the query string unless the call specifies otherwise.
    package var putsParamsInQuery: Bool {
        self == .get || self == .head || self == .delete
    }

    /// Whether a body has no meaning with this method, so that adding one is a mistake (RFC 9110 §9.3.1, §9.3.2).
    var forbidsBody: Bool {
        self == .get || self == .head
    }

    /// Whether the method usually has a body, so that an empty one is sent with its length (RFC 9110 §8.6).
    var expectsBody: Bool { self == .post || self == .put || self == .patch || self == .query }
}
