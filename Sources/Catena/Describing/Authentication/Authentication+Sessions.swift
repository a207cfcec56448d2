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
