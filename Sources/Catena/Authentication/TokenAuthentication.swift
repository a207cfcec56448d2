extension RequestAuthentication where Self == TokenAuthentication {
    /// Sends the token that a closure gives as `Authorization: Bearer …`, for apps that keep and renew their tokens themselves.
    ///
    /// ```swift
    /// API.configure(.forum) { $0.authentication = .bearer { try await vault.token() } }
    /// ```
    ///
    /// The closure is asked for every attempt. `nil`, or an empty token, is nobody: the call fails with
    /// ``APIError/Kind/missingCredential``, and so do those that began before, where they would need another token. What it throws fails
    /// the call. A 401 asks once more, and the call is sent again if that gives another token. Calls that the closure makes itself go
    /// without.
    ///
    /// Whose token it is only the app knows. So each token counts as somebody else's: what is kept or shared belongs to one token, a
    /// download or an event stream that goes on with another one begins anew, and nothing is kept on disk. ``Authentication`` knows
    /// its users, and keeps what is theirs.
    public static func bearer(_ token: @escaping @Sendable () async throws -> String?) -> Self {
        TokenAuthentication(token)
    }
}

/// A sign-in whose current token comes from a closure.
public final class TokenAuthentication: Sendable {
    private let source: @Sendable () async throws -> String?
    /// Tells the sign-ins of several backends apart.
    private let number = AuthenticationCounter.next()
    /// How many times nobody was signed in: whoever comes then is taken for somebody else.
    private let signOuts = AtomicCounter()

    init(_ source: @escaping @Sendable () async throws -> String?) {
        self.source = source
    }
}

/// The token of one moment.
struct HeldToken: Sendable {
    fileprivate let text: String
    fileprivate let digest: String
    /// The sign-outs before and behind the question.
    fileprivate let began: Int
    fileprivate let ended: Int
}

/// The tokens of one call: one that was got and is yet to be sent.
final class CallTokens: Sendable {
    private let held = Mutex<HeldToken?>(nil)

    fileprivate func hold(_ token: HeldToken) {
        held.withLock { $0 = token }
    }

    fileprivate func take() -> HeldToken? {
        held.withLock { held in
            defer { held = nil }
            return held
        }
    }
}

extension TokenAuthentication {
    /// Asks for the token of a call's first attempt, which it keeps for that. Gives in whose name the call is made.
    func first(for tokens: CallTokens) async throws -> CallIdentity {
        guard let token = try await ask() else { return .nobody }
        tokens.hold(token)
        // Somebody may have signed out during the question, whose token it may still be.
        return identity(of: token, since: token.began)
    }

    private func identity(of token: HeldToken, since signOuts: Int) -> CallIdentity {
        .token(.init(authentication: number, number: signOuts), digest: token.digest)
    }

    /// Asks the closure; `nil` is nobody. Calls that it makes go without a token, and wait for no place that those may hold which wait for it.
    private func ask() async throws -> HeldToken? {
        let began = signOuts.count
        let scope = RefreshScope.Refresh(of: self)
        defer { scope.end() }
        let text: String?
        do {
            text = try await RefreshScope.$current.withValue(RefreshScope.current + [scope]) { try await source() }
        } catch {
            throw APIError.failure(of: "authentication", error)
        }
        guard let text, !text.isEmpty else {
            signOuts.add(1)
            return nil
        }
        return HeldToken(text: text, digest: MessageDigest.sha256(text).hex, began: began, ended: signOuts.count)
    }

    /// The token that the call's next attempt goes with.
    private func token(for caller: CallIdentity, _ tokens: CallTokens?) async throws -> HeldToken {
        // One from before a sign-out is not sent after it.
        if let held = tokens?.take(), held.began == signOuts.count { return held }
        guard let token = try await ask() else { throw APIError.missingCredential }
        guard caller.mayGoOn(as: identity(of: token, since: token.ended)) else { throw APIError.otherCredential }
        return token
    }
}

extension TokenAuthentication: CallAuthentication {
    public var credentialSource: CredentialSource { CredentialSource(authentication: self) }

    private var isRefreshing: Bool { RefreshScope.isActive(of: self) }

    /// Not known without asking.
    func identity() -> String? { nil }

    func callIdentity() -> CallIdentity { isRefreshing ? .exempt : .nobody }

    func authenticate(_ request: inout HTTPRequest, _ context: AuthenticationContext) async throws -> AuthenticationPass {
        let caller = context.caller ?? callIdentity()
        if caller.isExempt { return .without(caller) }
        guard caller.isSignedIn else { throw APIError.missingCredential }
        guard caller.token != nil else { throw APIError.otherCredential }
        let token = try await token(for: caller, context.tokens)
        request.headers["Authorization"] = "Bearer \(token.text)"
        try HeaderRules.check(&request.headers, of: "authentication")
        return AuthenticationPass(generation: 0, caller: identity(of: token, since: token.ended), identity: token.digest)
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
