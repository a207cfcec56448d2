public import Catena

extension Client {
    /// Makes a client for tests, whose calls get their responses from stubs.
    ///
    /// ```swift
    /// let stubs = Stubs()
    /// let client = Client(testing: stubs)
    /// stubs.get("/v1/users").reply(data: [user])
    /// let users = try await client.get("/v1/users").value(as: [User].self)
    /// ```
    ///
    /// Calls without a host go to `https://stubs.test`.
    ///
    /// - Parameters:
    ///   - stubs: The stubs. A test may add stubs at any time.
    ///   - clock: The clock of all waits and time limits. Without one, ``Stubs/clock``, which advances by itself.
    ///   - random: The value used instead of each random number from 0 to 1, so that delays are predictable. With 1, the default, a retry waits for its
    ///     policy's maximum delay.
    public convenience init(testing stubs: Stubs, clock: VirtualClock? = nil, random: Double = 1) {
        self.init(transport: stubs, timers: clock ?? stubs.clock, random: { random })
        stubs.watch(self)
        takeStubHost()
    }

    /// Makes a client for tests, whose random numbers are the same in every run with the same seed.
    ///
    /// - Parameters:
    ///   - stubs: The stubs. A test may add stubs at any time.
    ///   - clock: The clock of all waits and time limits. Without one, ``Stubs/clock``, which advances by itself.
    ///   - seed: The seed of the random numbers, which determine the delays of retries.
    public convenience init(testing stubs: Stubs, clock: VirtualClock? = nil, seed: UInt64) {
        self.init(transport: stubs, timers: clock ?? stubs.clock, random: SeededDraws(seed: seed).next)
        stubs.watch(self)
        takeStubHost()
    }
}

extension Client {
    private func takeStubHost() {
        configureDefaults { defaults in
            defaults.host = "https://stubs.test"
            defaults.placeholderHost = "https://stubs.test"
        }
    }
}

extension Stubs {
    /// Responds to the calls that `body` makes through `API` on any thread, including calls of the promise handlers that it attaches.
    ///
    /// ```swift
    /// try await stubs.activate {
    ///     stubs.get("/v1/users").reply(data: [user])
    ///     try await screen.load()          // calls API.tag(.forum).get("/v1/users")
    /// }
    /// ```
    ///
    /// `API` starts with its current configuration; changes apply only inside the scope. Other tasks are not affected, so tests can run in parallel. Work
    /// that leaves the task without a promise, such as `DispatchQueue.main.async` or `Task.detached`, leaves the scope.
    ///
    /// - Parameters:
    ///   - clock: The clock of all waits and time limits. Without one, ``clock``, which advances by itself.
    ///   - isolation: The actor on which `body` runs. By default the caller's actor.
    ///   - body: The code under test.
    /// - Returns: The value that `body` returns.
    /// - Throws: The error that `body` throws. If `body` does not throw, the call needs no `try`.
    public func activate<Value>(
        clock: VirtualClock? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        try await PromiseScope.$current.withValue(scope(clock)) { try await body() }
    }

    private func scope(_ clock: VirtualClock?) -> PromiseScope {
        let client = Client(transport: self, timers: clock ?? self.clock, random: { 1 }, like: .current)
        watch(client)
        return PromiseScope(client)
    }
}
