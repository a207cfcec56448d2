/// What to do with an answer that points elsewhere (RFC 9110 §15.4). Pure.
enum RedirectRules {
    /// Headers that describe a body, and go when the body goes.
    private static let bodyHeaders = ["Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Digest"]

    /// The next request; `nil` if the answer is not a redirect to be followed.
    ///
    /// - Parameter portable: The names, in lower case, of the headers that may go to another origin.
    static func next(after response: HTTPResponse, to request: HTTPRequest, portable: Set<String>) throws -> HTTPRequest? {
        guard [301, 302, 303, 307, 308].contains(response.status) else { return nil }
        let locations = Set(response.headers.values(for: "Location"))
        guard let location = locations.first else { return nil }
        guard locations.count == 1 else { throw refused("The answer names two different places to go to.") }
        let target = try resolve(location, against: request.address)
        var next = request
        next.address = target
        if becomesGet(response.status, request.method) {
            next.method = .get
            next.body = nil
            for name in bodyHeaders { next.headers.remove(name) }
        }
        guard target.origin != request.address.origin else { return next }
        if request.address.scheme == "https", target.scheme == "http" {
            throw refused("The answer leads from https to http.")
        }
        if next.body != nil {
            throw refused("The answer asks for the body to be sent to another origin, \(target.origin).")
        }
        for field in next.headers.fields where !portable.contains(field.name.lowercased()) {
            next.headers.remove(field.name)
        }
        return next
    }

    /// POST becomes GET on 301 and 302, as all browsers do; everything but HEAD does on 303.
    private static func becomesGet(_ status: Int, _ method: HTTPMethod) -> Bool {
        switch status {
        case 301, 302: method == .post
        case 303: method != .head && method != .get
        default: false
        }
    }

    /// Resolves a reference against the address that gave it (RFC 3986 §5.2).
    static func resolve(_ reference: String, against base: HTTPAddress) throws -> HTTPAddress {
        do throws(HTTPAddress.Fault) {
            return try base.resolving(reference)
        } catch {
            throw refused("The answer leads to an address that cannot be used: \(error.reason).")
        }
    }

    private static func refused(_ message: String) -> APIError {
        APIError(.redirect, message: message)
    }
}
