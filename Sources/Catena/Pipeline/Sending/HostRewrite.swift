/// Sends requests for some hosts to others, such as a mirror or a gateway that stands before them.
///
/// ```swift
/// let gateway = HostRewrite(["forum.example.com": "https://gateway.example.com/forum"])
/// API.intercept("gateway", with: gateway.intercept)
/// ```
///
/// `GET https://forum.example.com/users?page=1` goes out as `GET https://gateway.example.com/forum/users?page=1`. To another origin it takes
/// the headers of the call itself along; those of the tag only with `commonHeaders(.merged)`, and credential and signature only with
/// `authenticated()`. Requests for other hosts stay as they are.
public struct HostRewrite: Sendable {
    private let table: [String: String]
    private let change: @Sendable (inout HTTPRequest) -> Void

    /// Makes a rewrite from a table of hosts.
    ///
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

/// Goes to hosts directly as long as that works, and by way of others once it does not: a campus network's proxy, a second line.
///
/// ```swift
/// let proxy = HostFallback(HostRewrite(["forum.example.com": "https://vpn.example.com/forum"]), patience: .seconds(2))
/// API.configure(.forum) { $0.intercept("proxy", with: proxy.intercept) }
/// proxy.reset()        // when the network has changed
/// ```
///
/// A request that could not be sent (no name, no connection, no secure connection) goes by the other way at once. One that may have
/// arrived, because it took longer than the patience allows, does so only if its method is idempotent: a post is never sent twice. From then on all requests go by the other
/// way, until ``reset()``.
public final class HostFallback: Sendable {
    private let rewrite: HostRewrite
    private let patience: Duration?
    private let isOn = AtomicFlag()

    /// Makes a fallback that starts on the direct way.
    ///
    /// - Parameters:
    ///   - rewrite: The other way.
    ///   - patience: How long an idempotent request may take on the direct way; `nil` is as long as any attempt.
    public init(_ rewrite: HostRewrite, patience: Duration? = nil) {
        self.rewrite = rewrite
        self.patience = patience
    }

    /// Whether requests go by the other way.
    public var isActive: Bool { isOn.isSet }

    /// Tries the direct way again.
    public func reset() { isOn.set(false) }

    /// An ``Interceptor`` that sends each request.
    public func intercept(_ call: Call, next: @escaping @Sendable (Call) async throws -> HTTPResponse) async throws -> HTTPResponse {
        var other = call
        other.request = try rewrite.rewriting(call.request)
        // Not a host that there is another way to.
        guard other.request.address != call.request.address else { return try await next(call) }
        guard !isActive else { return try await next(other) }
        do {
            return try await direct(call, next)
        } catch let error as APIError where Self.isReason(error) {
            isOn.set()
            guard Self.wasNotSent(error) || call.request.method.isIdempotent, call.request.isReplayable else { throw error }
            return try await next(other)
        }
    }

    private func direct(
        _ call: Call, _ next: @escaping @Sendable (Call) async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        guard let patience, call.request.method.isIdempotent else { return try await next(call) }
        return try await withTimeLimit(
            patience, on: call.client.clock, error: APIError(.timeout, message: "The direct way took longer than \(patience).")
        ) {
            try await next(call)
        }
    }

    private static func isReason(_ error: APIError) -> Bool {
        wasNotSent(error) || (error.kind == .timeout && error.status == nil)
    }

    private static func wasNotSent(_ error: APIError) -> Bool {
        error.kind == .connect || error.kind == .dns || error.kind == .tls
    }
}

extension HostRewrite: CustomStringConvertible, CustomReflectable {
    /// The names of the old hosts. The new ones may have a password in front.
    public var description: String { "other hosts for " + table.keys.sorted().joined(separator: ", ") }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
