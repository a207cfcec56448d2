/// A request without secrets and body, for errors and logs.
public struct RequestSummary: Sendable, Equatable, CustomStringConvertible {
    /// The method of the request.
    public let method: HTTPMethod
    /// The URL, or the known part of it if the call failed before it was complete. Values of secret params are replaced by `***`.
    public let url: String
    /// The headers. Values of secret ones are replaced by `***`.
    public private(set) var headers: HTTPHeaders
    /// The tag of the call.
    public let tag: Tag?

    init(_ request: HTTPRequest, tag: Tag? = nil) {
        let redaction = request.redaction ?? .current
        method = request.method
        url = redaction.redact(request.address)
        headers = redaction.redact(request.headers)
        headers.shown.redaction = request.redaction
        self.tag = tag
    }

    /// Describes a request that could not be created.
    ///
    /// - Parameters:
    ///   - place: The target, which need not be a valid URL.
    ///   - hasHost: Whether the target begins with a host rather than a path.
    ///   - redaction: The redaction of the tag.
    init(_ method: HTTPMethod, _ place: String, hasHost: Bool, _ headers: HTTPHeaders, tag: Tag?, hiding redaction: Redaction) {
        self.method = method
        // Keep an unfilled placeholder of the path readable.
        let address = !hasHost || place.contains("{") ? nil : try? HTTPAddress(parsing: place)
        url = address.map { redaction.redact($0) } ?? redaction.redact(place: place)
        self.headers = redaction.redact(headers)
        self.headers.shown.redaction = redaction
        self.tag = tag
    }

    public var description: String { "\(method) \(url)" }
}

extension Redaction {
    /// Redacts a target that is not a valid URL and puts it on one line. Hides a password before the host even if there is no scheme.
    package func redact(place: String) -> String {
        let head = place.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let shown = head.lastIndex(of: "@").map { "***" + place[$0...] } ?? place
        return Redaction.unbroken(redact(text: shown))
    }
}

/// The head of a response without secrets, for errors and logs.
public struct ResponseSummary: Sendable, Equatable, CustomStringConvertible {
    /// The HTTP status.
    public let status: Int
    /// The headers. Values of secret ones are replaced by `***`.
    public let headers: HTTPHeaders

    init(status: Int, headers: HTTPHeaders) {
        self.status = status
        self.headers = headers.shown.current.redact(headers)
    }

    init(_ response: HTTPResponse) {
        self.init(status: response.status, headers: response.headers)
    }

    public var description: String { "status \(status)" }
}
