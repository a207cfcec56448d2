/// What a profile takes as the sign-in of its backend: ``Authentication``, and what `.bearer(…)`, `.basic(…)` and `.apiKey(…)` give.
///
/// An app's own scheme is an ``Authenticator`` for an ``Authentication``.
public protocol RequestAuthentication: Sendable {
    /// What the calls of a tag ask.
    var credentialSource: CredentialSource { get }
}

/// Where the calls of a tag get their credentials.
public struct CredentialSource: Sendable {
    let authentication: any CallAuthentication
}

/// What a call needs of the sign-in of its backend.
protocol CallAuthentication: RequestAuthentication {
    /// What tells the user who is signed in from others; `nil` if nobody is.
    func identity() throws -> String?

    /// In whose name a call is made that begins now.
    func callIdentity() throws -> CallIdentity

    /// Puts the present credential into a request that is about to be sent, after refreshing it if that is known to be needed.
    ///
    /// - Throws: ``APIError/Kind/missingCredential`` where the credential is not that of the call's identity.
    func authenticate(_ request: inout HTTPRequest, _ context: AuthenticationContext) async throws -> AuthenticationPass

    /// The same where the credential need not be waited for; `nil` where it has to be.
    func authenticateAtOnce(_ request: inout HTTPRequest, _ context: AuthenticationContext) throws -> AuthenticationPass?

    /// Whether there is no credential here, but other machines may have one.
    var mayFindCredential: Bool { get }

    /// Whether a request was sent with what another machine has got.
    func hasTakenOver(_ pass: AuthenticationPass) -> Bool

    /// Takes over the credential that other machines have, if there is none here.
    func findCredential(_ watch: SharedWatch) async

    /// Under which names credentials are sent.
    var secrets: Secrets { get }

    /// Whether a call that failed is worth being sent again, because there is, or now has been got, another credential.
    ///
    /// - Throws: Why no other one could be got, or that it is another's.
    func recover(from refusal: APIError, _ pass: AuthenticationPass, _ context: AuthenticationContext) async throws -> Bool

    /// Notes that what was sent again has failed again.
    func noteSecondFailure(_ error: APIError, _ pass: AuthenticationPass, _ context: AuthenticationContext)
}

extension CallAuthentication {
    func authenticateAtOnce(_ request: inout HTTPRequest, _ context: AuthenticationContext) throws -> AuthenticationPass? { nil }

    var mayFindCredential: Bool { false }

    func hasTakenOver(_ pass: AuthenticationPass) -> Bool { false }

    func findCredential(_ watch: SharedWatch) async {}

    var secrets: Secrets { Secrets() }
}

/// With which credential a request was sent.
struct AuthenticationPass: Sendable, Equatable {
    let generation: Int
    /// In whose name it was sent.
    let caller: CallIdentity
    /// What tells the user from others; `nil` if the request was sent without a credential.
    let identity: String?

    /// Of a request that goes without a credential.
    static func without(_ caller: CallIdentity) -> AuthenticationPass {
        AuthenticationPass(generation: -1, caller: caller, identity: nil)
    }
}

/// What the sign-in may use of the client, and what it has to know of the call.
struct AuthenticationContext: Sendable {
    let clock: any TimerClock
    /// In whose name the call is made; `nil` if it begins only now.
    var caller: CallIdentity?
    /// What is asked for, whatever the params: tells what refuses a credential from what does not.
    var route: String?
    /// The tokens of the call, where an app's closure gives them.
    var tokens: CallTokens?
    /// Whether a credential may be refreshed; a preview only looks.
    var mayRefresh = true
    /// Hears of a store that machines share.
    var watch: SharedWatch = .silent
    /// Is told when a new credential could not be stored.
    var report: @Sendable (any Error) -> Void = { _ in }
}
