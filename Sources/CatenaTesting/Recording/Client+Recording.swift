public import Catena

extension Client {
    /// Makes a client for tests, whose calls are recorded or replayed. In replay, retries and time limits take no real time.
    ///
    /// ```swift
    /// let client = Client(testing: try Recording(file, mode: .replay))
    /// ```
    public convenience init(testing recording: Recording) {
        self.init(transport: recording, timers: recording.timers, random: { 1 })
    }
}

extension Recording {
    /// Records or replays the calls that `body` makes through `API`, including those of promise handlers that it attaches; see
    /// ``Stubs/activate(clock:isolation:_:)``.
    public func activate<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        let client = Client(transport: self, timers: timers, random: { 1 }, like: .current)
        return try await PromiseScope.$current.withValue(PromiseScope(client)) { try await body() }
    }

    fileprivate var timers: any CallClock {
        mode == .replay ? clock : SystemClock.shared
    }
}
