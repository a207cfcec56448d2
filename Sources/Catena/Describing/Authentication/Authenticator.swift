import CatenaPlatform

/// Adds a credential to requests and refreshes it.
///
/// ``BearerAuthenticator``, ``HeaderPairAuthenticator``, ``QueryAuthenticator`` and ``BasicAuthenticator`` are ready-made. Your own authenticator
/// implements how a request carries a credential and how a credential is refreshed:
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
    /// The type of the credential.
    associatedtype Credential: Codable & Sendable

    /// Whether a call without a credential fails with ``APIError/Kind/missingCredential`` instead of being sent without one.
    var requiresCredential: Bool { get }

    /// Whether ``refresh(_:)`` can replace a credential.
    var canRefresh: Bool { get }

    /// Adds a credential to a request that is about to be sent.
    func apply(_ credential: Credential, to request: inout HTTPRequest) throws

    /// Exchanges a credential that is no longer accepted for a new one. Requests that run inside this method are sent without a credential.
    ///
    /// If the new credential is another user's, this counts as the sign-in of that user.
    func refresh(_ credential: Credential) async throws -> Credential

    /// Whether a credential is known to have expired, so that it is refreshed before the request is sent.
    func needsRefresh(_ credential: Credential) -> Bool

    /// Whether the response says that the credential is invalid. Called only for errors that have a response.
    func isUnauthorized(_ error: APIError) -> Bool

    /// The names under which ``apply(_:to:)`` sends the credential. Catena redacts their values wherever it shows a request. Names such as
    /// `Authorization` or `X-Token` need not be listed.
    var secrets: Secrets { get }

    /// Returns a string that identifies the user and is not a secret. Calls share responses only if their identities are equal.
    func identity(of credential: Credential) -> String

    /// Returns the user, as in ``identity(of:)``, or `nil` if the credential does not identify the user.
    ///
    /// Without a user, a call belongs to the session, from the sign-in to the sign-out, and nothing is cached on disk for it.
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

extension Authenticator {
    /// The user of a credential, for comparisons.
    package func exactUser(of credential: Credential) -> ExactText? { user(of: credential).map { ExactText($0) } }
}

/// Matches the responses that say that a credential is invalid.
///
/// ```swift
/// UnauthorizedRule(codes: [10001, "TOKEN_EXPIRED"])      // matches with HTTP status 200, too
/// ```
public struct UnauthorizedRule: Sendable, Equatable {
    /// The HTTP statuses that match.
    public var statuses: Set<Int>
    /// The business codes that match.
    public var codes: Set<ErrorCode>

    /// Creates a rule that matches responses with any of these HTTP statuses or any of these business codes.
    public init(statuses: Set<Int> = [401], codes: Set<ErrorCode> = []) {
        self.statuses = statuses
        self.codes = codes
    }

    func matches(_ error: APIError) -> Bool {
        error.status.map(statuses.contains) == true || codes.contains(error.code)
    }
}

/// Sends a name and a password as `Authorization: Basic …` (RFC 7617).
public struct BasicAuthenticator: Authenticator {
    /// Creates an authenticator for names and passwords.
    public init() {}

    /// Returns `false`, because a name and a password cannot be refreshed.
    public var canRefresh: Bool { false }

    /// Adds the header. Throws an ``APIError`` if the name contains a colon, which separates name and password (RFC 7617 §2).
    public func apply(_ credential: BasicCredential, to request: inout HTTPRequest) throws {
        guard !credential.user.utf8.contains(UInt8(ascii: ":")) else {
            throw APIError.invalid("authentication", "the user's name contains a colon")
        }
        let pair = Data("\(credential.user):\(credential.password)".utf8)
        request.headers["Authorization"] = "Basic \(pair.base64EncodedString())"
    }

    public func refresh(_ credential: BasicCredential) async throws -> BasicCredential { credential }

    public func identity(of credential: BasicCredential) -> String { credential.user }
}

/// Sends a user's id and ticket in two headers, or neither while no user is signed in.
///
/// ```swift
/// HeaderPairAuthenticator(user: "pub_uid", ticket: "pub_ticket")
/// ```
public struct HeaderPairAuthenticator: Authenticator {
    private let userHeader: String
    private let ticketHeader: String
    /// The rule for responses that say that the ticket is invalid.
    public var unauthorized = UnauthorizedRule()
    /// Whether calls fail while no user is signed in.
    public var requiresCredential = false
    private let renew: (@Sendable (HeaderCredential) async throws -> HeaderCredential)?

    /// Creates an authenticator that sends the id and the ticket in headers of these names.
    ///
    /// - Parameters:
    ///   - user: The name of the header with the user's id.
    ///   - ticket: The name of the header with the ticket.
    ///   - refresh: Exchanges a ticket for a new one. Without it, a call whose ticket is invalid fails.
    public init(user: String, ticket: String, refresh: (@Sendable (HeaderCredential) async throws -> HeaderCredential)? = nil) {
        userHeader = user
        ticketHeader = ticket
        renew = refresh
    }

    public var canRefresh: Bool { renew != nil }

    public var secrets: Secrets { Secrets(headers: userHeader, ticketHeader) }

    public func apply(_ credential: HeaderCredential, to request: inout HTTPRequest) {
        request.headers[userHeader] = credential.user
        request.headers[ticketHeader] = credential.ticket
    }

    public func refresh(_ credential: HeaderCredential) async throws -> HeaderCredential {
        try await renew?(credential) ?? credential
    }

    public func isUnauthorized(_ error: APIError) -> Bool { unauthorized.matches(error) }

    public func identity(of credential: HeaderCredential) -> String { credential.user }
}
