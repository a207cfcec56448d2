public import Catena
import CatenaPromise

// Sign-ins whose credential is shared by a fleet of machines.
extension Authentication {
    /// Creates a sign-in for one backend whose credential is shared by a fleet of machines.
    ///
    /// - Parameters:
    ///   - scheme: The authentication scheme of the backend.
    ///   - shared: The shared credential.
    ///   - window: The limit of this machine's refreshes per period, or `nil` for no limit.
    ///   - refreshTimeout: The time limit of a refresh, at most the lease of `shared`. When it passes, all calls that wait for the refresh fail.
    public convenience init(
        _ scheme: Scheme,
        shared: SharedCredential,
        window: RefreshWindow? = .standard,
        refreshTimeout: Duration = .seconds(30)
    ) {
        self.init(
            scheme, MemoryCredentialStore<Scheme.Credential>(), window, min(refreshTimeout, shared.lease), in: SignInFleet<Scheme>(shared))
    }

    /// Takes over the credential of the other machines, if this machine has none. Calls do so automatically.
    ///
    /// - Returns: The credential in use, or `nil` if no user is signed in or the shared store cannot be reached.
    /// - Throws: The error of the credential store. A shared sign-in does not throw.
    @discardableResult
    public func load() async throws -> Scheme.Credential? {
        if let fleet = fleet as? SignInFleet<Scheme> { await findCredential(fleet.lastOutageHandler) }
        return try credential()
    }
}

/// The fleet of a sign-in, with the last call's observer of the fleet's store.
final class SignInFleet<Scheme: Authenticator>: CredentialFleet {
    typealias Member = FleetMember<Scheme.Credential>

    private let member: Member
    private let outageHandler = Mutex<OutageHandler>(.silent)

    init(_ shared: SharedCredential) {
        member = Member(shared)
    }

    var lastOutageHandler: OutageHandler {
        get { outageHandler.withLock { $0 } }
        set { outageHandler.withLock { $0 = newValue } }
    }

    func find(for signIn: Authentication<Scheme>, _ outageHandler: OutageHandler) async {
        lastOutageHandler = outageHandler
        await publish(signIn, access(outageHandler))
        let generation = signIn.state.withLock { $0.credentials.generation }
        let news = await access(outageHandler).attempt { try await member.news(in: $0) }
        if let news = news ?? nil { take(news, for: signIn, isSameSession: false, after: generation) }
    }

    func publish(_ signIn: Authentication<Scheme>) {
        member.noteOwn(isSignIn: true)
        let access = access(lastOutageHandler)
        Task { await publish(signIn, access) }
    }

    private func access(_ outageHandler: OutageHandler) -> SharedAccess {
        SharedAccess(store: member.shared.store, outageHandler: outageHandler)
    }

    /// - Parameter former: The credential that this machine has refreshed.
    private func publish(
        _ signIn: Authentication<Scheme>, replacing former: Scheme.Credential? = nil, _ access: SharedAccess
    ) async {
        // Read before the store is, because a sign-in or sign-out of this machine since then takes precedence.
        let generation = signIn.state.withLock { $0.credentials.generation }
        let news = await member.publish(access, replacing: former) {
            signIn.state.withLock { ($0.credentials.credential, $0.credentials.session) }
        }
        guard let news else { return }
        take(news, for: signIn, isSameSession: news.isSameSession, after: generation)
    }

    func renew(
        _ generation: Int, _ former: Scheme.Credential, of signIn: Authentication<Scheme>, _ context: AuthenticationContext
    ) async throws {
        lastOutageHandler = context.outageHandler
        let access = access(context.outageHandler)
        let news = try await member.once(replacing: former, access, on: context.clock) {
            try await signIn.finish(generation, with: try await signIn.refresh(former, context), context)
            guard signIn.state.withLock({ $0.credentials.generation == generation + 1 }) else { return }
            member.noteOwn(isSignIn: false)
            await publish(signIn, replacing: former, access)
        }
        guard let news else { return }
        take(news, for: signIn, isSameSession: news.isSameSession, after: generation)
        // The other machine may have stored it long ago, so that it needs a refresh, too.
        let (credential, taken) = signIn.state.withLock { ($0.credentials.credential, $0.credentials.generation) }
        guard let credential, signIn.scheme.needsRefresh(credential) else { return }
        try await signIn.renew(taken, context)
    }

    /// Takes over the record of another machine: as a refresh if session and user are the same, otherwise as a sign-in or sign-out.
    ///
    /// - Parameter generation: The generation before the record was read. A local sign-in or sign-out since then takes precedence.
    private func take(_ news: Member.News, for signIn: Authentication<Scheme>, isSameSession: Bool, after generation: Int) {
        let record = news.record
        signIn.noteSecrets(of: record.credential)
        let user = record.credential.flatMap { signIn.scheme.exactUser(of: $0) }
        let session: Int? = signIn.change { state in
            guard state.credentials.generation == generation else { return nil }
            if isSameSession, let credential = record.credential, state.credentials.user == user || user == nil {
                _ = state.credentials.finishRefresh(of: generation, with: credential, of: user)
            } else {
                state.credentials.replace(with: record.credential, of: user)
            }
            state.takenOver = state.credentials.generation
            return state.credentials.session
        }
        if let session { member.noteTaken(news, ownSession: session) }
    }
}
