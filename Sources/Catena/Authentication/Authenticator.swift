import Foundation

/// How a credential is added to a request, and how it is refreshed.
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

    /// Whether a response says that the credential is not accepted. Only asked if there is a response.
    func isUnauthorized(_ error: APIError) -> Bool

    /// Under which names the credential is sent, which is hidden there wherever a request is shown. ``apply(_:to:)`` says where it goes; names
    /// such as `Authorization` or `X-Token` need not be listed.
    var secrets: Secrets { get }

    /// Identifies the user. Not a secret; responses are only shared under the same identity.
    func identity(of credential: Credential) -> String

    /// The user, as ``identity(of:)`` has it, if the credential identifies the user; `nil` if only the session is known, so that a call belongs
    /// to the time from the sign-in to the sign-out and nothing is kept on disk for it.
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

/// Which responses say that a credential is not accepted.
///
/// ```swift
/// UnauthorizedRule(codes: [10001, "TOKEN_EXPIRED"])      // also with HTTP status 200
/// ```
public struct UnauthorizedRule: Sendable, Equatable {
    /// HTTP statuses.
    public var statuses: Set<Int>
    /// Business codes.
    public var codes: Set<ErrorCode>

    /// Makes a rule that matches responses with any of these HTTP statuses or any of these business codes.
    public init(statuses: Set<Int> = [401], codes: Set<ErrorCode> = []) {
        self.statuses = statuses
        self.codes = codes
    }

    func matches(_ error: APIError) -> Bool {
        error.status.map(statuses.contains) == true || codes.contains(error.code)
    }
}

/// Sends name and password as `Authorization: Basic …` (RFC 7617).
public struct BasicAuthenticator: Authenticator {
    /// Makes an authenticator for names and passwords.
    public init() {}

    /// Name and password do not change by themselves.
    public var canRefresh: Bool { false }

    /// Throws an ``APIError`` if the name has a colon, which would end it (RFC 7617 §2).
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

/// Sends a token as `Authorization: Bearer …` (RFC 6750 §2.1).
///
/// ```swift
/// BearerAuthenticator { old in
///     try await API.tag(.forum).post("/token").params(["refresh": old.refreshToken]).value(as: BearerToken.self)
/// }
/// ```
public struct BearerAuthenticator: Authenticator {
    /// Which responses say that the token is not accepted.
    public var unauthorized = UnauthorizedRule()
    /// A token that has no more time left than this is refreshed before anything is sent.
    public var margin = Duration.seconds(30)
    private let renew: (@Sendable (BearerToken) async throws -> BearerToken)?
    /// The time with which expiry is compared.
    var now: @Sendable () -> Date = { Date() }

    /// Makes an authenticator that can refresh its token, if it is given a closure for that.
    ///
    /// - Parameter refresh: Gets a new token for an old one; without it a token that is not accepted fails the call. What the new one lacks,
    ///   its refresh token or its user, is kept from the old one.
    public init(refresh: (@Sendable (BearerToken) async throws -> BearerToken)? = nil) {
        renew = refresh
    }

    public var canRefresh: Bool { renew != nil }

    public func apply(_ credential: BearerToken, to request: inout HTTPRequest) {
        request.headers["Authorization"] = "Bearer \(credential.accessToken)"
    }

    public func refresh(_ credential: BearerToken) async throws -> BearerToken {
        try await renew?(credential).completed(by: credential) ?? credential
    }

    public func needsRefresh(_ credential: BearerToken) -> Bool { credential.expires(within: margin, of: now()) }

    public func isUnauthorized(_ error: APIError) -> Bool { unauthorized.matches(error) }

    public func identity(of credential: BearerToken) -> String { credential.identity }

    public func user(of credential: BearerToken) -> String? { credential.user }
}

/// Sends a user's id and ticket in two headers, and nothing while nobody is signed in.
///
/// ```swift
/// HeaderPairAuthenticator(user: "pub_uid", ticket: "pub_ticket")
/// ```
public struct HeaderPairAuthenticator: Authenticator {
    private let userHeader: String
    private let ticketHeader: String
    /// Which responses say that the ticket is not accepted.
    public var unauthorized = UnauthorizedRule()
    /// Whether calls fail while nobody is signed in.
    public var requiresCredential = false
    private let renew: (@Sendable (HeaderCredential) async throws -> HeaderCredential)?

    /// Makes an authenticator that sends the id and the ticket in headers of these names.
    ///
    /// - Parameters:
    ///   - user: The name of the header with the user's id.
    ///   - ticket: The name of the header with the ticket.
    ///   - refresh: Gets a new ticket for an old one; without it a ticket that is not accepted fails the call.
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

/// Sends a token as a parameter of the query: `?access_token=…`.
///
/// Addresses end up in the logs of every server on the way; use it only where the backend knows nothing else.
public struct QueryAuthenticator: Authenticator {
    /// The name of the parameter.
    public let name: String
    /// Which responses say that the token is not accepted.
    public var unauthorized = UnauthorizedRule()
    /// A token that has no more time left than this is refreshed before anything is sent.
    public var margin = Duration.seconds(30)
    private let renew: (@Sendable (BearerToken) async throws -> BearerToken)?
    /// The time with which expiry is compared.
    var now: @Sendable () -> Date = { Date() }

    /// Makes an authenticator that sends the token as a parameter of this name.
    ///
    /// - Parameters:
    ///   - name: The name of the parameter.
    ///   - refresh: Gets a new token for an old one; without it a token that is not accepted fails the call.
    public init(_ name: String, refresh: (@Sendable (BearerToken) async throws -> BearerToken)? = nil) {
        self.name = name
        renew = refresh
    }

    public var canRefresh: Bool { renew != nil }

    public var secrets: Secrets { Secrets(params: name) }

    public func apply(_ credential: BearerToken, to request: inout HTTPRequest) {
        request.address.setQuery(name, to: credential.accessToken)
    }

    public func refresh(_ credential: BearerToken) async throws -> BearerToken {
        try await renew?(credential).completed(by: credential) ?? credential
    }

    public func needsRefresh(_ credential: BearerToken) -> Bool { credential.expires(within: margin, of: now()) }

    public func isUnauthorized(_ error: APIError) -> Bool { unauthorized.matches(error) }

    public func identity(of credential: BearerToken) -> String { credential.identity }

    public func user(of credential: BearerToken) -> String? { credential.user }
}

extension HTTPAddress {
    /// Sets one parameter of the query, in place of all of that name.
    mutating func setQuery(_ name: String, to value: String) {
        var pairs = (query ?? "").split(separator: "&").map(String.init)
        pairs.removeAll { PercentDecoding.decode($0.prefix { $0 != "=" }, plusIsSpace: true) == name }
        pairs.append(PercentEncoding.query.encode(name) + "=" + PercentEncoding.query.encode(value))
        query = pairs.joined(separator: "&")
    }
}
