/// Who is signed in to a backend: keeps the credential, puts it into requests and gets a new one when it is not accepted any more.
///
/// ```swift
/// let forumSignIn = Authentication(BearerAuthenticator { old in try await ForumAPI.refresh(old) }, store: store)
/// try forumSignIn.signIn(BearerToken(accessToken: "…", refreshToken: "…"))
/// ```
///
/// However many calls find out at the same time that a credential has expired, it is refreshed once.
public final class Authentication<Scheme: Authenticator>: Sendable {
    struct State: Sendable {
        var credentials: CredentialState<Scheme.Credential>
        var isSaving = false
    }

    private let scheme: Scheme
    private let store: any CredentialStore<Scheme.Credential>
    private let refreshTimeout: Duration
    let state: Monitor<State>
    /// One flight for each generation. It goes on although nobody waits any more, since the new credential is of use to the next.
    let flights = SingleFlight<Int, Void>(endsWithLast: false)

    /// - Parameters:
    ///   - scheme: How the backend knows who is calling.
    ///   - store: Where the credential is kept between two runs of the app; read once, when it is needed for the first time.
    ///   - window: How often the credential may be refreshed; `nil` sets no bound.
    ///   - refreshTimeout: How long a refresh may take before all who wait for it fail.
    public init(
        _ scheme: Scheme,
        store: any CredentialStore<Scheme.Credential> = MemoryCredentialStore<Scheme.Credential>(),
        window: RefreshWindow? = .standard,
        refreshTimeout: Duration = .seconds(30)
    ) {
        self.scheme = scheme
        self.store = store
        self.refreshTimeout = refreshTimeout
        state = Monitor(State(credentials: CredentialState(window: window)))
    }

    /// The credential in use; `nil` if nobody is signed in. Throws what the store throws.
    public func credential() throws -> Scheme.Credential? { try current().credential }

    /// Takes over a credential. Calls that wait for a refresh go on with it.
    ///
    /// - Throws: What the store throws; the credential is in use nevertheless.
    public func signIn(_ credential: Scheme.Credential) throws {
        try replace(with: credential, resolving: .success(()))
    }

    /// Forgets the credential. Calls that wait for a refresh fail with ``APIError/Kind/missingCredential``.
    ///
    /// - Throws: What the store throws; the credential is out of use nevertheless.
    public func signOut() throws {
        try replace(with: nil, resolving: .failure(APIError.missingCredential))
    }

    private func replace(with credential: Scheme.Credential?, resolving result: Result<Void, any Error>) throws {
        let former = state.withLock { state in
            let former = state.credentials.generation
            state.credentials.replace(with: credential)
            return former
        }
        flights.end(former, with: result)
        try save()
    }

    private func current() throws -> (credential: Scheme.Credential?, generation: Int, session: Int) {
        if !state.withLock({ $0.credentials.isLoaded }) {
            let stored = try store.load()
            state.withLock { $0.credentials.load(stored) }
        }
        return state.withLock { ($0.credentials.credential, $0.credentials.generation, $0.credentials.session) }
    }

    /// Stores the present credential. Of several at the same time one stores for all, so that the last one is what stays.
    private func save() throws {
        var saved: Int?
        while true {
            let next = state.withLock { state -> (credential: Scheme.Credential?, generation: Int)? in
                let isBusy = saved == nil && state.isSaving
                let isDone = saved == state.credentials.generation
                if isBusy { return nil }
                state.isSaving = !isDone
                return isDone ? nil : (state.credentials.credential, state.credentials.generation)
            }
            guard let next else { return }
            saved = next.generation
            do {
                try store.save(next.credential)
            } catch {
                let isLast = state.withLock { state in
                    let isLast = state.credentials.generation == next.generation
                    if isLast { state.isSaving = false }
                    return isLast
                }
                if isLast { throw error }
            }
        }
    }
}

extension Authentication: RequestAuthentication {
    public var secrets: Secrets { scheme.secrets }

    public func identity() throws -> String? {
        guard !isRefreshing else { return nil }
        return try current().credential.map { scheme.identity(of: $0) }
    }

