import CatenaPlatform

extension RequestAuthentication where Self == DigestAuthentication {
    /// Answers the challenges of a server with digests of a name and a password (Digest authentication, RFC 7616).
    ///
    /// ```swift
    /// API.configure(.camera) { $0.authentication = .digest(user: "admin", password: password) }
    /// ```
    ///
    /// The first call is sent without a credential, and again with the digest that the server's 401 asks for. Later calls send a digest at once,
    /// until the server asks for a new one. A body that can be read only once fails such a call. With an empty name, no user is signed in.
    ///
    /// The strongest of several challenges is answered: SHA-256 before MD5, with or without `-sess`, and with `qop=auth` before without a `qop`
    /// (RFC 2069). A challenge with another algorithm, or with another `qop`, is not answered; the error of the call names the reason.
    public static func digest(user: String, password: String) -> Self {
        DigestAuthentication(user.isEmpty ? nil : BasicCredential(user: user, password: password))
    }
}

/// A sign-in by Digest authentication, made by ``RequestAuthentication/digest(user:password:)``.
public final class DigestAuthentication: Sendable {
    private let credential: BasicCredential?
    /// Distinguishes the sign-ins of several backends.
    private let number = AuthenticationCounter.next()
    private let sessions = Mutex(DigestSessions())
    let held: HeldSecrets
    /// Returns a random nonce of the client.
    private let clientNonce: @Sendable () -> String

    init(_ credential: BasicCredential?, clientNonce: @escaping @Sendable () -> String = { DigestAuthentication.randomNonce() }) {
        self.credential = credential
        held = HeldSecrets([credential?.password].compactMap { $0 })
        self.clientNonce = clientNonce
    }

    private static func randomNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return Hexadecimal.text((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }
}

extension DigestAuthentication: CallAuthentication {
    public var credentialSource: CredentialSource { CredentialSource(authentication: self) }

    var isPerRequest: Bool { true }

    func identity() -> String? { credential?.user }

    func callIdentity() -> CallIdentity {
        credential.map { .session(.init(authentication: number, number: 0), user: ExactText($0.user)) } ?? .nobody
    }

    func authenticate(_ request: inout HTTPRequest, _ context: AuthenticationContext) throws -> AuthenticationPass? {
        let caller = context.caller ?? callIdentity()
        if caller.isExempt { return .without(caller) }
        guard let credential, caller.isSignedIn else { throw APIError.missingCredential }
        guard caller.mayGoOn(as: callIdentity()) else { throw APIError.otherCredential }
        let serial = sessions.withLock { $0.serial(at: request.address.origin) }
        return AuthenticationPass(generation: serial, caller: caller, identity: credential.user)
    }

    /// Does not wait, because only a response has the challenge.
    func awaitCredential(_ context: AuthenticationContext) {}

    func finish(_ request: inout HTTPRequest, _ pass: AuthenticationPass) {
        // A header that the call or an interceptor sets takes precedence.
        guard let credential, pass.caller.isSignedIn, pass.generation > 0, !request.headers.contains("Authorization") else { return }
        let origin = request.address.origin
        guard let use = sessions.withLock({ $0.next(at: origin) }) else { return }
        request.headers["Authorization"] = use.authorization(
            user: credential.user, password: credential.password, method: request.method.name, target: request.address.target)
    }

    func note(_ headers: HTTPHeaders, to request: HTTPRequest) {
        guard request.headers["Authorization"]?.hasPrefix("Digest ") == true,
            let nonce = DigestChallenge.nextNonce(in: headers.values(for: "Authentication-Info"))
        else { return }
        let origin = request.address.origin
        sessions.withLock { $0.replaceNonce(at: origin, with: nonce) }
    }

    func recover(from refusal: APIError, _ pass: AuthenticationPass, _ context: AuthenticationContext) async throws -> Bool {
        guard pass.caller.isSignedIn, refusal.status == 401, let origin = refusal.contents.origin, !origin.isEmpty else { return false }
        switch DigestChallenge.strongest(in: refusal.contents.challenges ?? []) {
        case .none: return false
        case .unusable(let reason):
            var error = refusal
            error.message += (error.message.isEmpty ? "" : " ") + "(the Digest challenge is not answered: \(reason))"
            throw error
        case .usable(let challenge):
            let clientNonce = clientNonce()
            return sessions.withLock { $0.refused(at: origin, pass.generation, challenge) { clientNonce } }
        }
    }

    func noteSecondFailure(_ error: APIError, _ pass: AuthenticationPass, _ context: AuthenticationContext) {
        guard error.status == 401, let origin = error.contents.origin else { return }
        sessions.withLock { $0.forget(at: origin, pass.generation) }
    }
}

extension DigestAuthentication: CustomStringConvertible, CustomReflectable {
    /// The name of the type, without the credential.
    public var description: String { "DigestAuthentication" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
