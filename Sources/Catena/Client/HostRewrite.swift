/// Sends requests for some hosts to others, such as a mirror or a gateway that stands before them.
///
/// ```swift
/// let gateway = HostRewrite(["forum.example.com": "https://gateway.example.com/forum"])
/// API.intercept("gateway", with: gateway.intercept)
/// ```
///
/// `GET https://forum.example.com/users?page=1` goes out as `GET https://gateway.example.com/forum/users?page=1`, with all of its headers, so
/// name only hosts that may see them. Requests for other hosts stay as they are.
public struct HostRewrite: Sendable {
    private let table: [String: String]
    private let change: @Sendable (inout HTTPRequest) -> Void

    /// - Parameters:
    ///   - table: The new host, with or without a path, by the name of the old one, to which a port belongs where it is not that of the scheme.
    ///   - change: What else becomes of a request that is rewritten.
    public init(_ table: [String: String], change: @escaping @Sendable (inout HTTPRequest) -> Void = { _ in }) {
        self.table = Dictionary(table.map { ($0.lowercased(), $1) }) { first, _ in first }
        self.change = change
    }

    /// The request with its new host.
    ///
    /// - Throws: An ``APIError`` of the kind `invalidRequest` if the table has something else than an address.
    public func rewriting(_ request: HTTPRequest) throws -> HTTPRequest {
        let address = request.address
        let name = address.port.map { "\(address.host):\($0)" } ?? address.host
        guard let text = table[name] else { return request }
        let base = try RequestAssembly.address(text, step: "HostRewrite")
        let path = base.path.utf8.last == UInt8(ascii: "/") ? String(base.path.dropLast()) : base.path
        var request = request
        request.address = HTTPAddress(
            scheme: base.scheme, host: base.host, port: base.port, path: path + address.path, query: address.query)
        change(&request)
        return request
    }

    /// An ``Interceptor`` that rewrites each request.
    public func intercept(_ call: Call, next: @Sendable (Call) async throws -> HTTPResponse) async throws -> HTTPResponse {
        var call = call
        call.request = try rewriting(call.request)
        return try await next(call)
    }
}

extension HTTPAddress {
    /// Appends to the path, `"/_gateway"` for instance; what cannot stand in a path is percent-encoded.
    public mutating func append(path suffix: String) {
        path += PercentEncoding.path.encode(suffix).replacing("?", with: "%3F").replacing("#", with: "%23")
        path = Self.removingDotSegments(from: path)
    }
}
