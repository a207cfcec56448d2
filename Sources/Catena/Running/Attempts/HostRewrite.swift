/// Sends requests for some hosts to others, such as a mirror or a gateway.
///
/// ```swift
/// let gateway = HostRewrite(["forum.example.com": "https://gateway.example.com/forum"])
/// API.intercept("gateway", with: gateway.intercept)
/// ```
///
/// `GET https://forum.example.com/users?page=1` is sent as `GET https://gateway.example.com/forum/users?page=1`. A request to another origin
/// keeps the headers of the call itself. It keeps headers of the tag only with `commonHeaders(.merged)`, and credential and signature only with
/// `authenticated()`. Requests for other hosts stay unchanged.
public struct HostRewrite: Sendable {
    private let table: [String: String]
    private let change: @Sendable (inout HTTPRequest) -> Void

    /// Creates a rewrite from a table of hosts.
    ///
    /// - Parameters:
    ///   - table: The new hosts, with or without a path, by the old hosts. An old host includes its port unless it is that of the scheme.
    ///   - change: A further change of each rewritten request.
    public init(_ table: [String: String], change: @escaping @Sendable (inout HTTPRequest) -> Void = { _ in }) {
        self.table = Dictionary(table.map { ($0.lowercased(), $1) }) { first, _ in first }
        self.change = change
    }

    /// Returns the request with its new host, or unchanged if the table does not contain its host.
    ///
    /// - Throws: An ``APIError`` of the kind `invalidRequest` if the entry of the table is not an address.
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

    /// Rewrites each request; pass it as the function of an ``Interceptor``.
    public func intercept(_ call: Call, next: @Sendable (Call) async throws -> HTTPResponse) async throws -> HTTPResponse {
        var call = call
        call.request = try rewriting(call.request)
        return try await next(call)
    }
}

extension HTTPAddress {
    /// Appends to the path, such as `"/_gateway"`. Characters that a path cannot contain are percent-encoded.
    public mutating func append(path suffix: String) {
        path += PercentEncoding.path.encode(suffix).replacing("?", with: "%3F").replacing("#", with: "%23")
        path = Self.removingDotSegments(from: path)
    }
}

/// Sends requests directly as long as that works, and then by an alternative route, such as the proxy of a campus network.
///
/// ```swift
/// let proxy = HostFallback(HostRewrite(["forum.example.com": "https://vpn.example.com/forum"]), patience: .seconds(2))
/// API.configure(.forum) { $0.intercept("proxy", with: proxy.intercept) }
/// proxy.reset()        // when the network has changed
/// ```
///
/// A request that could not be sent (no name, no connection, no secure connection) takes the alternative route at once. A request that took
/// longer than the patience may have arrived, so it takes that route only if its method is idempotent. A POST is never sent twice. All later
/// requests take the alternative route until ``reset()``.
public final class HostFallback: Sendable {
    private let rewrite: HostRewrite
    private let patience: Duration?
    private let isOn = AtomicFlag()

    /// Creates a fallback that begins with the direct route.
    ///
    /// - Parameters:
    ///   - rewrite: The alternative route.
    ///   - patience: The time that an idempotent request may take on the direct route, or `nil` for that of any attempt.
    public init(_ rewrite: HostRewrite, patience: Duration? = nil) {
        self.rewrite = rewrite
        self.patience = patience
    }

    /// Whether requests take the alternative route.
    public var isActive: Bool { isOn.isSet }

    /// Returns to the direct route.
    public func reset() { isOn.set(false) }

    /// Sends each request by one of the routes; pass it as the function of an ``Interceptor``.
    public func intercept(_ call: Call, next: @escaping @Sendable (Call) async throws -> HTTPResponse) async throws -> HTTPResponse {
        var other = call
        other.request = try rewrite.rewriting(call.request)
        // There is no alternative route for this host.
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
        isUnreachable(error) || (error.kind == .timeout && error.status == nil)
    }

    private static func isUnreachable(_ error: APIError) -> Bool {
        error.kind == .connect || error.kind == .dns || error.kind == .tls
    }

    /// Returns whether the request has not been sent. A redirect that was followed has answered it.
    private static func wasNotSent(_ error: APIError) -> Bool { isUnreachable(error) && error.contents.redirection == nil }
}

extension HostRewrite: CustomStringConvertible, CustomReflectable {
    /// The names of the old hosts. The new hosts are omitted, because they may contain a password.
    public var description: String { "other hosts for " + table.keys.ordered(by: <).joined(separator: ", ") }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
