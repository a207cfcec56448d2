import Foundation

/// Sends a token as `Authorization: Bearer …` (RFC 6750 §2.1).
///
/// ```swift
/// BearerAuthenticator { old in
///     try await API.tag(.forum).post("/token").params(["refresh": old.refreshToken]).value(as: BearerToken.self)
/// }
/// ```
public struct BearerAuthenticator: Authenticator {
    /// Which answers say that the token is not accepted.
    public var unauthorized = UnauthorizedRule()
    /// A token that has no more time left than this is refreshed before anything is sent.
    public var margin = Duration.seconds(30)
    private let renew: (@Sendable (BearerToken) async throws -> BearerToken)?
    /// The time with which expiry is compared.
    var now: @Sendable () -> Date = { Date() }

    /// - Parameter refresh: Gets a new token for an old one; without it a token that is not accepted fails the call.
    public init(refresh: (@Sendable (BearerToken) async throws -> BearerToken)? = nil) {
        renew = refresh
    }

    public var canRefresh: Bool { renew != nil }

    public func apply(_ credential: BearerToken, to request: inout HTTPRequest) {
        request.headers["Authorization"] = "Bearer \(credential.accessToken)"
    }

    public func refresh(_ credential: BearerToken) async throws -> BearerToken {
        try await renew?(credential) ?? credential
    }

    public func needsRefresh(_ credential: BearerToken) -> Bool {
        credential.expiry.map { $0.timeIntervalSince(now()) <= margin / .seconds(1) } ?? false
    }

    public func isUnauthorized(_ error: APIError) -> Bool { unauthorized.matches(error) }

    public func identity(of credential: BearerToken) -> String { credential.identity }

    public func user(of credential: BearerToken) -> String? { credential.user }
}
