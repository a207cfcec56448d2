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
    ///   - stubs: The stubs. A test can add some at any time, also after it has made the client.
    ///   - clock: The clock of all waits and time limits; ``Stubs/clock``, which advances by itself, if none is given.
    ///   - random: The draw in place of each random number from 0 to 1, so that waits have a known length. With 1, the default, a retry
    ///     waits for the longest time that its policy allows.
    public convenience init(testing stubs: Stubs, clock: VirtualClock? = nil, random: Double = 1) {
        self.init(transport: stubs, timers: clock ?? stubs.clock, random: { random })
        takeStubHost()
    }

    /// Makes a client for tests, whose random numbers are the same in every run with the same seed.
    ///
    /// - Parameters:
    ///   - stubs: The stubs. A test can add some at any time, also after it has made the client.
    ///   - clock: The clock of all waits and time limits; ``Stubs/clock``, which advances by itself, if none is given.
    ///   - seed: Decides the random delays of retries.
    public convenience init(testing stubs: Stubs, clock: VirtualClock? = nil, seed: UInt64) {
        self.init(transport: stubs, timers: clock ?? stubs.clock, random: SeededDraws(seed: seed).next)
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
    /// Responds to the calls that `body` makes through `API`, including those of promise handlers that it attaches, on any thread.
    ///
    /// ```swift
    /// try await stubs.activate {
    ///     stubs.get("/v1/users").reply(data: [user])
    ///     try await screen.load()          // calls API.tag(.forum).get("/v1/users")
    /// }
    /// ```
    ///
    /// Inside, `API` starts with its current configuration; changes made inside apply inside only. Other tasks are not affected, so that
    /// tests can run in parallel. Work that leaves the task without a promise, such as `DispatchQueue.main.async` or `Task.detached`,
    /// leaves the scope.
    ///
    /// - Parameters:
    ///   - clock: The clock of all waits and time limits; ``clock``, which advances by itself, if none is given.
    ///   - isolation: The actor on which `body` runs; by default that of the caller.
    ///   - body: The code under test.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    public func activate<Value>(
        clock: VirtualClock? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async throws -> Value {
        try await PromiseScope.$current.withValue(scope(clock)) { try await body() }
    }

    private func scope(_ clock: VirtualClock?) -> PromiseScope {
        PromiseScope(Client(transport: self, timers: clock ?? self.clock, random: { 1 }, like: .current))
    }
}
