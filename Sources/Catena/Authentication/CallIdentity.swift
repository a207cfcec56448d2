/// In whose name a call is made. A call is bound to it when it begins: nothing of it is sent, kept or given in another's name.
struct CallIdentity: Sendable, Hashable {
    /// The time from a sign-in to its sign-out; a refresh does not end it.
    struct Session: Sendable, Hashable {
        /// Tells the sign-ins of several backends apart.
        let authentication: UInt64
        let number: Int
    }

    private enum Holder: Sendable, Hashable {
        /// A call that asks for no credential, such as a sign-in or a part of a refresh.
        case exempt
        /// Nobody was signed in.
        case nobody
        case session(Session, user: String?)
        /// Somebody of whom only a token is known, which an app's closure gave: the next one may be another user's.
        case token(Session, digest: String)
    }

    private let holder: Holder

    /// Of a call that goes without a credential, whoever is signed in.
    static let exempt = CallIdentity(holder: .exempt)
    /// Of a call that began when nobody was signed in.
    static let nobody = CallIdentity(holder: .nobody)

    /// - Parameter user: What tells the user from others, where that is known.
    static func session(_ session: Session, user: String?) -> CallIdentity {
        CallIdentity(holder: .session(session, user: user))
    }

    /// - Parameter digest: What tells the token from others.
    static func token(_ session: Session, digest: String) -> CallIdentity {
        CallIdentity(holder: .token(session, digest: digest))
    }

    var isExempt: Bool { holder == .exempt }

    /// Whether a credential goes with the call.
    var isSignedIn: Bool { !isExempt && holder != .nobody }

    /// What tells the token of an app's closure from others; `nil` if it is none.
    var token: String? { if case .token(_, let digest) = holder { digest } else { nil } }

    /// What stands for it in the keys of what is kept and shared; `nil` if no credential goes with the call. A name cannot pass for a session or
    /// a token.
    var key: String? {
        switch holder {
        case .exempt, .nobody: nil
        case .session(_, let user?): "user \(user)"
        case .session(let session, nil): "session \(session.authentication) \(session.number)"
        case .token(_, let digest): "token \(digest)"
        }
    }

    /// Whether what is kept for it may outlive the process. A session does not, and its number would come to mean another one.
    /// Nothing that goes back to a token is on disk either.
    var isLasting: Bool {
        switch holder {
        case .session(_, nil), .token: false
        case .exempt, .nobody, .session: true
        }
    }

    /// Whether a call of this identity may go on with the credential of the present one: it is the same session, or the same user, who has
    /// signed in again.
    func mayGoOn(as present: CallIdentity) -> Bool {
        switch (holder, present.holder) {
        case (.session(let own, let user), .session(let other, let otherUser)): own == other || (user != nil && user == otherUser)
        case (.token(let own, let digest), .token(let other, let otherDigest)): own == other || digest == otherDigest
        default: false
        }
    }
}