    public func authenticate(_ request: inout HTTPRequest, _ context: AuthenticationContext) async throws -> AuthenticationPass {
        guard !isRefreshing else { return AuthenticationPass(generation: -1, session: -1, identity: nil) }
        var (credential, generation, session) = try current()
        // Whoever comes while a refresh is under way waits for it instead of earning a refusal.
        if context.mayRefresh, scheme.canRefresh, let present = credential,
            scheme.needsRefresh(present) || flights.isUnderWay(generation)
        {
            do {
                try await renew(generation, context)
            } catch {
                throw APIError.refreshFailure(error, original: nil)
            }
            (credential, generation, session) = try current()
            guard credential.map({ scheme.needsRefresh($0) }) != true else {
                throw APIError.rejection(.excessiveRefresh, "The new credential needs to be refreshed as well", retryAfter: nil)
            }
        }
        guard let credential else {
            if scheme.requiresCredential { throw APIError.missingCredential }
            return AuthenticationPass(generation: generation, session: session, identity: nil)
        }
        try scheme.apply(credential, to: &request)
        try HeaderRules.check(&request.headers, of: "authentication")
        return AuthenticationPass(generation: generation, session: session, identity: scheme.identity(of: credential))
    }

    public func recover(from refusal: APIError, _ pass: AuthenticationPass, _ context: AuthenticationContext) async throws -> Bool {
        guard !isRefreshing, refusal.status != nil, scheme.isUnauthorized(refusal) else { return false }
        let (credential, generation, session) = try current()
        do {
            guard credential != nil else {
                if scheme.requiresCredential { throw APIError.missingCredential }
                return false
            }
            // What one user asked for is not sent again in the name of the next.
            guard session == pass.session else { return false }
            if pass.generation != generation { return true }
            guard scheme.canRefresh else { return false }
            try await renew(generation, context)
            let renewed = try current()
            if scheme.requiresCredential, renewed.credential == nil { throw APIError.missingCredential }
            return renewed.session == pass.session
        } catch {
            throw APIError.refreshFailure(error, original: refusal)
        }
    }
}

extension Authentication {
    /// How many wait for the refresh that is under way.
    var waiting: Int { flights.waiters(of: state.withLock { $0.credentials.generation }) }

    /// Whether this is part of the refresh, whose own requests must neither carry the old credential nor wait for the new one.
    private var isRefreshing: Bool { RefreshScope.current.contains(ObjectIdentifier(self)) }

    /// Replaces the credential of a generation, once for all who ask for it.
    private func renew(_ generation: Int, _ context: AuthenticationContext) async throws {
        try await flights.run(generation) { [self] in
            let former: Scheme.Credential
            switch state.withLock({ $0.credentials.beginRefresh(of: generation, at: context.clock.now) }) {
            case .start(let credential): former = credential
            case .superseded: return
            case .missing: throw APIError.missingCredential
            case .excessive(let retryAfter):
                throw APIError.rejection(.excessiveRefresh, "The credential was refreshed too often", retryAfter: retryAfter)
            }
            let limit = refreshTimeout
            let renewed = try await withTimeLimit(
                limit, on: context.clock, error: APIError(.timeout, message: "The refresh took longer than its limit of \(limit).")
            ) { [self] in
                try await RefreshScope.$current.withValue(RefreshScope.current.union([ObjectIdentifier(self)])) {
                    try await scheme.refresh(former)
                }
            }
            guard state.withLock({ $0.credentials.finishRefresh(of: generation, with: renewed) }) else { return }
            do {
                try save()
            } catch {
                // The new credential works; that it will be gone with the app is not this call's failure.
                context.report(error)
            }
        }
    }
}

extension HeaderRules {
    /// Puts headers that somebody has changed into the form in which they are sent, or refuses them.
    static func check(_ headers: inout HTTPHeaders, of step: String) throws {
        do throws(Fault) {
            try checkSingle(headers)
            var checked: [HTTPHeaders.Field] = []
            for field in headers.fields { checked.append(try self.checked(field)) }
            headers = HTTPHeaders(checked)
        } catch {
            throw APIError.invalid(step, "\"\(error.printableName)\": \(error.reason)")
        }
    }
}
