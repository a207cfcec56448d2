/// What a call needs of the sign-in of its backend; ``Authentication`` is it.
public protocol RequestAuthentication: Sendable {
    /// What tells the user who is signed in from others; `nil` if nobody is.
    func identity() throws -> String?

    /// Puts the present credential into a request that is about to be sent, after refreshing it if that is known to be needed.
    func authenticate(_ request: inout HTTPRequest, _ context: AuthenticationContext) async throws -> AuthenticationPass

    /// Under which names credentials are sent.
    var secrets: Secrets { get }

    /// Whether a call that failed is worth being sent again, because there is, or now has been got, another credential.
    ///
    /// - Throws: Why no other one could be got.
    func recover(from refusal: APIError, _ pass: AuthenticationPass, _ context: AuthenticationContext) async throws -> Bool
}

extension RequestAuthentication {
    public var secrets: Secrets { Secrets() }
}

/// With which credential a request was sent.
public struct AuthenticationPass: Sendable, Equatable {
    let generation: Int
    /// Tells one user from the next: it ends when somebody signs out.
    let session: Int
    /// What tells the user from others; `nil` if the request was sent without a credential.
    public let identity: String?
}

/// What the sign-in may use of the client.
public struct AuthenticationContext: Sendable {
    let clock: any TimerClock
    /// Whether a credential may be refreshed; a preview only looks.
    var mayRefresh = true
    /// Is told when a new credential could not be stored.
    var report: @Sendable (any Error) -> Void = { _ in }
}
