extension Promise {
    /// Runs a closure that makes a promise, and runs it again if the promise is rejected, up to `times` times more.
    ///
    /// ```swift
    /// Promise.retry(times: 2, delay: .seconds(1), while: { error in error is URLError }) { upload() }
    /// ```
    ///
    /// - Parameters:
    ///   - times: The maximum number of further attempts.
    ///   - delay: The wait before each further attempt.
    ///   - condition: Returns whether an error causes another attempt.
    ///   - file: The file of the call, for diagnostics.
    ///   - line: The line of the call, for diagnostics.
    ///   - body: Makes the promise of one attempt.
    ///
    /// Cancelling the result cancels the current attempt or wait. A cancelled attempt is not repeated.
    public static func retry(
        times: Int,
        delay: Duration = .zero,
        while condition: @escaping @Sendable (any Error) -> Bool = { _ in true },
        file: StaticString = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable () throws -> Promise<Value>
    ) -> Promise<Value> {
        retry(times: times, delay: delay, on: SystemClock.shared, while: condition, file: file, line: line, body)
    }

    /// Runs asynchronous work, and runs it again if it throws, up to `times` times more.
    ///
    /// ```swift
    /// Promise.retry(times: 2, delay: .seconds(1)) { try await fetchUser() }
    /// ```
    ///
    /// - Parameters:
    ///   - times: The maximum number of further attempts.
    ///   - delay: The wait before each further attempt.
    ///   - condition: Returns whether an error causes another attempt.
    ///   - file: The file of the call, for diagnostics.
    ///   - line: The line of the call, for diagnostics.
    ///   - work: One attempt. It is nonisolated and runs in a task of its own.
    ///
    /// Cancelling the result cancels the current attempt or wait. A cancelled attempt is not repeated.
    // Disfavored, because the other overload takes closures that return a promise.
    @_disfavoredOverload
    public static func retry(
        times: Int,
        delay: Duration = .zero,
        while condition: @escaping @Sendable (any Error) -> Bool = { _ in true },
        file: StaticString = #fileID,
        line: UInt = #line,
        _ work: @escaping @Sendable () async throws -> Value
    ) -> Promise<Value> {
        retry(times: times, delay: delay, on: SystemClock.shared, while: condition, file: file, line: line) {
            Promise(file: file, line: line, work)
        }
    }

    package static func retry(
        times: Int,
        delay: Duration,
        on clock: any TimerClock,
        while condition: @escaping @Sendable (any Error) -> Bool,
        file: StaticString = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable () throws -> Promise<Value>
    ) -> Promise<Value> {
        let attempt: Promise<Value>
        do {
            attempt = try body()
        } catch {
            attempt = Promise(error: error, file: file, line: line)
        }
        // An attempt has its own chain, so catches inside it do not replace those of the result.
        let retried = attempt.core.derive(interest: [.rejected, .caught]) { outcome in
            guard case .rejected(let error, _) = outcome, times > 0, condition(error) else { return .settle(outcome.uncaught) }
            let next: @Sendable () -> Promise<Value> = {
                retry(times: times - 1, delay: delay, on: clock, while: condition, file: file, line: line, body)
            }
            return .adopt((delay > .zero ? Promise<Void>.delay(delay, on: clock).flatMap(next) : next()).core)
        }
        return Promise(core: retried)
    }

    /// Returns a promise of the value if `isValid` returns `true` for it, or of the error ``PromiseError/invalid``.
    ///
    /// `isValid` is nonisolated and runs on the thread that settles the promise. An error that it throws rejects the new promise.
    public func validate(_ isValid: @escaping @Sendable (Value) throws -> Bool) -> Promise<Value> {
        map { value in
            guard try isValid(value) else { throw PromiseError.invalid }
            return value
        }
    }
}
