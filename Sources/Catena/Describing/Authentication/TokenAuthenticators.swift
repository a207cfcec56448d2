import CatenaPlatform

/// Sends a token as `Authorization: Bearer …` (RFC 6750 §2.1).
///
/// ```swift
/// BearerAuthenticator { old in
///     try await API.tag(.forum).post("/token").params(["refresh": old.refreshToken]).value(as: BearerToken.self)
/// }
/// ```
public struct BearerAuthenticator: Authenticator {
    /// The rule for responses that say that the token is invalid.
    public var unauthorized = UnauthorizedRule()
    /// The remaining lifetime below which a token is refreshed before a request is sent.
    public var margin = Duration.seconds(30)
    private let placement: TokenPlacement
    /// Returns the current time, with which the expiry is compared.
    var now: @Sendable () -> Date = { Date() }

    /// Creates an authenticator for bearer tokens.
    ///
    /// - Parameter refresh: Exchanges a token for a new one. If the new token lacks the refresh token or the user, those of the old one are kept.
    ///   Without this closure, a call whose token is invalid fails.
    public init(refresh: (@Sendable (BearerToken) async throws -> BearerToken)? = nil) {
        placement = TokenPlacement(place: .authorization, renew: refresh)
    }

    public var canRefresh: Bool { placement.canRefresh }

    public func apply(_ credential: BearerToken, to request: inout HTTPRequest) {
        placement.apply(credential, to: &request)
    }

    public func refresh(_ credential: BearerToken) async throws -> BearerToken {
        try await placement.refresh(credential)
    }

    public func needsRefresh(_ credential: BearerToken) -> Bool { credential.expires(within: margin, of: now()) }

    public func isUnauthorized(_ error: APIError) -> Bool { unauthorized.matches(error) }

    public func identity(of credential: BearerToken) -> String { credential.identity }

    public func user(of credential: BearerToken) -> String? { credential.user }
}

/// Sends a key or a token in a header such as `X-API-Key: …`.
public struct HeaderAuthenticator: Authenticator {
    /// The name of the header.
    public let name: String
    /// The rule for responses that say that the key is invalid.
    public var unauthorized = UnauthorizedRule()
    /// The remaining lifetime below which a token is refreshed before a request is sent.
    public var margin = Duration.seconds(30)
    private let placement: TokenPlacement
    /// Returns the current time, with which the expiry is compared.
    var now: @Sendable () -> Date = { Date() }

    /// Creates an authenticator that sends the key in the header of this name.
    ///
    /// - Parameters:
    ///   - name: The name of the header.
    ///   - refresh: Exchanges a token for a new one. Without it, a call whose key is invalid fails.
    public init(_ name: String, refresh: (@Sendable (BearerToken) async throws -> BearerToken)? = nil) {
        self.name = name
        placement = TokenPlacement(place: .header(name), renew: refresh)
    }

    public var canRefresh: Bool { placement.canRefresh }

    public var secrets: Secrets { placement.secrets }

    public func apply(_ credential: BearerToken, to request: inout HTTPRequest) {
        placement.apply(credential, to: &request)
    }

    public func refresh(_ credential: BearerToken) async throws -> BearerToken {
        try await placement.refresh(credential)
    }

    public func needsRefresh(_ credential: BearerToken) -> Bool { credential.expires(within: margin, of: now()) }

    public func isUnauthorized(_ error: APIError) -> Bool { unauthorized.matches(error) }

    public func identity(of credential: BearerToken) -> String { credential.identity }

    public func user(of credential: BearerToken) -> String? { credential.user }
}

/// Sends a token as a query param: `?access_token=…`.
///
/// Servers and proxies on the way log URLs, so use it only if the backend accepts no header.
public struct QueryAuthenticator: Authenticator {
    /// The name of the param.
    public let name: String
    /// The rule for responses that say that the token is invalid.
    public var unauthorized = UnauthorizedRule()
    /// The remaining lifetime below which a token is refreshed before a request is sent.
    public var margin = Duration.seconds(30)
    private let placement: TokenPlacement
    /// Returns the current time, with which the expiry is compared.
    var now: @Sendable () -> Date = { Date() }

    /// Creates an authenticator that sends the token as a param of this name.
    ///
    /// - Parameters:
    ///   - name: The name of the param.
    ///   - refresh: Exchanges a token for a new one. Without it, a call whose token is invalid fails.
    public init(_ name: String, refresh: (@Sendable (BearerToken) async throws -> BearerToken)? = nil) {
        self.name = name
        placement = TokenPlacement(place: .query(name), renew: refresh)
    }

    public var canRefresh: Bool { placement.canRefresh }

    public var secrets: Secrets { placement.secrets }

    public func apply(_ credential: BearerToken, to request: inout HTTPRequest) {
        placement.apply(credential, to: &request)
    }

    public func refresh(_ credential: BearerToken) async throws -> BearerToken {
        try await placement.refresh(credential)
    }

    public func needsRefresh(_ credential: BearerToken) -> Bool { credential.expires(within: margin, of: now()) }

    public func isUnauthorized(_ error: APIError) -> Bool { unauthorized.matches(error) }

    public func identity(of credential: BearerToken) -> String { credential.identity }

    public func user(of credential: BearerToken) -> String? { credential.user }
}

/// The place of a token in a request, and the closure that renews the token.
struct TokenPlacement: Sendable {
    enum Place: Sendable {
        /// The header `Authorization`, after the word `Bearer`.
        case authorization
        case header(String)
        case query(String)
    }

    let place: Place
    let renew: (@Sendable (BearerToken) async throws -> BearerToken)?

    var canRefresh: Bool { renew != nil }

    var secrets: Secrets {
        switch place {
        case .authorization: Secrets()
        case .header(let name): Secrets(headers: name)
        case .query(let name): Secrets(params: name)
        }
    }

    func apply(_ token: BearerToken, to request: inout HTTPRequest) {
        switch place {
        case .authorization: request.headers["Authorization"] = "Bearer \(token.accessToken)"
        case .header(let name): request.headers[name] = token.accessToken
        case .query(let name): request.address.setQuery(name, to: token.accessToken)
        }
    }

    /// Returns a new token, or the same one without a closure that renews it.
    func refresh(_ token: BearerToken) async throws -> BearerToken {
        try await renew?(token).completed(by: token) ?? token
    }
}

extension HTTPAddress {
    /// Sets a query param and removes all others of the same name.
    mutating func setQuery(_ name: String, to value: String) {
        var pairs = (query ?? "").split(separator: "&").map(String.init)
        pairs.removeAll { PercentDecoding.decode($0.prefix { $0 != "=" }, plusIsSpace: true) == name }
        pairs.append(PercentEncoding.query.encode(name) + "=" + PercentEncoding.query.encode(value))
        query = pairs.joined(separator: "&")
    }
}
