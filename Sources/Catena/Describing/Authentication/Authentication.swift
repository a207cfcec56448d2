import CatenaPlatform

/// Stores the credential of a backend, adds it to every request, and refreshes it when the backend no longer accepts it.
///
/// ```swift
/// let forumSignIn = Authentication(BearerAuthenticator { old in try await ForumAPI.refresh(old) }, store: store)
/// try forumSignIn.signIn(BearerToken(accessToken: "…", refreshToken: "…"))
/// ```
///
/// If several calls find an expired credential at the same time, it is refreshed once.
public final class Authentication<Scheme: Authenticator>: Sendable {
    package struct State: Sendable {
        package var credentials: CredentialState<Scheme.Credential>
        var isSaving = false
        /// The generation of a credential that came from another machine or process.
        package var takenOver: Int?
        /// The digest of the store's content when this process last read or wrote it. A different digest means that another process has written.
        var stored: Data?
        /// The generation that this process last saved, tried to save, or took from the store.
        var saved = 0
        /// The readers of the changes of the session, by the tag for which they asked.
        var listeners: [Tag: Listeners<SessionChange>] = [:]
    }

    package let scheme: Scheme
    let store: any CredentialStore<Scheme.Credential>
    let refreshTimeout: Duration
    package let state: Monitor<State>
    /// Distinguishes the sessions of several sign-ins.
    private let number = AuthenticationCounter.next()
    /// The refreshes, one for each generation. A refresh continues after its callers have been cancelled, because the next call needs the new
    /// credential.
    let flights = SingleFlight<Int, Void>(endsWithLast: false)

    /// The secrets of all credentials, also of former ones.
    package let held = HeldSecrets()
    /// The read of the store. All calls that need it wait for one, so that a store that does not respond occupies one thread.
    private let reading = SingleFlight<Int, Void>(endsWithLast: false)
    /// Whether the store can be used on any thread.
    private let readsAtOnce: Bool

    /// The fleet that shares the credential, if any.
    package let fleet: (any CredentialFleet<Scheme>)?

    /// Creates a sign-in for one backend. Several tags can share it.
    ///
    /// - Parameters:
    ///   - scheme: The authentication scheme of the backend.
    ///   - store: The store that keeps the credential between runs of the app. It is read once, at the first use.
    ///   - window: The limit of refreshes per period, or `nil` for no limit.
    ///   - refreshTimeout: The time limit of a refresh. When it passes, all calls that wait for the refresh fail.
    public convenience init(
        _ scheme: Scheme,
        store: any CredentialStore<Scheme.Credential> = MemoryCredentialStore<Scheme.Credential>(),
        window: RefreshWindow? = .standard,
        refreshTimeout: Duration = .seconds(30)
    ) {
        self.init(scheme, store, window, refreshTimeout, in: nil)
    }

    package init(
        _ scheme: Scheme,
        _ store: any CredentialStore<Scheme.Credential>,
        _ window: RefreshWindow?,
        _ refreshTimeout: Duration,
        in fleet: (any CredentialFleet<Scheme>)?
    ) {
        self.scheme = scheme
        self.store = store
        readsAtOnce = store is any PromptStore
        self.refreshTimeout = refreshTimeout
        self.fleet = fleet
        state = Monitor(State(credentials: CredentialState(window: window)))
    }

    deinit {
        for listeners in state.withLock({ $0.listeners.values.map { $0 } }) { listeners.finish() }
    }

    /// Returns the credential in use, or `nil` if no user is signed in. Throws the errors of the store.
    public func credential() throws -> Scheme.Credential? { try current().credential }

    /// Replaces the credential.
    ///
    /// Calls in progress continue with the new credential if ``Authenticator/user(of:)`` returns the same user for both credentials. Calls of another
    /// or an unknown user fail with ``APIError/Kind/missingCredential`` when they next need a credential.
    ///
    /// - Throws: The errors of the store. The credential is in use nevertheless.
    public func signIn(_ credential: Scheme.Credential) throws {
        try replace(with: credential, resolving: .success(()))
    }

    /// Removes the credential. Calls that wait for a refresh fail with ``APIError/Kind/missingCredential``.
    ///
    /// - Throws: The errors of the store. The credential is removed from memory nevertheless.
    public func signOut() throws {
        try replace(with: nil, resolving: .failure(APIError.missingCredential))
    }

    private func replace(with credential: Scheme.Credential?, resolving result: Result<Void, any Error>) throws {
        // Calls that began before the store was read belong to its user.
        _ = try? current()
        noteSecrets(of: credential)
        let user = credential.flatMap { scheme.exactUser(of: $0) }
        let former = change { state in
            let former = state.credentials.generation
            state.credentials.replace(with: credential, of: user)
            return former
        }
        flights.end(former, with: result)
        fleet?.publish(self)
        try save()
    }

    /// The credential in use and its identity.
    private struct Present {
        let credential: Scheme.Credential?
        let generation: Int
        let caller: CallIdentity
    }

