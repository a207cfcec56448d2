public import Catena

extension Client {
    /// A client for tests, whose calls are recorded or replayed. In replay nothing really waits, neither retries nor time limits.
    ///
    /// ```swift
    /// let client = Client(testing: try Recording(file, mode: .replay))
    /// ```
    public convenience init(testing recording: Recording) {
        self.init(transport: recording, timers: recording.timers, random: { 1 })
    }
}

extension Recording {
    /// Records or replays what is called through `API` in `body`, and in the handlers that are attached there; see
    /// ``Stubs/activate(clock:isolation:_:)``.
    public func activate<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let client = Client(transport: self, timers: timers, random: { 1 }, like: .current)
        return try await PromiseScope.$current.withValue(PromiseScope(client)) { try await body() }
    }

    fileprivate var timers: any CallClock {
        mode == .replay ? clock : SystemClock.shared
    }
}
