/// A change of the session of a tag's user. A session begins with a sign-in, and ends with a sign-out or with a refresh that the server refuses.
///
/// ```swift
/// for await change in client.sessions(of: .forum) where change.isEnd { showSignIn() }
/// ```
///
/// A session has one end, however many calls are refused. See ``Client/sessions(of:)``.
public struct SessionChange: Sendable, Equatable {
    /// The kind of a change.
    public enum Kind: Sendable, Equatable {
        /// A user has signed in.
        case signedIn
        /// The session has a new credential.
        case refreshed
        /// The server has refused to refresh the credential. The credential stays until ``Authentication/signOut()``.
        ///
        /// The error is that of the refresh. A failure that says nothing about the credential is no refusal, such as a network that cannot be reached,
        /// a timeout, or a status 429 or 503.
        case refused(APIError)
        /// The user has signed out, or another user has signed in.
        case signedOut
    }

    /// The tag for which the change is reported.
    public let tag: Tag
    /// The kind of the change.
    public let kind: Kind

    /// Whether the session has ended.
    public var isEnd: Bool {
        switch kind {
        case .refused, .signedOut: true
        case .signedIn, .refreshed: false
        }
    }
}

extension APIError {
    /// Whether the server has refused a refresh, so that the credential is of no more use. A failure that is not known to be a refusal is none, because the
    /// app may sign its user out.
    var refusesRefresh: Bool {
        let error = cause
        // Without a refresh token, for example, no refresh can be sent.
        if error.kind == .missingCredential { return true }
        guard let status = error.status, !error.isRateLimit, !error.isTemporaryRefusal else { return false }
        switch error.category {
        case .authentication?: return true
        // RFC 6749 §5.2 has 400 and 401. A code of a backend's own says that it is busy as well as that it refuses.
        case nil: return [400, 401, 403].contains(status)
        default: return false
        }
    }
}
