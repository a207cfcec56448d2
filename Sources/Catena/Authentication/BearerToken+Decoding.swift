import Foundation

extension BearerToken {
    /// Decodes the members of this type, or those of a token endpoint's response.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        accessToken = try members.decode(String.self, forKey: members.contains(.token) ? .token : .accessToken)
        refreshToken = try members.decodeIfPresent(String.self, forKey: members.contains(.refresh) ? .refresh : .refreshToken)
        user = try members.decodeIfPresent(String.self, forKey: .user)
        expiry = try members.decodeIfPresent(Date.self, forKey: .expiry) ?? members.end(.lifetime) ?? members.end(.expiresIn)
    }

    /// The member names of `BearerToken` and of RFC 6749, and the latter in camel case, as a key strategy may have converted them.
    fileprivate enum Member: String, CodingKey {
        case accessToken, refreshToken, expiry, user
        case token = "access_token"
        case refresh = "refresh_token"
        case lifetime = "expires_in"
        case expiresIn
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
