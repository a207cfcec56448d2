/// The sign-in of a backend: an ``Authentication``, or the result of `.bearer(…)`, `.basic(…)`, `.digest(…)` or `.apiKey(…)`.
///
/// For your own scheme, write an ``Authenticator`` and pass it to an ``Authentication``.
public protocol RequestAuthentication: Sendable {
    /// The source of the credentials for the calls of a tag.
    var credentialSource: CredentialSource { get }
}

/// The source from which the calls of a tag get their credentials.
public struct CredentialSource: Sendable {
    let authentication: any CallAuthentication
}

/// The operations of a sign-in that calls use.
protocol CallAuthentication: RequestAuthentication {
    /// Returns the identifier of the user who is signed in, or `nil` if no user is.
    func identity() throws -> String?

    /// Returns the identity of a call that begins now.
    func callIdentity() throws -> CallIdentity

    /// Whether the stored credential has been read, so that ``callIdentity()`` waits for no store.
    var isLoaded: Bool { get }

    /// Reads the stored credential on a thread that may block.
    func readStore() async throws

    /// Returns the identity of a call that began before the stored credential was read: that of its user, even if another one has signed in since.
    func identityBeforeLoading() throws -> CallIdentity

    /// Adds the credential in use to a request that is about to be sent. Returns `nil` if the call has to wait for a credential.
    ///
    /// - Throws: ``APIError/Kind/missingCredential`` if the credential does not belong to the call's identity.
    func authenticate(_ request: inout HTTPRequest, _ context: AuthenticationContext) throws -> AuthenticationPass?

    /// Waits for a credential after ``authenticate(_:_:)`` has returned `nil`. An expired one is refreshed.
    func awaitCredential(_ context: AuthenticationContext) async throws

    /// Whether the credential depends on each request as it is sent, so that ``finish(_:_:)`` adds it.
    var isPerRequest: Bool { get }

    /// Adds the credential that depends on the finished request.
    func finish(_ request: inout HTTPRequest, _ pass: AuthenticationPass)

    /// Reads the headers of a response to a request for what the next requests need.
    func note(_ headers: HTTPHeaders, to request: HTTPRequest)

    /// Whether this machine has no credential but other machines may have one.
    var mayFindCredential: Bool { get }

    /// Whether a request was sent with a credential that came from another machine.
    func hasTakenOver(_ pass: AuthenticationPass) -> Bool

    /// Takes over the credential of other machines, if this machine has none.
    func findCredential(_ outageHandler: OutageHandler) async

    /// The tokens and passwords of the sign-in, also former ones.
    var held: HeldSecrets { get }

    /// The names under which credentials are sent.
    var secrets: Secrets { get }

    /// Returns whether to send a failed call again because there is another credential. Refreshes the credential if necessary.
    ///
    /// - Throws: The error of the refresh, or an error if the new credential is another user's.
    func recover(from refusal: APIError, _ pass: AuthenticationPass, _ context: AuthenticationContext) async throws -> Bool

    /// Records that the repeated call failed, too.
    func noteSecondFailure(_ error: APIError, _ pass: AuthenticationPass, _ context: AuthenticationContext)

    /// Returns the changes of the session from now on, or `nil` if the sign-in does not know its sessions.
    func sessions(of tag: Tag) -> AsyncStream<SessionChange>?
}

extension CallAuthentication {
    var isLoaded: Bool { true }

    func readStore() async throws {}

    func identityBeforeLoading() throws -> CallIdentity { try callIdentity() }

    var isPerRequest: Bool { false }

    func finish(_ request: inout HTTPRequest, _ pass: AuthenticationPass) {}

    func note(_ headers: HTTPHeaders, to request: HTTPRequest) {}

    var mayFindCredential: Bool { false }

    func hasTakenOver(_ pass: AuthenticationPass) -> Bool { false }

    func findCredential(_ outageHandler: OutageHandler) async {}

    var secrets: Secrets { Secrets() }

    func sessions(of tag: Tag) -> AsyncStream<SessionChange>? { nil }
}

/// The credential that a request was sent with.
struct AuthenticationPass: Sendable, Equatable {
    let generation: Int
    /// The identity under which the request was sent.
    let caller: CallIdentity
    /// The identifier of the user, or `nil` if the request was sent without a credential.
    let identity: String?

    /// Returns a pass for a request that is sent without a credential.
    static func without(_ caller: CallIdentity) -> AuthenticationPass {
        AuthenticationPass(generation: -1, caller: caller, identity: nil)
    }
}

/// The client's services for a sign-in, and the call's properties that it needs.
package struct AuthenticationContext: Sendable {
    package let clock: any TimerClock
    /// The identity of the call, or `nil` if the call begins now.
    var caller: CallIdentity?
    /// The method, origin and path, without params. Refusals are recorded by route.
    var route: String?
    /// The tokens of the call, if an app's closure returns them.
    var tokens: CallTokens?
    /// Whether a credential may be refreshed; `false` for previews.
    var mayRefresh = true
    /// Receives the events of a store that machines share.
    package var outageHandler: OutageHandler = .silent
    /// Receives the error if a new credential cannot be saved.
    var report: @Sendable (any Error) -> Void = { _ in }
}
