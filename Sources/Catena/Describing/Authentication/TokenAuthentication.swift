extension RequestAuthentication where Self == TokenAuthentication {
    /// Sends the token that a closure returns as `Authorization: Bearer …`, for apps that store and renew their tokens themselves.
    ///
    /// ```swift
    /// API.configure(.forum) { $0.authentication = .bearer { try await vault.token() } }
    /// ```
    ///
    /// The closure runs for every attempt. `nil` or an empty string means that no user is signed in. The call then fails with
    /// ``APIError/Kind/missingCredential``, as do calls in progress that need another token. An error of the closure fails the call. After a 401 the
    /// closure runs again, and the call is repeated if the token is different. Calls that the closure itself makes carry no token.
    ///
    /// Catena does not know whose token it is, so it treats each token as another user's. Cached and shared responses belong to one token. A download
    /// or event stream that continues with another token starts anew. Nothing is cached on disk. ``Authentication`` knows its users and has none of
    /// these limits.
    public static func bearer(_ token: @escaping @Sendable () async throws -> String?) -> Self {
        TokenAuthentication(token)
    }
}

/// A sign-in whose token comes from a closure.
public final class TokenAuthentication: Sendable {
    private let source: @Sendable () async throws -> String?
    /// Distinguishes the sign-ins of several backends.
    private let number = AuthenticationCounter.next()
    /// The number of times that no user was signed in. A token after such a time may be another user's.
    private let signOuts = AtomicCounter()

    let held = HeldSecrets()

    init(_ source: @escaping @Sendable () async throws -> String?) {
        self.source = source
    }
}

/// A token that the closure returned.
struct HeldToken: Sendable {
    fileprivate let text: String
    fileprivate let digest: String
    /// The number of sign-outs before and after the closure ran.
    fileprivate let began: Int
    fileprivate let ended: Int
}

/// The tokens of one call that are yet to be sent, one for each simultaneous attempt.
final class CallTokens: Sendable {
    private let held = Mutex<[HeldToken]>([])

    fileprivate func hold(_ token: HeldToken) {
        held.withLock { $0.append(token) }
    }

    /// Takes the newest token.
    fileprivate func take() -> HeldToken? {
        held.withLock { $0.popLast() }
    }
}

extension TokenAuthentication {
    /// Gets the token of a call's first attempt, holds it in `tokens`, and returns the identity of the call.
    func first(for tokens: CallTokens) async throws -> CallIdentity {
        guard let token = try await ask() else { return .nobody }
        tokens.hold(token)
        // Use the sign-outs before the closure ran, because the token may be older than a sign-out during it.
        return identity(of: token, since: token.began)
    }

    private func identity(of token: HeldToken, since signOuts: Int) -> CallIdentity {
        .token(.init(authentication: number, number: signOuts), digest: token.digest)
    }

    /// Runs the closure; `nil` means that no user is signed in. The closure's own calls carry no token. They wait for no place, because the calls
    /// that hold the places may be waiting for the token.
    private func ask() async throws -> HeldToken? {
        let began = signOuts.count
        let text: String?
        do {
            text = try await ClosureScope.run(AppClosure(.credential, of: self)) { try await source() }
        } catch {
            throw APIError.failure(of: "authentication", error)
        }
        guard let text, !text.isEmpty else {
            signOuts.add(1)
            return nil
        }
        held.note(CollectionOfOne(text))
        return HeldToken(text: text, digest: MessageDigest.sha256(text).hex, began: began, ended: signOuts.count)
    }

}

extension TokenAuthentication: CallAuthentication {
    public var credentialSource: CredentialSource { CredentialSource(authentication: self) }

    private var isRefreshing: Bool { ClosureScope.isRefreshing(self) }

    /// Returns `nil`, because the identity is unknown until the closure has run.
    func identity() -> String? { nil }

    func callIdentity() -> CallIdentity { isRefreshing ? .exempt : .nobody }

    func authenticate(_ request: inout HTTPRequest, _ context: AuthenticationContext) throws -> AuthenticationPass? {
        let caller = context.caller ?? callIdentity()
        if caller.isExempt { return .without(caller) }
        guard caller.isSignedIn else { throw APIError.missingCredential }
        guard caller.token != nil else { throw APIError.otherCredential }
        // Do not send a token that was fetched before a sign-out.
        guard let token = context.tokens?.take(), token.began == signOuts.count else { return nil }
        request.headers["Authorization"] = "Bearer \(token.text)"
        try HeaderRules.check(&request.headers, of: "authentication")
        return AuthenticationPass(generation: 0, caller: identity(of: token, since: token.ended), identity: token.digest)
    }

    func awaitCredential(_ context: AuthenticationContext) async throws {
        guard let tokens = context.tokens, let token = try await ask() else { throw APIError.missingCredential }
        guard (context.caller ?? callIdentity()).mayGoOn(as: identity(of: token, since: token.ended)) else {
            throw APIError.otherCredential
        }
        tokens.hold(token)
    }

    func recover(from refusal: APIError, _ pass: AuthenticationPass, _ context: AuthenticationContext) async throws -> Bool {
        let caller = context.caller ?? pass.caller
        guard caller.token != nil, refusal.status != nil, refusal.category == .authentication || UnauthorizedRule().matches(refusal)
        else { return false }
        do {
            guard let token = try await ask(), token.digest != pass.identity else { return false }
            guard caller.mayGoOn(as: identity(of: token, since: token.ended)) else { throw APIError.otherCredential }
            context.tokens?.hold(token)
            return true
        } catch {
            throw APIError.refreshFailure(error, original: refusal)
        }
    }

    func noteSecondFailure(_ error: APIError, _ pass: AuthenticationPass, _ context: AuthenticationContext) {}
}

extension HeldToken: CustomStringConvertible, CustomReflectable {
    var description: String { Redaction.mark }
    var customMirror: Mirror { Mirror(self, children: []) }
}
