/// The user or session to which a call is bound when it begins. No request, cached response or result of the call uses another identity.
package enum CallIdentity: Sendable, Hashable {
    /// The time from a sign-in to its sign-out; a refresh does not end it.
    package struct Session: Sendable, Hashable {
        /// Distinguishes the sign-ins of several backends.
        let authentication: UInt64
        let number: Int
    }

    /// The identity of a call that is sent without a credential, even if a user is signed in, such as a sign-in or a request of a refresh.
    case exempt
    /// The identity of a call that began while no user was signed in.
    case nobody
    /// - Parameter user: The user's identifier, or `nil` if unknown.
    case session(Session, user: ExactText?)
    /// A token from an app's closure. Its user is unknown, so the next token may be another user's.
    ///
    /// - Parameter digest: The digest of the token.
    case token(Session, digest: String)

    var isExempt: Bool { self == .exempt }

    /// Whether the call carries a credential.
    var isSignedIn: Bool { !isExempt && self != .nobody }

    /// The digest of the token from an app's closure, or `nil` for another kind of identity.
    var token: String? { if case .token(_, let digest) = self { digest } else { nil } }

    /// The string that represents the identity in keys of cache and sharing, or `nil` for calls without a credential. Its prefix keeps a user's name
    /// from equalling the key of a session or token.
    var key: String? {
        switch self {
        case .exempt, .nobody: nil
        case .session(_, let user?): "user \(user.text)"
        case .session(let session, nil): "session \(session.authentication) \(session.number)"
        case .token(_, let digest): "token \(digest)"
        }
    }

    /// Whether responses of this identity may be stored on disk. A session's may not, because another run of the app can reuse its number. A
    /// token's may not either, because its user is unknown.
    var isLasting: Bool {
        switch self {
        case .session(_, nil), .token: false
        case .exempt, .nobody, .session: true
        }
    }

    /// Whether a call of this identity may continue with the present credential: session, token or user must be the same.
    func mayGoOn(as present: CallIdentity) -> Bool {
        switch (self, present) {
        case (.session(let own, let user), .session(let other, let otherUser)): own == other || (user != nil && user == otherUser)
        case (.token(let own, let digest), .token(let other, let otherDigest)): own == other || digest == otherDigest
        default: false
        }
    }
}
