/// How a backend knows who is calling.
///
/// ``BearerAuthenticator``, ``HeaderPairAuthenticator``, ``QueryAuthenticator`` and ``BasicAuthenticator`` are ready-made. One of your
/// own says how a credential is put into a request and how a new one is got for an old one:
///
/// ```swift
/// struct ForumAuthenticator: Authenticator {
///     func apply(_ credential: ForumSession, to request: inout HTTPRequest) {
///         request.headers["X-Session"] = credential.id
///     }
///     func refresh(_ credential: ForumSession) async throws -> ForumSession {
///         try await API.tag(.forum).post("/session").json(credential).value(as: ForumSession.self)
///     }
///     func identity(of credential: ForumSession) -> String { credential.userID }
/// }
/// ```
public protocol Authenticator<Credential>: Sendable {
    /// What proves who is calling.
    associatedtype Credential: Codable & Sendable

    /// Whether a call without a credential fails with ``APIError/Kind/missingCredential`` instead of being sent without one.
    var requiresCredential: Bool { get }

    /// Whether ``refresh(_:)`` can do anything.
    var canRefresh: Bool { get }

    /// Puts a credential into a request that is about to be sent.
    func apply(_ credential: Credential, to request: inout HTTPRequest) throws

    /// Gets a new credential for one that is not accepted any more. Requests that are executed in here go without a credential.
    func refresh(_ credential: Credential) async throws -> Credential

    /// Whether a credential is known to be of no use any more, so that it is refreshed before anything is sent.
    func needsRefresh(_ credential: Credential) -> Bool

    /// Whether an answer says that the credential is not accepted. Only asked if there is an answer.
    func isUnauthorized(_ error: APIError) -> Bool

    /// Under which names the credential is sent, which is hidden there wherever a request is shown. ``apply(_:to:)`` says where it goes; names
    /// such as `Authorization` or `X-Token` need not be told.
    var secrets: Secrets { get }

    /// What tells one user from another. Not a secret; answers are only shared under the same identity.
    func identity(of credential: Credential) -> String

    /// The user, as ``identity(of:)`` has it, where the credential tells; `nil` where only the session is known, so that a call belongs to the
    /// time from the sign-in to the sign-out and nothing is kept on disk for it.
    func user(of credential: Credential) -> String?
}

extension Authenticator {
    public var requiresCredential: Bool { true }
    public var canRefresh: Bool { true }
    public var secrets: Secrets { Secrets() }
    public func needsRefresh(_ credential: Credential) -> Bool { false }
    public func user(of credential: Credential) -> String? { identity(of: credential) }
    public func isUnauthorized(_ error: APIError) -> Bool { UnauthorizedRule().matches(error) }
}

/// Which answers say that a credential is not accepted.
///
/// ```swift
/// UnauthorizedRule(codes: [10001, "TOKEN_EXPIRED"])      // also with HTTP status 200
/// ```
public struct UnauthorizedRule: Sendable, Equatable {
    /// HTTP statuses.
    public var statuses: Set<Int>
    /// Business codes.
    public var codes: Set<ErrorCode>

    public init(statuses: Set<Int> = [401], codes: Set<ErrorCode> = []) {
        self.statuses = statuses
        self.codes = codes
    }

    func matches(_ error: APIError) -> Bool {
        error.status.map(statuses.contains) == true || codes.contains(error.code)
    }
}
