import CatenaPlatform

/// A cached response.
package struct CachedResponse: Sendable, Equatable {
    /// The head of the response, as stored on disk.
    struct Head: Sendable, Equatable, Codable {
        package struct Field: Sendable, Equatable, Codable {
            var name: String
            var value: String
        }

        var status: Int
        var fields: [Field]
        /// A digest of the request's value of each header that the server lists in `Vary`.
        var varying: [String: String]
        /// The times at which the request was sent and the response received.
        var requested: Date
        var received: Date
        /// The names by which a change finds the response, or `nil` if a former version has stored it.
        var names: [String]?

        var headers: HTTPHeaders { HTTPHeaders(fields.map { HTTPHeaders.Field(name: $0.name, value: $0.value) }) }
    }

    var head: Head
    var body: Data

    /// Returns the response with its age in the `Age` header (RFC 9111 §5.1).
    func response(to request: HTTPRequest, at now: Date) -> HTTPResponse {
        var headers = head.headers
        let age = CacheFreshness.age(of: head, headers, at: now) ?? 0
        headers["Age"] = String(Int(min(max(age, 0), 2_147_483_648)))
        return HTTPResponse(status: head.status, headers: headers, body: body, address: request.address)
    }

    /// Whether the request has the same values of the headers listed in `Vary` (RFC 9111 §4.1).
    func fits(_ request: HTTPRequest) -> Bool {
        head.varying.allSatisfy { name, value in Self.digest(of: name, in: request) == value }
    }

    /// Returns the response with the headers of a 304 (RFC 9111 §3.2, §4.3.4), or `nil` if the 304 is about another response.
    func updated(by response: HTTPResponse, to request: HTTPRequest, requested: Date, received: Date) -> CachedResponse? {
        if let tag = response.headers["ETag"], let own = head.headers["ETag"], Self.opaque(tag) != Self.opaque(own) { return nil }
        var headers = head.headers
        for name in Self.messageHeaders { headers.remove(name) }
        headers.merge(HTTPHeaders(response.headers.fields.filter { !Self.bodyHeaders.contains($0.name.lowercased()) }))
        var updated = self
        updated.head.fields = Self.kept(headers)
        updated.head.varying = Self.varying(headers, of: request)
        updated.head.requested = requested
        updated.head.received = received
        updated.head.names = ResponseNames.of(request.address, headers)
        return updated
    }

    /// The headers that describe the stored body, so that a 304 does not change them (RFC 9111 §3.2).
    private static let bodyHeaders: Set<String> = ["content-encoding", "content-length", "content-range", "content-type"]

    /// The headers that describe the message in which the response arrived, so that those of an older message do not outlive a 304. The age of a
    /// response follows from them and from the time at which the same message was received (RFC 9111 §4.2.3).
    private static let messageHeaders = ["Age", "Date"]

    /// Returns a request that revalidates this response, or `nil` if the response has no validator (RFC 9111 §4.3.1).
    func validation(of request: HTTPRequest) -> HTTPRequest? {
        var conditional = request
        let headers = head.headers
        if let tag = headers["ETag"] { conditional.headers["If-None-Match"] = tag }
        if let date = headers["Last-Modified"] { conditional.headers["If-Modified-Since"] = date }
        return conditional.headers == request.headers ? nil : conditional
    }

    /// Returns the tag without its weakness mark, which a weak comparison ignores (RFC 9110 §8.8.3.2).
    private static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }

    /// Returns the headers without those of a single connection, and without those that set cookies, which may be secrets of a session.
    private static func kept(_ headers: HTTPHeaders) -> [Head.Field] {
        let listed = (headers["Connection"] ?? "").lowercased().split(separator: ",").map { $0.trimmed() }
        let dropped = Set(listed).union([
            "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
            "proxy-authenticate", "proxy-authentication-info", "proxy-authorization", "set-cookie", "set-cookie2",
        ])
        return headers.fields.filter { !dropped.contains($0.name.lowercased()) }.map { Head.Field(name: $0.name, value: $0.value) }
    }

    private static func varying(_ headers: HTTPHeaders, of request: HTTPRequest) -> [String: String] {
        let names = (headers["Vary"] ?? "").lowercased().split(separator: ",").map { $0.trimmed() }
        return Dictionary(names.map { ($0, digest(of: $0, in: request)) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns a digest, because the value itself may be a secret, which must not be stored on disk.
    private static func digest(of name: String, in request: HTTPRequest) -> String {
        request.headers[name].map { MessageDigest.sha256($0).hex } ?? ""
    }
}

extension CachedResponse {
    init(_ response: HTTPResponse, to request: HTTPRequest, requested: Date, received: Date) {
        head = Head(
            status: response.status, fields: Self.kept(response.headers), varying: Self.varying(response.headers, of: request),
            requested: requested, received: received, names: ResponseNames.of(request.address, response.headers))
        body = response.body
    }

    /// The names by which a change finds the response, or `nil` if they are not known.
    package var names: [String]? { head.names }
}

extension CachedResponse.Head {
    /// Whether the response has a name that one of the patterns matches.
    func isNamed(by patterns: [PathPattern]) -> Bool { patterns.contains { ResponseNames.has(names, $0) } }
}
