// What a sign-in does as one of a fleet that shares its credential.
extension Authentication {
    /// Takes over the credential that the other machines share with this one, if there is none here. Calls do so by themselves.
    ///
    /// - Returns: The credential in use; `nil` if nobody is signed in, or if the store cannot be reached.
    /// - Throws: What the store of a sign-in that is not shared throws.
    @discardableResult
    public func load() async throws -> Scheme.Credential? {
        await findCredential(fleetWatch.withLock { $0 })
        return try credential()
    }

    var mayFindCredential: Bool { fleet != nil && state.withLock { $0.credentials.credential == nil } }

    func hasTakenOver(_ pass: AuthenticationPass) -> Bool { state.withLock { $0.takenOver == pass.generation } }

    func findCredential(_ watch: SharedWatch) async {
        guard let fleet, mayFindCredential else { return }
        fleetWatch.withLock { $0 = watch }
        let generation = state.withLock { $0.credentials.generation }
        let news = await SharedAccess(store: fleet.shared.store, watch: watch).attempt { try await fleet.news(in: $0) }
        if let news = news ?? nil { take(news, isSameSession: false, after: generation) }
    }

    /// Lets the others know, in the background, what is here now.
    func tellFleet() {
        guard let fleet else { return }
        fleet.noteOwn(isSignIn: true)
        let access = SharedAccess(store: fleet.shared.store, watch: fleetWatch.withLock { $0 })
        Task { await publish(fleet, access) }
    }

    private func publish(_ fleet: FleetMember<Scheme.Credential>, _ access: SharedAccess) async {
        await fleet.publish(access) { state.withLock { ($0.credentials.credential, $0.credentials.session) } }
    }

    /// Replaces a credential by what another machine has got, or gets one for all of them.
    func renew(
        _ generation: Int,
        _ former: Scheme.Credential,
        with fleet: FleetMember<Scheme.Credential>,
        _ context: AuthenticationContext
    ) async throws {
        fleetWatch.withLock { $0 = context.watch }
        let access = SharedAccess(store: fleet.shared.store, watch: context.watch)
        let done: Void? = try await fleet.once(replacing: former, access, on: context.clock) {
            try finish(generation, with: try await refresh(former, context), context)
            guard state.withLock({ $0.credentials.generation == generation + 1 }) else { return }
            fleet.noteOwn(isSignIn: false)
            await publish(fleet, access)
        }
        guard done == nil, let news = await access.attempt({ try await fleet.news(in: $0) }) ?? nil else { return }
        take(news, isSameSession: news.isSameSession, after: generation)
        // Nobody has needed it for a while.
        let (credential, taken) = state.withLock { ($0.credentials.credential, $0.credentials.generation) }
        guard let credential, scheme.needsRefresh(credential) else { return }
        try await renew(taken, context)
    }

    /// Takes over what another machine has written: as a refresh where it is of the same session and user, else as a sign-in or sign-out.
    ///
    /// - Parameter generation: What there was before. If somebody has signed in or out here meanwhile, that counts.
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
