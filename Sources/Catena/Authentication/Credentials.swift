public import Foundation

/// A token that is sent with every request, and what is needed to get the next one.
///
/// It decodes from its own members and from the response of an OAuth token endpoint (RFC 6749 §5.1): `access_token`, `refresh_token` and
/// `expires_in`, in seconds from now.
public struct BearerToken: Codable, Sendable, Equatable {
    /// What is sent.
    public var accessToken: String
    /// What a new token is got with.
    public var refreshToken: String?
    /// When the token stops being accepted, if that is known.
    public var expiry: Date?
    /// Who the token belongs to. Without it calls belong to the session, from the sign-in to the sign-out; another sign-in counts as
    /// somebody else, and nothing is kept on disk.
    public var user: String?

    /// Makes a token from what a sign-in or a refresh gave.
    public init(accessToken: String, refreshToken: String? = nil, expiry: Date? = nil, user: String? = nil) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiry = expiry
        self.user = user
    }

    /// The token after a refresh: what the response lacks is kept from the one before (RFC 6749 §6).
    func completed(by former: BearerToken) -> BearerToken {
        var token = self
        token.refreshToken = refreshToken ?? former.refreshToken
        token.user = user ?? former.user
        return token
    }

    var identity: String { user ?? MessageDigest.sha256(accessToken).hex }

    /// Whether it expires before so much time has passed from now.
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

    /// Makes a credential from a user's id and ticket.
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

    /// Makes a credential from a user's name and password.
    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}

// Shown without what must stay secret, wherever they are printed.

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
