import Foundation

// Sign-ins of several processes that share a store: an app and its extension, a tool that is run twice.
extension Authentication {
    /// Replaces a credential by what another process has saved, or refreshes it while no other process does.
    ///
    /// A refresh token may be of use once only, and a backend may sign the user out if it comes a second time. So the store is read before the
    /// refresh, and once more if the backend refuses it.
    func renewForProcesses(_ generation: Int, _ former: Scheme.Credential, _ context: AuthenticationContext) async throws {
        let lock = await lock(on: context.clock)
        // Held to the end, when the new credential has been saved.
        defer { withExtendedLifetime(lock) {} }
        if takeStored(generation) { return }
        do {
            try finish(generation, with: try await refresh(former, context), context)
        } catch {
            guard !(error is CancellationError), takeStored(generation) else { throw error }
        }
    }

    /// The lock of the store. A process that keeps it for longer than a refresh may take holds no other up, and neither does a store that cannot be
    /// locked: the refresh goes without.
    private func lock(on clock: any TimerClock) async -> (any CredentialLock)? {
        let end = clock.now + refreshTimeout
        var pause = Duration.milliseconds(10)
        while true {
            do {
                if let lock = try store.lock() { return lock }
            } catch {
                return nil
            }
            guard clock.now < end, (try? await clock.sleep(for: pause)) != nil else { return nil }
            pause = min(pause * 2, .milliseconds(100))
        }
    }

    /// Takes over what another process has saved: for the same user as a refresh, else as a sign-in or sign-out.
    ///
    /// - Returns: Whether there is something else now than the credential of this generation.
    private func takeStored(_ generation: Int) -> Bool {
        // A store that cannot be read has nothing to say; that it cannot be written either is reported.
        guard case .success(let stored) = Result(catching: { try store.load() }) else { return false }
        let digest = Self.digest(of: stored)
        let user = stored.flatMap { scheme.user(of: $0) }
        return state.withLock { state in
            guard state.credentials.generation == generation else { return true }
            guard digest != state.stored else { return false }
            state.stored = digest
            if let stored, let user, user == state.credentials.user {
                _ = state.credentials.finishRefresh(of: generation, with: stored, of: user)
            } else {
                state.credentials.replace(with: stored, of: user)
            }
            state.takenOver = state.credentials.generation
            return true
        }
    }

    /// Stands for a credential as a store keeps it.
    static func digest(of credential: Scheme.Credential?) -> Data? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return credential.flatMap { try? encoder.encode($0) }.map { Data(MessageDigest.sha256($0).bytes) }
    }
}
