extension HTTPHeaders {
    /// The name of a header field, for names that the compiler checks. Every step that takes a name takes text, too.
    ///
    /// ```swift
    /// API.tag(.forum).get("/rooms").header(.accept, "text/csv")
    /// response.headers[.contentType]
    /// ```
    ///
    /// Add your own names in an extension:
    ///
    /// ```swift
    /// extension HTTPHeaders.Name { static let appVersion = HTTPHeaders.Name("X-App-Version") }
    /// ```
    public struct Name: Sendable, Hashable, CustomStringConvertible {
        // Compared by a type of its own, because the compiler considers every public `==` for comparisons that have nothing to do with headers.
        private let name: CaselessName

        /// The name as it is sent.
        public var text: String { name.text }

        /// Creates a name. A call whose name is not a token fails, as with a name given as text.
        public init(_ text: String) {
            name = CaselessName(text: text)
        }

        public var description: String { text }
    }
}

/// The name of a header field, compared without regard to case.
private struct CaselessName: Sendable, Hashable {
    let text: String

    static func == (left: CaselessName, right: CaselessName) -> Bool { sameHeaderName(left.text, right.text) }

    func hash(into hasher: inout Hasher) { hasher.combine(text.lowercased()) }
}

// The names of RFC 9110, 9111, 6265 and others that calls and responses use.
extension HTTPHeaders.Name {
    /// The media types that the caller accepts.
    public static let accept = Self("Accept")
    /// The content codings that the caller accepts.
    public static let acceptEncoding = Self("Accept-Encoding")
    /// The languages that the caller prefers.
    public static let acceptLanguage = Self("Accept-Language")
    /// The age of a cached response in seconds.
    public static let age = Self("Age")
    /// The methods that a resource supports.
    public static let allow = Self("Allow")
    /// The credential of the caller.
    public static let authorization = Self("Authorization")
    /// The directives for caches.
    public static let cacheControl = Self("Cache-Control")
    /// Whether a body is shown or saved, and its file name.
    public static let contentDisposition = Self("Content-Disposition")
    /// The content codings of a body, such as gzip.
    public static let contentEncoding = Self("Content-Encoding")
    /// The length of a body. Catena sets it for requests.
    public static let contentLength = Self("Content-Length")
    /// The part of a resource that a body contains.
    public static let contentRange = Self("Content-Range")
    /// The media type of a body.
    public static let contentType = Self("Content-Type")
    /// The cookies that a request sends.
    public static let cookie = Self("Cookie")
    /// The time at which a message was made.
    public static let date = Self("Date")
    /// The version of a resource.
    public static let eTag = Self("ETag")
    /// The time after which a response is stale.
    public static let expires = Self("Expires")
    /// The key by which a server recognizes a repeated request.
    public static let idempotencyKey = Self("Idempotency-Key")
    /// The versions for which a request applies.
    public static let ifMatch = Self("If-Match")
    /// The time since which a resource must have changed.
    public static let ifModifiedSince = Self("If-Modified-Since")
    /// The versions for which a request does not apply.
    public static let ifNoneMatch = Self("If-None-Match")
    /// The version for which a range is requested.
    public static let ifRange = Self("If-Range")
    /// The time at which a resource last changed.
    public static let lastModified = Self("Last-Modified")
    /// Links to other resources, such as the next page.
    public static let link = Self("Link")
    /// The target of a redirect, or the address of a new resource.
    public static let location = Self("Location")
    /// The origin from which a browser would send the request.
    public static let origin = Self("Origin")
    /// The behaviours that the caller prefers.
    public static let prefer = Self("Prefer")
    /// The part of a resource that is requested.
    public static let range = Self("Range")
    /// The wait before another request.
    public static let retryAfter = Self("Retry-After")
    /// The software of the server.
    public static let server = Self("Server")
    /// A cookie that a response sets.
    public static let setCookie = Self("Set-Cookie")
    /// The trace to which a request belongs.
    public static let traceparent = Self("traceparent")
    /// The software of the caller.
    public static let userAgent = Self("User-Agent")
    /// The request headers on which a response depends.
    public static let vary = Self("Vary")
    /// The challenges of a server that requires a credential.
    public static let wwwAuthenticate = Self("WWW-Authenticate")
    /// The number of a request in the logs of a backend.
    public static let xRequestID = Self("X-Request-ID")
}

// Disfavored, so that the compiler tries text first and does not consider these where text fits.
extension HTTPHeaders {
    /// The value of a header; several values are joined with a comma. Setting replaces all values; setting `nil` removes the header.
    @_disfavoredOverload
    public subscript(name: Name) -> String? {
        get { self[name.text] }
        set { self[name.text] = newValue }
    }

    /// Returns all values of a name, in order.
    @_disfavoredOverload
    public func values(for name: Name) -> [String] { values(for: name.text) }

    /// Returns whether there is a field with this name.
    @_disfavoredOverload
    public func contains(_ name: Name) -> Bool { contains(name.text) }

    /// Sets a single value, at the position of the first field with this name if there is one.
    @_disfavoredOverload
    public mutating func set(_ value: String, for name: Name) { set(value, for: name.text) }

    /// Adds a value without removing the existing ones.
    @_disfavoredOverload
    public mutating func add(_ value: String, for name: Name) { add(value, for: name.text) }

    /// Removes all fields with this name.
    @_disfavoredOverload
    public mutating func remove(_ name: Name) { remove(name.text) }
}
