/// A request without its secrets and its body, as errors and logs show it.
public struct RequestSummary: Sendable, Equatable, CustomStringConvertible {
    /// The method of the request.
    public let method: HTTPMethod
    /// The address, or as much of it as there was when the call failed; the values of secret params are replaced by `***`.
    public let url: String
    /// The headers; the values of secret ones are replaced by `***`.
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

    /// What a request would have been that could not be made.
    ///
    /// - Parameters:
    ///   - place: Where it was to go, which need not be an address.
    ///   - hasHost: Whether it begins with a host, and not with a path.
    ///   - redaction: What the tag hides.
    init(_ method: HTTPMethod, _ place: String, hasHost: Bool, _ headers: HTTPHeaders, tag: Tag?, hiding redaction: Redaction) {
        self.method = method
        // A name in the path that is yet to be filled is to be read.
        let address = !hasHost || place.contains("{") ? nil : try? HTTPAddress(parsing: place)
        url = address.map { redaction.redact($0) } ?? redaction.redact(place: place)
        self.headers = redaction.redact(headers)
        self.headers.shown.redaction = redaction
        self.tag = tag
    }

    public var description: String { "\(method) \(url)" }
}

extension Redaction {
    /// Where a request was to go, which is no address, on one line: a password stands in front of the host also where there is no scheme.
    func redact(place: String) -> String {
        let head = place.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let shown = head.lastIndex(of: "@").map { "***" + place[$0...] } ?? place
        return Redaction.unbroken(redact(text: shown))
    }
}

/// The head of a response without its secrets, as errors and logs show it.
public struct ResponseSummary: Sendable, Equatable, CustomStringConvertible {
    /// The HTTP status.
    public let status: Int
    /// The headers; the values of secret ones are replaced by `***`.
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
