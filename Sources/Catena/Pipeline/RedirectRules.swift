/// What to do with an answer that points elsewhere (RFC 9110 §15.4). Pure.
enum RedirectRules {
    /// The headers, in lower case, that may go to another origin: plain facts about the client, and which part of a file it lacks.
    /// Everything else, secret or not, is bound to the origin that it was made for.
    static let portable: Set<String> = ["accept", "accept-encoding", "accept-language", "user-agent", "range", "if-range"]

    /// The next request; `nil` if the answer is not a redirect to be followed.
    static func next(after response: HTTPResponse, to request: HTTPRequest) throws -> HTTPRequest? {
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
            next.bodySource = nil
            for field in request.headers.fields where describesBody(field.name.lowercased()) { next.headers.remove(field.name) }
        }
        if let source = next.bodySource, !source.isReplayable {
            throw refused("The answer asks for the body to be sent again, which can be read only once.")
        }
        guard target.origin != request.address.origin else { return next }
        if request.address.scheme == "https", target.scheme == "http" {
            throw refused("The answer leads from https to http.")
        }
        if next.body != nil || next.bodySource != nil {
            throw refused("The answer asks for the body to be sent to another origin, \(target.origin).")
        }
        next.headers = HTTPHeaders(next.headers.fields.filter { portable.contains($0.name.lowercased()) })
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

    /// Whether a header goes when the body goes (RFC 9110 §15.4, RFC 9530 §2).
    private static func describesBody(_ name: String) -> Bool {
        name.hasPrefix("content-") || ["digest", "repr-digest", "last-modified"].contains(name)
    }

    /// Resolves a reference against the address that gave it (RFC 3986 §5.2).
    private static func resolve(_ reference: String, against base: HTTPAddress) throws -> HTTPAddress {
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
