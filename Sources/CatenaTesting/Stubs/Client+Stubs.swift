public import Catena

extension Client {
    /// A client for tests, whose calls are answered by stubs.
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
    ///   - clock: The clock of everything that waits; ``Stubs/clock``, which goes on by itself, if none is given.
    ///   - random: The draw in place of each random number from 0 to 1, so that waits have a known length.
    public convenience init(testing stubs: Stubs, clock: VirtualClock? = nil, random: Double = 1) {
        self.init(transport: stubs, timers: clock ?? stubs.clock, random: { random })
        takeStubHost()
    }

    /// A client for tests, whose random numbers are the same in every run with the same seed.
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
    /// Answers what is called through `API` in `body`, and in the handlers that are attached there, on whatever thread they run.
    ///
    /// ```swift
    /// try await stubs.activate {
    ///     stubs.get("/v1/users").reply(data: [user])
    ///     try await screen.load()          // calls API.tag(.forum).get("/v1/users")
    /// }
    /// ```
    ///
    /// The configuration of `API` holds as it is at the beginning; what `body` configures holds inside it alone. Other tasks see
    /// nothing of it, so that tests may run at the same time. What leaves the task without a promise, such as
    /// `DispatchQueue.main.async` or `Task.detached`, leaves the scope.
    ///
    /// - Parameters:
    ///   - clock: The clock of everything that waits; ``clock``, which goes on by itself, if none is given.
    ///   - isolation: The actor on which `body` runs.
    ///   - body: What is called meanwhile.
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