    private func current() throws -> Present {
        if !state.withLock({ $0.credentials.isLoaded }) {
            let stored = try ClosureScope.runPlain(.init(AppClosure(.credential, of: self))) { try store.load() }
            noteSecrets(of: stored)
            let user = stored.flatMap { scheme.exactUser(of: $0) }
            let digest = Self.digest(of: stored)
            state.withLock { state in
                if !state.credentials.isLoaded { state.stored = digest }
                state.credentials.load(stored, of: user)
            }
        }
        return state.withLock { state in
            let credentials = state.credentials
            let session = CallIdentity.Session(authentication: number, number: credentials.session)
            return Present(
                credential: credentials.credential, generation: credentials.generation,
                caller: credentials.credential == nil ? .nobody : .session(session, user: credentials.user))
        }
    }

    /// Takes note of the texts of a credential, which are secrets except for its user and for addresses.
    package func noteSecrets(of credential: Scheme.Credential?) {
        guard let credential, let encoded = try? JSONEncoder().encode(credential), let json = try? JSON(parsing: encoded) else { return }
        let harmless = [scheme.identity(of: credential), scheme.user(of: credential)]
        var texts = json.texts.filter { !harmless.contains($0) && !$0.contains("://") }
        if let pair = credential as? BasicCredential { texts.append(Data("\(pair.user):\(pair.password)".utf8).base64EncodedString()) }
        held.note(texts)
    }

    /// Runs a use of the store on a thread that may block.
    package func usingStore<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        readsAtOnce ? try work() : try await BlockingWork.run(work)
    }

    /// Takes note of what the store still has after a failed save, if nothing has read it. It would otherwise look like the news of another process.
    private func noteUnchanged() {
        guard case .success(let stored) = Result(catching: { try store.load() }) else { return }
        let digest = Self.digest(of: stored)
        state.withLock { if $0.stored == nil { $0.stored = digest } }
    }

    /// Saves the credential in use. One of several concurrent callers saves for all of them, so that the store ends with the last credential.
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
                let digest = Self.digest(of: next.credential)
                state.withLock { ($0.stored, $0.saved) = (digest, next.generation) }
            } catch {
                noteUnchanged()
                let isLast = state.withLock { state in
                    state.saved = next.generation
                    let isLast = state.credentials.generation == next.generation
                    if isLast { state.isSaving = false }
                    return isLast
                }
                if isLast { throw error }
            }
        }
    }
}

extension Authentication: CallAuthentication {
    public var credentialSource: CredentialSource { CredentialSource(authentication: self) }

    var secrets: Secrets { scheme.secrets }

    func identity() throws -> String? {
        guard !isRefreshing else { return nil }
        return try current().credential.map { scheme.identity(of: $0) }
    }

    func callIdentity() throws -> CallIdentity {
        isRefreshing ? .exempt : try current().caller
    }

    var isLoaded: Bool { readsAtOnce || isRefreshing || state.withLock { $0.credentials.isLoaded } }

    func readStore() async throws {
        guard !isLoaded else { return }
        try await reading.run(0) { [self] in try await usingStore { _ = try self.current() } }
    }

    func identityBeforeLoading() throws -> CallIdentity {
        let present = try callIdentity()
        guard let first = state.withLock({ $0.credentials.first }) else { return present }
        return .session(CallIdentity.Session(authentication: number, number: 0), user: first.user)
    }

    func authenticate(_ request: inout HTTPRequest, _ context: AuthenticationContext) throws -> AuthenticationPass? {
        let caller = try context.caller ?? callIdentity()
        if caller.isExempt { return .without(caller) }
        guard caller.isSignedIn else {
            if scheme.requiresCredential { throw APIError.missingCredential }
            return .without(caller)
        }
        let (present, credential) = try current(for: caller)
        if isAwaited(present, credential, context) { return nil }
        try scheme.apply(credential, to: &request)
        try HeaderRules.check(&request.headers, of: "authentication")
        return AuthenticationPass(generation: present.generation, caller: present.caller, identity: scheme.identity(of: credential))
    }

    func awaitCredential(_ context: AuthenticationContext) async throws {
        let caller = try context.caller ?? callIdentity()
        let (present, credential) = try current(for: caller)
        guard isAwaited(present, credential, context) else { return }
        let renewed: Scheme.Credential
        do {
            try await renew(present.generation, context)
            renewed = try current(for: caller).credential
        } catch {
            throw APIError.refreshFailure(error, original: nil)
        }
        guard !scheme.needsRefresh(renewed) else {
            throw APIError.rejection(.excessiveRefresh, "The new credential needs to be refreshed as well", retryAfter: nil)
        }
    }

    /// Whether a call waits for the refresh of a credential. A call that begins during a refresh waits too, because the old credential would be refused.
    private func isAwaited(_ present: Present, _ credential: Scheme.Credential, _ context: AuthenticationContext) -> Bool {
        guard context.mayRefresh, scheme.canRefresh else { return false }
        return scheme.needsRefresh(credential) || flights.isUnderWay(present.generation)
    }

