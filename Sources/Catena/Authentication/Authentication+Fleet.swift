// Sign-ins whose credential is shared by a fleet of machines.
extension Authentication {
    /// Takes over the credential of the other machines, if this machine has none. Calls do so automatically.
    ///
    /// - Returns: The credential in use, or `nil` if no user is signed in or the shared store cannot be reached.
    /// - Throws: The error of the credential store. A shared sign-in does not throw.
    @discardableResult
    public func load() async throws -> Scheme.Credential? {
        await findCredential(fleetOutageHandler.withLock { $0 })
        return try credential()
    }

    var mayFindCredential: Bool { fleet != nil && state.withLock { $0.credentials.credential == nil } }

    func hasTakenOver(_ pass: AuthenticationPass) -> Bool { state.withLock { $0.takenOver == pass.generation } }

    func findCredential(_ outageHandler: OutageHandler) async {
        guard let fleet, mayFindCredential else { return }
        fleetOutageHandler.withLock { $0 = outageHandler }
        let generation = state.withLock { $0.credentials.generation }
        let news = await SharedAccess(store: fleet.shared.store, outageHandler: outageHandler).attempt { try await fleet.news(in: $0) }
        if let news = news ?? nil { take(news, isSameSession: false, after: generation) }
    }

    /// Writes this machine's credential to the shared store, in the background.
    func tellFleet() {
        guard let fleet else { return }
        fleet.noteOwn(isSignIn: true)
        let access = SharedAccess(store: fleet.shared.store, outageHandler: fleetOutageHandler.withLock { $0 })
        Task { await publish(fleet, access) }
    }

    private func publish(_ fleet: FleetMember<Scheme.Credential>, _ access: SharedAccess) async {
        await fleet.publish(access) { state.withLock { ($0.credentials.credential, $0.credentials.session) } }
    }

    /// Takes over the credential that another machine has stored, or refreshes the credential for the whole fleet.
    func renew(
        _ generation: Int,
        _ former: Scheme.Credential,
        with fleet: FleetMember<Scheme.Credential>,
        _ context: AuthenticationContext
    ) async throws {
        fleetOutageHandler.withLock { $0 = context.outageHandler }
        let access = SharedAccess(store: fleet.shared.store, outageHandler: context.outageHandler)
        let news = try await fleet.once(replacing: former, access, on: context.clock) {
            try finish(generation, with: try await refresh(former, context), context)
            guard state.withLock({ $0.credentials.generation == generation + 1 }) else { return }
            fleet.noteOwn(isSignIn: false)
            await publish(fleet, access)
        }
        guard let news else { return }
        take(news, isSameSession: news.isSameSession, after: generation)
        // The other machine may have stored it long ago, so that it needs a refresh, too.
        let (credential, taken) = state.withLock { ($0.credentials.credential, $0.credentials.generation) }
        guard let credential, scheme.needsRefresh(credential) else { return }
        try await renew(taken, context)
    }

    /// Takes over the record of another machine: as a refresh if session and user are the same, otherwise as a sign-in or sign-out.
    ///
    /// - Parameter generation: The generation before the record was read. A local sign-in or sign-out since then takes precedence.
    private func take(_ news: FleetMember<Scheme.Credential>.News, isSameSession: Bool, after generation: Int) {
        guard let fleet else { return }
        let record = news.record
        let user = record.credential.flatMap { scheme.user(of: $0) }
        let session: Int? = state.withLock { state in
            guard state.credentials.generation == generation else { return nil }
            if isSameSession, let credential = record.credential, state.credentials.user == user || user == nil {
                _ = state.credentials.finishRefresh(of: generation, with: credential, of: user)
            } else {
                state.credentials.replace(with: record.credential, of: user)
            }
            state.takenOver = state.credentials.generation
            return state.credentials.session
        }
        if let session { fleet.noteTaken(news, ownSession: session) }
    }
}
