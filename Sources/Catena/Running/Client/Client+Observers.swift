extension Client {
    /// Adds an observer of all calls, replacing an observer that writes to the same object.
    package func add(_ observer: CallObserver) -> Registration {
        let client = active
        client.install { settings in
            if let place = observer.place { settings.observers.removeAll { $0.place === place } }
            settings.observers.append(observer)
        }
        return Registration { [weak client] in
            observer.end()
            client?.install { $0.observers.removeAll { $0 === observer } }
        }
    }

    /// Adds a keeper of failures among the calls that begin from now on.
    package func add(_ watcher: any CallWatcher & FailureKeeper) -> Registration {
        let client = active
        client.install { $0.keepers.append(watcher) }
        return Registration { [weak client] in
            client?.install { settings in
                settings.watchers.removeAll { $0 === watcher }
                settings.keepers.removeAll { $0 === watcher }
            }
        }
    }

    /// Makes an added watcher observe the calls that begin from now on, or only keep those that fail. Each call uses one of these ways.
    package func turn(_ watcher: any CallWatcher & FailureKeeper, isWatching: Bool) {
        install { settings in
            guard settings.watchers.contains(where: { $0 === watcher }) || settings.keepers.contains(where: { $0 === watcher }) else {
                return
            }
            settings.watchers.removeAll { $0 === watcher }
            settings.keepers.removeAll { $0 === watcher }
            if isWatching { settings.watchers.append(watcher) } else { settings.keepers.append(watcher) }
        }
    }

    /// Logs every attempt of every call, without secrets.
    ///
    /// ```swift
    /// client.log()
    /// client.log(.verbose, to: .standardError)
    /// client.log(.oneLine, to: LogSink { line in screen.append(line) })
    /// ```
    ///
    /// A second log to the same sink replaces the first, so that no line appears twice. A log to another sink is separate. Entries are written
    /// after the events, and never delay a call.
    ///
    /// - Returns: A registration that ends the log after pending entries are written. It may be ignored.
    @discardableResult
    public func log(_ detail: LogDetail = .oneLine, to sink: LogSink = .system) -> Registration {
        let log = CallLogWriter(detail: detail, sink: sink)
        active.logQueues.add(log.queue)
        return add(CallObserver(isImmediate: true, at: sink.identity) { log.note($0) })
    }

    /// Returns the changes of the session of a tag's user from now on: sign-ins, refreshes, refused refreshes and sign-outs.
    ///
    /// ```swift
    /// for await change in client.sessions(of: .forum) {
    ///     if case .refused = change.kind { try? signIn.signOut() }
    ///     if change.isEnd { showSignIn() }
    /// }
    /// ```
    ///
    /// The changes are those of the ``Authentication`` that the tag has now. A reader that falls behind misses all but the newest 100 changes. Other
    /// sign-ins, such as a closure that returns tokens, do not know their sessions: the sequence ends at once, and a diagnostic says so once.
    public func sessions(of tag: Tag) -> AsyncStream<SessionChange> {
        if let changes = profile(for: tag).authentication?.sessions(of: tag) { return changes }
        active.diagnostics.report(.ineffectiveStep, once: .setting("sessions \(tag.name)")) {
            "sessions(of: \"\(tag)\") reports nothing, because the tag has no Authentication; set one in the profile before. It is said once for each tag."
        }
        return AsyncStream { $0.finish() }
    }

    /// Passes the changes of the session of a tag's user to a handler on the main actor. See ``sessions(of:)``.
    ///
    /// - Returns: A registration that ends the reports. It may be ignored.
    @discardableResult
    public func sessions(of tag: Tag, _ handler: @escaping @MainActor @Sendable (SessionChange) -> Void) -> Registration {
        let changes = sessions(of: tag)
        let task = Task { @MainActor in
            for await change in changes where !Task.isCancelled { handler(change) }
        }
        return Registration { task.cancel() }
    }

    /// Waits until no call is running, and until observers, logs and recordings have received everything about the calls.
    ///
    /// For a program that ends after its last call:
    ///
    /// ```swift
    /// client.shutdown()
    /// await client.waitUntilIdle()
    /// ```
    ///
    /// Without ``shutdown()``, it also waits for calls that begin meanwhile. A stream is running until it has been read or dropped.
    /// It does not wait for closures of `then`, `catch` and `finally`. ``waitUntilIdle(for:)`` has a time limit, and cancelling the waiting task ends the
    /// wait. Do not call it in a handler or interceptor, whose own call would wait for itself.
    public func waitUntilIdle() async {
        await active.waitUntilOwnIdle()
    }

    /// Waits until no call is running, as ``waitUntilIdle()`` does, but only for a limited time.
    ///
    /// ```swift
    /// client.shutdown()
    /// if await !client.waitUntilIdle(for: .seconds(10)) { client.calls.cancelAll() }
    /// ```
    ///
    /// The calls continue when the time has passed.
    ///
    /// - Parameter limit: The longest time to wait. With zero, it returns at once whether a call is running.
    /// - Returns: Whether the client is idle: `false` if the time has passed, or if the waiting task was cancelled.
    public func waitUntilIdle(for limit: Duration) async -> Bool {
        let client = active
        // Without time, only whether a call is running can be said.
        guard limit > .zero else { return client.registry.state.withLock { $0.calls.isEmpty } && client.expectedEnds.withLock { $0 == 0 } }
        do {
            try await withTimeLimit(limit, on: client.clock, error: APIError(.timeout)) {
                await client.waitUntilOwnIdle()
                try Task.checkCancellation()
            }
            return true
        } catch {
            return false
        }
    }

    private func waitUntilOwnIdle() async {
        repeat {
            await registry.state.wait { $0.calls.isEmpty }
            // A cancelled call leaves the registry immediately, and observers are notified a little later.
            await expectedEnds.wait { $0 == 0 }
            // Between two calls of a batch, the registry is empty.
        } while !Task.isCancelled && registry.state.withLock { !$0.calls.isEmpty }
        for queue in [observation] + logQueues.all {
            // Through a promise, so that cancelling this task ends the wait even if a sink never returns.
            _ = await Promise { await queue.finish() }.result
        }
    }

    /// Returns the status of the circuit breaker of a tag, which lives as long as the client; see ``Profile/circuitBreaker``.
    ///
    /// ```swift
    /// if client.circuitBreakerStatus(of: .forum) == .open { show("The forum is out of order.") }
    /// ```
    ///
    /// - Parameters:
    ///   - tag: The tag, or `nil` for calls without a tag.
    ///   - route: The path of a route, as its calls write it, if the breaker has the scope ``CircuitBreakerPolicy/Scope/route``. Without it, the
    ///     status is the worst of all routes.
    /// - Returns: The status, or `nil` if the tag has no such circuit breaker or no call has used it yet.
    public func circuitBreakerStatus(of tag: Tag?, route: Path? = nil) -> CircuitBreakerStatus? {
        let (snapshot, profile) = configuration(of: tag)
        // A call that began before a change of the profile may have left a state of the former limits.
        let present = profile === snapshot.untagged ? nil : profile.tagState.known
        guard let state = present ?? active.tagStates.known(tag) else { return nil }
        if let routes = state.routeBreakers { return routes.status(of: route.map { Location.route(of: $0) }) }
        return route == nil ? state.sharedBreaker?.status ?? state.breaker?.status : nil
    }
}
