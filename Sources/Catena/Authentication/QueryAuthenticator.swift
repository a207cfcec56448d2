/// Sends a token as a parameter of the query: `?access_token=…`.
///
/// Addresses end up in the logs of every server on the way; use it only where the backend knows nothing else.
public struct QueryAuthenticator: Authenticator {
    /// The name of the parameter.
    public let name: String
    /// Which answers say that the token is not accepted.
    public var unauthorized = UnauthorizedRule()
    private let renew: (@Sendable (BearerToken) async throws -> BearerToken)?

    /// - Parameter refresh: Gets a new token for an old one; without it a token that is not accepted fails the call.
    public init(_ name: String, refresh: (@Sendable (BearerToken) async throws -> BearerToken)? = nil) {
        self.name = name
        renew = refresh
    }

    public var canRefresh: Bool { renew != nil }

    public var secrets: Secrets { Secrets(params: name) }

    public func apply(_ credential: BearerToken, to request: inout HTTPRequest) {
        request.address.setQuery(name, to: credential.accessToken)
    }

    public func refresh(_ credential: BearerToken) async throws -> BearerToken {
        try await renew?(credential) ?? credential
    }

    public func isUnauthorized(_ error: APIError) -> Bool { unauthorized.matches(error) }

    public func identity(of credential: BearerToken) -> String { credential.identity }

    public func user(of credential: BearerToken) -> String? { credential.user }
}

extension HTTPAddress {
    /// Sets one parameter of the query, in place of all of that name.
    mutating func setQuery(_ name: String, to value: String) {
        var pairs = (query ?? "").split(separator: "&").map(String.init)
        pairs.removeAll { PercentDecoding.decode($0.prefix { $0 != "=" }, plusIsSpace: true) == name }
        pairs.append(PercentEncoding.query.encode(name) + "=" + PercentEncoding.query.encode(value))
        query = pairs.joined(separator: "&")
    }
}
