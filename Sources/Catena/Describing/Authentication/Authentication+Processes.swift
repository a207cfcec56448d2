import CatenaPlatform

// Sign-ins of several processes that share a store, such as an app and its extension.
extension Authentication {
    /// Takes over the credential that another process has saved, or refreshes the credential while no other process does.
    ///
    /// A refresh token may be valid only once, and a backend may sign the user out if it is used again. So this method reads the store before the
    /// refresh, and again if the backend refuses the refresh.
    func renewForProcesses(_ generation: Int, _ former: Scheme.Credential, _ context: AuthenticationContext) async throws {
        let lock = await lock(on: context.clock)
        // Hold the lock until the new credential has been saved.
        defer { withExtendedLifetime(lock) {} }
        if try await usingStore({ self.takeStored(generation) }) { return }
        do {
            try await finish(generation, with: try await refresh(former, context), context)
        } catch {
            guard !(error is CancellationError), try await usingStore({ self.takeStored(generation) }) else { throw error }
        }
    }

    /// Acquires the lock of the store. Returns `nil` if the store cannot be locked, or if another process holds the lock for longer than a refresh
    /// may take. The refresh then runs without a lock.
    private func lock(on clock: any TimerClock) async -> (any CredentialLock)? {
        let end = clock.now + refreshTimeout
        var pause = Duration.milliseconds(10)
        while true {
            do {
                if let lock = try await usingStore({ [store] in try store.lock() }) { return lock }
            } catch {
                return nil
            }
            guard clock.now < end, (try? await clock.sleep(for: pause)) != nil else { return nil }
            pause = min(pause * 2, .milliseconds(100))
        }
    }

    /// Takes over the credential that another process has saved: as a refresh for the same user, otherwise as a sign-in or sign-out.
    ///
    /// - Returns: Whether the credential of this generation has been replaced.
    private func takeStored(_ generation: Int) -> Bool {
        // Until this process has saved its own sign-in, the store holds the credential before it, which may be another user's.
        guard state.withLock({ $0.saved == generation || $0.credentials.generation != generation }) else { return false }
        // Ignore read errors, because a store that cannot be read usually cannot be written either, and write errors are reported.
        guard case .success(let stored) = Result(catching: { try store.load() }) else { return false }
        noteSecrets(of: stored)
        let digest = Self.digest(of: stored)
        let user = stored.flatMap { scheme.exactUser(of: $0) }
        return change { state in
            guard state.credentials.generation == generation else { return true }
            guard digest != state.stored else { return false }
            state.stored = digest
            if let stored, let user, user == state.credentials.user {
                _ = state.credentials.finishRefresh(of: generation, with: stored, of: user)
            } else {
                state.credentials.replace(with: stored, of: user)
            }
            state.takenOver = state.credentials.generation
            state.saved = state.credentials.generation
            return true
        }
    }

    /// Computes the digest of a credential's encoded form.
    static func digest(of credential: Scheme.Credential?) -> Data? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return credential.flatMap { try? encoder.encode($0) }.map { Data(MessageDigest.sha256($0).bytes) }
    }
}

extension Authentication {
    /// Changes the credential, and reports the changes of its session.
    package func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        // Reported under the lock, so that readers receive changes in order. A stream only stores the value.
        state.withLock { state in
            let result = body(&state)
            for kind in state.credentials.takeChanges() {
                for (tag, listeners) in state.listeners { listeners.yield(SessionChange(tag: tag, kind: kind)) }
            }
            return result
        }
    }

    /// Reports the end of a session whose credential the server has refused to refresh.
    func noteRefusedRefresh(of generation: Int, _ error: APIError) {
        // The server may repeat the refresh token in its message and its body. An underlying error is an object of the app, which must not be released under
        // the lock.
        var shown = error.hiding(Redaction(known: KnownSecrets([held])))
        (shown.body, shown.underlying) = (nil, nil)
        change { $0.credentials.noteRefusedRefresh(of: generation, shown) }
    }

    func sessions(of tag: Tag) -> AsyncStream<SessionChange>? {
        AsyncStream(bufferingPolicy: .bufferingNewest(Self.mostChanges)) { listener in
            let key = state.withLock { $0.listeners[tag, default: Listeners()].add(listener) }
            listener.onTermination = { [weak self] _ in
                let former = self?.state.withLock { state in
                    defer { if state.listeners[tag]?.isEmpty == true { state.listeners[tag] = nil } }
                    return state.listeners[tag]?.remove(key)
                }
                _ = consume former
            }
        }
    }

    /// The number of changes that a reader can be behind.
    private static var mostChanges: Int { 100 }
}
