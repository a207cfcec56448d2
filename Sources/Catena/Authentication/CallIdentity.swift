/// In whose name a call is made. A call is bound to it when it begins: nothing of it is sent, kept or given in another's name.
public struct CallIdentity: Sendable, Hashable {
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

    var isExempt: Bool { holder == .exempt }

    /// Whether a credential goes with the call.
    var isSignedIn: Bool { if case .session = holder { true } else { false } }

    /// What stands for it in the keys of what is kept and shared; `nil` if no credential goes with the call. A name cannot pass for a session.
    var key: String? {
        switch holder {
        case .exempt, .nobody: nil
        case .session(_, let user?): "user \(user)"
        case .session(let session, nil): "session \(session.authentication) \(session.number)"
        }
    }

    /// Whether what is kept for it may outlive the process. A session does not, and its number would come to mean another one.
    var isLasting: Bool { if case .session(_, nil) = holder { false } else { true } }

    /// Whether a call of this identity may go on with the credential of the present one: it is the same session, or the same user, who has
    /// signed in again.
    func mayGoOn(as present: CallIdentity) -> Bool {
        guard case .session(let own, let user) = holder, case .session(let other, let otherUser) = present.holder else { return false }
        return own == other || (user != nil && user == otherUser)
    }
}
