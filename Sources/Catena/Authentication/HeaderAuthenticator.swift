import Foundation

/// Sends a key or a token in a header such as `X-API-Key: …`.
public struct HeaderAuthenticator: Authenticator {
    /// The name of the header.
    public let name: String
    /// The rule for responses that say that the key is invalid.
    public var unauthorized = UnauthorizedRule()
    /// The remaining lifetime below which a token is refreshed before a request is sent.
    public var margin = Duration.seconds(30)
    private let renew: (@Sendable (BearerToken) async throws -> BearerToken)?
    /// Returns the current time, with which the expiry is compared.
    var now: @Sendable () -> Date = { Date() }

    /// Creates an authenticator that sends the key in the header of this name.
    ///
    /// - Parameters:
    ///   - name: The name of the header.
    ///   - refresh: Exchanges a token for a new one. Without it, a call whose key is invalid fails.
    public init(_ name: String, refresh: (@Sendable (BearerToken) async throws -> BearerToken)? = nil) {
        self.name = name
        renew = refresh
    }

    public var canRefresh: Bool { renew != nil }

    public var secrets: Secrets { Secrets(headers: name) }

    public func apply(_ credential: BearerToken, to request: inout HTTPRequest) {
        request.headers[name] = credential.accessToken
    }

    public func refresh(_ credential: BearerToken) async throws -> BearerToken {
        try await renew?(credential).completed(by: credential) ?? credential
    }

    public func needsRefresh(_ credential: BearerToken) -> Bool { credential.expires(within: margin, of: now()) }

    public func isUnauthorized(_ error: APIError) -> Bool { unauthorized.matches(error) }

    public func identity(of credential: BearerToken) -> String { credential.identity }

    public func user(of credential: BearerToken) -> String? { credential.user }
}
