public import Foundation

/// A token that is sent with every request, and the refresh token to replace it.
///
/// It decodes from its own members and from the response of an OAuth token endpoint (RFC 6749 §5.1): `access_token`, `refresh_token` and `expires_in`
/// (seconds from now).
public struct BearerToken: Codable, Sendable, Equatable {
    /// The token that requests carry.
    public var accessToken: String
    /// The token that a refresh sends to get a new access token.
    public var refreshToken: String?
    /// The time at which the token expires, or `nil` if unknown.
    public var expiry: Date?
    /// The user of the token, or `nil` if unknown.
    ///
    /// Without a user, calls belong to the session, from the sign-in to the sign-out. A second sign-in then starts a new session, and nothing is
    /// cached on disk.
    public var user: String?

    /// Creates a token from the response of a sign-in or a refresh.
    public init(accessToken: String, refreshToken: String? = nil, expiry: Date? = nil, user: String? = nil) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiry = expiry
        self.user = user
    }

    /// Returns the token with the former token's refresh token and user where it lacks them (RFC 6749 §6).
    func completed(by former: BearerToken) -> BearerToken {
        var token = self
        token.refreshToken = refreshToken ?? former.refreshToken
        token.user = user ?? former.user
        return token
    }

    var identity: String { user ?? MessageDigest.sha256(accessToken).hex }

    /// Whether the token expires within this time.
    func expires(within margin: Duration, of now: Date) -> Bool {
        expiry.map { $0.timeIntervalSince(now) <= margin / .seconds(1) } ?? false
    }
}

/// A user's id and the ticket that proves it.
public struct HeaderCredential: Codable, Sendable, Equatable {
    /// The id of the user.
    public var user: String
    /// The ticket that proves who the user is.
    public var ticket: String

    /// Creates a credential from a user's id and ticket.
    public init(user: String, ticket: String) {
        self.user = user
        self.ticket = ticket
    }
}

/// A user's name and password.
public struct BasicCredential: Codable, Sendable, Equatable {
    /// The name of the user, which must not contain a colon.
    public var user: String
    /// The password of the user.
    public var password: String

    /// Creates a credential from a user's name and password.
    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}

// Descriptions and mirrors that hide secrets.

extension BearerToken: CustomStringConvertible, CustomReflectable {
    public var description: String { "BearerToken(\(Redaction.mark))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HeaderCredential: CustomStringConvertible, CustomReflectable {
    public var description: String { "HeaderCredential(\(user), \(Redaction.mark))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension BasicCredential: CustomStringConvertible, CustomReflectable {
    public var description: String { "BasicCredential(\(user), \(Redaction.mark))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