    func recover(from refusal: APIError, _ pass: AuthenticationPass, _ context: AuthenticationContext) async throws -> Bool {
        let caller = context.caller ?? pass.caller
        guard !caller.isExempt, isUnauthorized(refusal), caller.isSignedIn else { return false }
        do {
            let present = try current()
            if present.credential == nil, !scheme.requiresCredential { return false }
            if try current(for: caller).present.generation != pass.generation { return true }
            guard scheme.canRefresh else { return false }
            if let route = context.route, state.withLock({ $0.credentials.refusesEveryCredential(route, at: context.clock.now) }) {
                return false
            }
            try await renew(pass.generation, context)
            _ = try current(for: caller)
            return true
        } catch {
            throw APIError.refreshFailure(error, original: refusal)
        }
    }

    func noteSecondFailure(_ error: APIError, _ pass: AuthenticationPass, _ context: AuthenticationContext) {
        guard let route = context.route, isUnauthorized(error) else { return }
        state.withLock { $0.credentials.noteRefusal(by: route, of: pass.generation, at: context.clock.now) }
    }
}

extension Authentication {
    /// Whether the current task is part of this sign-in's refresh. Its requests carry no credential and do not wait for the refresh.
    private var isRefreshing: Bool { ClosureScope.isRefreshing(self) }

    /// Whether the response says that the credential is invalid, according to the scheme or to the envelope's codes.
    private func isUnauthorized(_ error: APIError) -> Bool {
        error.status != nil && (error.category == .authentication || scheme.isUnauthorized(error))
    }

    /// Returns the credential for a call of this identity. All calls get their credential here, so that none gets another user's.
    private func current(for caller: CallIdentity) throws -> (present: Present, credential: Scheme.Credential) {
        let present = try current()
        guard let credential = present.credential else { throw APIError.missingCredential }
        guard caller.mayGoOn(as: present.caller) else { throw APIError.otherCredential }
        return (present, credential)
    }

    /// Replaces the credential of a generation, once for all concurrent callers.
    package func renew(_ generation: Int, _ context: AuthenticationContext) async throws {
        try await flights.run(generation) { [self] in
            do {
                try await renewAlone(generation, context)
            } catch {
                if let error = error as? APIError, error.refusesRefresh { noteRefusedRefresh(of: generation, error) }
                throw error
            }
        }
    }

    private func renewAlone(_ generation: Int, _ context: AuthenticationContext) async throws {
        let former: Scheme.Credential
        switch state.withLock({ $0.credentials.beginRefresh(of: generation, at: context.clock.now) }) {
        case .start(let credential): former = credential
        case .superseded: return
        case .missing: throw APIError.missingCredential
        case .excessive(let retryAfter):
            throw APIError.rejection(.excessiveRefresh, "The credential was refreshed too often", retryAfter: retryAfter)
        }
        guard let fleet else {
            if readsAtOnce { return try await renewForProcesses(generation, former, context) }
            // The lock and the refresh have limits of their own. The store may not respond at all.
            let limit = refreshTimeout * 3
            return try await withTimeLimit(
                limit, on: context.clock, error: APIError(.timeout, message: "The refresh and its store took longer than \(limit).")
            ) { [self] in try await renewForProcesses(generation, former, context) }
        }
        try await fleet.renew(generation, former, of: self, context)
    }

    /// Stores the result of a refresh.
    package func finish(_ generation: Int, with renewed: Scheme.Credential, _ context: AuthenticationContext) async throws {
        noteSecrets(of: renewed)
        let user = scheme.exactUser(of: renewed)
        guard change({ $0.credentials.finishRefresh(of: generation, with: renewed, of: user) }) else { return }
        do {
            try await usingStore { try self.save() }
        } catch {
            // Report the error without failing the call, because the new credential is valid although it will be lost when the app ends.
            context.report(error)
        }
    }

    /// Exchanges a credential for a new one.
    package func refresh(_ former: Scheme.Credential, _ context: AuthenticationContext) async throws -> Scheme.Credential {
        let limit = refreshTimeout
        return try await withTimeLimit(
            limit, on: context.clock, error: APIError(.timeout, message: "The refresh took longer than its limit of \(limit).")
        ) { [self] in
            try await ClosureScope.run(AppClosure(.credential, of: self)) { try await scheme.refresh(former) }
        }
    }
}

enum AuthenticationCounter {
    private static let last = AtomicCounter()

    static func next() -> UInt64 { UInt64(last.add(1)) }
}

extension HeaderRules {
    /// Validates headers that an authenticator or other user code has changed, and normalizes them.
    package static func check(_ headers: inout HTTPHeaders, of step: String) throws {
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

extension JSON {
    /// All texts in the value, at any depth.
    fileprivate var texts: [String] {
        if let string { return [string] }
        if let array { return array.flatMap(\.texts) }
        return object.map { $0.values.flatMap(\.texts) } ?? []
    }
}
