import Foundation

/// A response that was kept.
struct CachedResponse: Sendable, Equatable {
    /// The head of the response, as it is written to disk.
    struct Head: Sendable, Equatable, Codable {
        struct Field: Sendable, Equatable, Codable {
            var name: String
            var value: String
        }

        var status: Int
        var fields: [Field]
        /// For every header that the server names in `Vary`, what stands for its value in the request.
        var varying: [String: String]
        /// When the request was sent and when its response came.
        var requested: Date
        var received: Date

        var headers: HTTPHeaders { HTTPHeaders(fields.map { HTTPHeaders.Field(name: $0.name, value: $0.value) }) }
    }

    var head: Head
    var body: Data

    init(head: Head, body: Data) {
        self.head = head
        self.body = body
    }

    init(_ response: HTTPResponse, to request: HTTPRequest, requested: Date, received: Date) {
        head = Head(
            status: response.status, fields: Self.kept(response.headers), varying: Self.varying(response.headers, of: request),
            requested: requested, received: received)
        body = response.body
    }

    /// The response without the headers that set cookies, for stores that others may read.
    var withoutCookies: CachedResponse {
        var response = self
        response.head.fields.removeAll { ["set-cookie", "set-cookie2"].contains($0.name.lowercased()) }
        return response
    }

    /// The response, with how old it is (RFC 9111 §5.1).
    func response(to request: HTTPRequest, at now: Date) -> HTTPResponse {
        var headers = head.headers
        let age = CacheFreshness.age(of: head, headers, at: now) ?? 0
        headers["Age"] = String(Int(min(max(age, 0), 2_147_483_648)))
        return HTTPResponse(status: head.status, headers: headers, body: body, address: request.address)
    }

    /// Whether the response was given to a request with the same headers, as far as they matter (RFC 9111 §4.1).
    func fits(_ request: HTTPRequest) -> Bool {
        head.varying.allSatisfy { name, value in Self.digest(of: name, in: request) == value }
    }

    /// The response with what a 304 says about it (RFC 9111 §3.2, §4.3.4); `nil` if that is about another one.
    func updated(by response: HTTPResponse, to request: HTTPRequest, requested: Date, received: Date) -> CachedResponse? {
        if let tag = response.headers["ETag"], let own = head.headers["ETag"], Self.opaque(tag) != Self.opaque(own) { return nil }
        var headers = head.headers
        headers.merge(HTTPHeaders(response.headers.fields.filter { !Self.bodyHeaders.contains($0.name.lowercased()) }))
        var updated = self
        updated.head.fields = Self.kept(headers)
        updated.head.varying = Self.varying(headers, of: request)
        updated.head.requested = requested
        updated.head.received = received
        return updated
    }

    /// Headers that belong to the body that is kept, whatever a 304 says (RFC 9111 §3.2).
    private static let bodyHeaders: Set<String> = ["content-encoding", "content-length", "content-range", "content-type"]

    /// A request that asks whether this response still holds; `nil` if it cannot be asked about (RFC 9111 §4.3.1).
    func validation(of request: HTTPRequest) -> HTTPRequest? {
        var conditional = request
        let headers = head.headers
        if let tag = headers["ETag"] { conditional.headers["If-None-Match"] = tag }
        if let date = headers["Last-Modified"] { conditional.headers["If-Modified-Since"] = date }
        return conditional.headers == request.headers ? nil : conditional
    }

    /// Two tags that differ in weakness only are about the same thing (RFC 9110 §8.8.3.2).
    private static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }

    /// Nothing of one connection. A cookie stays, since the key of a response has its user and the cookies of its request; what is shared among
    /// machines has none (`withoutCookies`).
    private static func kept(_ headers: HTTPHeaders) -> [Head.Field] {
        let listed = (headers["Connection"] ?? "").lowercased().split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        let dropped = Set(listed).union([
            "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
            "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        ])
        return headers.fields.filter { !dropped.contains($0.name.lowercased()) }.map { Head.Field(name: $0.name, value: $0.value) }
    }

    private static func varying(_ headers: HTTPHeaders, of request: HTTPRequest) -> [String: String] {
        let names = (headers["Vary"] ?? "").lowercased().split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        return Dictionary(names.map { ($0, digest(of: $0, in: request)) }, uniquingKeysWith: { first, _ in first })
    }

    /// The value itself may be a secret, which has no business on a disk.
    private static func digest(of name: String, in request: HTTPRequest) -> String {
        request.headers[name].map { MessageDigest.sha256($0).hex } ?? ""
    }
}
