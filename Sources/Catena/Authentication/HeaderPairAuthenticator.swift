/// Sends a user's id and ticket in two headers, and nothing while nobody is signed in.
///
/// ```swift
/// HeaderPairAuthenticator(user: "pub_uid", ticket: "pub_ticket")
/// ```
public struct HeaderPairAuthenticator: Authenticator {
    private let userHeader: String
    private let ticketHeader: String
    /// Which answers say that the ticket is not accepted.
    public var unauthorized = UnauthorizedRule()
    /// Whether calls fail while nobody is signed in.
    public var requiresCredential = false
    private let renew: (@Sendable (Ticket) async throws -> Ticket)?

    /// - Parameter refresh: Gets a new ticket for an old one; without it a ticket that is not accepted fails the call.
    public init(user: String, ticket: String, refresh: (@Sendable (Ticket) async throws -> Ticket)? = nil) {
        userHeader = user
        ticketHeader = ticket
        renew = refresh
    }

    public var canRefresh: Bool { renew != nil }

    public var secrets: Secrets { Secrets(headers: userHeader, ticketHeader) }

    public func apply(_ credential: Ticket, to request: inout HTTPRequest) {
        request.headers[userHeader] = credential.user
        request.headers[ticketHeader] = credential.ticket
    }

    public func refresh(_ credential: Ticket) async throws -> Ticket {
        try await renew?(credential) ?? credential
    }

    public func isUnauthorized(_ error: APIError) -> Bool { unauthorized.matches(error) }

    public func identity(of credential: Ticket) -> String { credential.user }
}
