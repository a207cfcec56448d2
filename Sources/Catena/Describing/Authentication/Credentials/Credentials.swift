public import CatenaPlatform

/// A token that is sent with every request, and the refresh token to replace it.
///
/// It decodes from its own members and from the response of an OAuth token endpoint (RFC 6749 §5.1): `access_token`, `refresh_token` and `expires_in`
/// (seconds from now). Of a `user` in such a response it reads text only.
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

    /// Returns the token with the former token's refresh token and user where it lacks them (RFC 6749 §6). Another user's token keeps neither.
    func completed(by former: BearerToken) -> BearerToken {
        if let user, let known = former.user, ExactText(user) != ExactText(known) { return self }
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

extension BearerToken {
    /// Decodes the members of this type, or those of a token endpoint's response.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        accessToken = try members.decode(String.self, forKey: members.contains(.token) ? .token : .accessToken)
        refreshToken = try members.decodeIfPresent(String.self, forKey: members.contains(.refresh) ? .refresh : .refreshToken)
        guard [Member.token, .tokenType, .lifetime, .expiresIn].contains(where: members.contains) else {
            user = try members.decodeIfPresent(String.self, forKey: .user)
            expiry = try members.decodeIfPresent(Date.self, forKey: .expiry)
            return
        }
        // RFC 6749 §5.1 defines neither `user` nor `expiry`, so a backend may send them in any form.
        user = try? members.decodeIfPresent(String.self, forKey: .user)
        expiry = members.end(.lifetime) ?? members.end(.expiresIn)
    }

    /// The member names of `BearerToken` and of RFC 6749, and the latter in camel case, as a key strategy may have converted them.
    fileprivate enum Member: String, CodingKey {
        case accessToken, refreshToken, expiry, user
        case token = "access_token"
        case refresh = "refresh_token"
        case lifetime = "expires_in"
        case tokenType, expiresIn
    }
}

extension KeyedDecodingContainer<BearerToken.Member> {
    /// Converts a lifetime in seconds, which some backends send as a string, to its end.
    fileprivate func end(_ key: BearerToken.Member) -> Date? {
        let seconds = (try? decode(Double.self, forKey: key)) ?? (try? decode(String.self, forKey: key)).flatMap { Double($0) }
        guard let seconds, (0...3.2e9).contains(seconds) else { return nil }
        return Date(timeIntervalSinceNow: seconds)
    }
}
