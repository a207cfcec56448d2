/// An HTTP method: one of the nine standard verbs, or any other token.
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
    /// An OPTIONS request.
    public static let options = HTTPMethod(standard: "OPTIONS")
    /// A TRACE request.
    public static let trace = HTTPMethod(standard: "TRACE")
    /// A CONNECT request.
    public static let connect = HTTPMethod(standard: "CONNECT")

    private static let standard: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT",
    ]

    /// Whether a text is the name of a standard verb, in any case.
    static func isStandard(_ name: String) -> Bool { standard.contains(name.uppercased()) }
}

extension HTTPMethod {
    /// Whether the method requests no change (RFC 9110 §9.2.1).
    var isSafe: Bool { self == .get || self == .head || self == .options || self == .trace }

    /// Whether sending the request twice has the same effect as sending it once (RFC 9110 §9.2.2).
    public var isIdempotent: Bool {
        switch self {
        case .get, .head, .put, .delete, .options, .trace: true
        default: false
        }
    }

    /// Whether `params` go to the query string unless the call specifies otherwise.
    package var putsParamsInQuery: Bool {
        self == .get || self == .head || self == .delete
    }

    /// Whether a body has no meaning with this method, so that adding one is a mistake (RFC 9110 §9.3.1, §9.3.2).
    var forbidsBody: Bool {
        self == .get || self == .head
    }
}
