public import Dispatch

// Inlinable functions are specialised for the value's type at the call site, and need no generic metadata at run time.
extension Promise {
    /// Uses the value on the main actor and passes it on.
    ///
    /// ```swift
    /// API.tag(.forum).get("/users").execute(as: [User].self).then { users in self.show(users) }
    /// ```
    ///
    /// `body` runs only if the promise is fulfilled, and never inside the call that attaches it. An error that `body` throws rejects the new promise.
    ///
    /// - Returns: A promise of the same value. It may be ignored.
    @discardableResult
    public func then(_ body: @escaping @MainActor @Sendable (Value) throws -> Void) -> Promise<Value> {
        then(executor: .main) { value in
            try MainActor.assumeIsolated { try body(value) }
        }
    }

    /// Uses the value on a queue and passes it on. An error that `body` throws rejects the new promise.
    @discardableResult
    public func then(on queue: DispatchQueue, _ body: @escaping @Sendable (Value) throws -> Void) -> Promise<Value> {
        then(executor: .on(queue), body)
    }

    /// Explains the error of a closure that returns a promise.
    ///
    /// The compiler selects it where the closure has a `return`. A closure of a single expression is taken by the other `then`, which drops the
    /// promise. An available overload would select it there too, but it made chains with two `then` exponentially slow to type-check.
    @available(*, unavailable, message: "a closure that returns a promise needs flatMap, which passes on the value of that promise")
    @discardableResult
    public func then<Inner: Sendable>(_ body: @escaping @MainActor @Sendable (Value) throws -> Promise<Inner>) -> Promise<Value> { self }

    /// Changes the value.
    ///
    /// ```swift
    /// let names = API.tag(.forum).get("/users").execute(as: [User].self).map { users in users.map(\.name) }
    /// ```
    ///
    /// `transform` is nonisolated and runs on the thread that settles the promise. If the promise is settled already, `transform` runs inside this
    /// call, or after the closure of a promise that makes this call. An error that `transform` throws rejects the new promise.
    @inlinable
    public func map<New: Sendable>(_ transform: @escaping @Sendable (Value) throws -> New) -> Promise<New> {
        Promise<New>(
            core: core.derive(interest: .fulfilled) { outcome in
                guard case .fulfilled(let box) = outcome else { return .settle(outcome) }
                do {
                    return .settle(.fulfilled(with: try transform(Box<Value>.open(box))))
                } catch {
                    return .settle(.rejected(error))
                }
            })
    }

    /// Continues with another promise, such as that of a call that needs the value of this one.
    ///
    /// ```swift
    /// API.tag(.forum).post("/login").execute(as: Token.self)
    ///     .flatMap { token in API.tag(.forum).get("/me").header("X-Token", token.value).execute(as: User.self) }
    /// ```
    ///
    /// `next` runs where the closure of ``map(_:)`` does, and an error that it throws rejects the new promise. Cancelling the new promise cancels
    /// the one of the two that is pending, unless another promise or task waits for it.
    @inlinable
    public func flatMap<New: Sendable>(_ next: @escaping @Sendable (Value) throws -> Promise<New>) -> Promise<New> {
        Promise<New>(
            core: core.derive(interest: .fulfilled) { outcome in
                guard case .fulfilled(let box) = outcome else { return .settle(outcome) }
                do {
                    return .adopt(try next(Box<Value>.open(box)).core)
                } catch {
                    return .settle(.rejected(error))
                }
            })
    }

    /// Runs a closure on the main actor when the promise is fulfilled, rejected or cancelled. The outcome stays the same.
    @discardableResult
    public func finally(_ body: @escaping @MainActor @Sendable () -> Void) -> Promise<Value> {
        finally(executor: .main) {
            MainActor.assumeIsolated { body() }
        }
    }

    /// Runs a closure on a queue when the promise is fulfilled, rejected or cancelled. The outcome stays the same.
    @discardableResult
    public func finally(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> Promise<Value> {
        finally(executor: .on(queue), body)
    }

    private func then(executor: PromiseExecutor, _ body: @escaping @Sendable (Value) throws -> Void) -> Promise<Value> {
        Promise(
            core: core.derive(on: executor, interest: .fulfilled) { outcome in
                guard case .fulfilled(let box) = outcome else { return .settle(outcome) }
                do {
                    try body(Box<Value>.open(box))
                    return .settle(outcome)
                } catch {
                    return .settle(.rejected(error))
                }
            })
    }

    private func finally(executor: PromiseExecutor, _ body: @escaping @Sendable () -> Void) -> Promise<Value> {
        Promise(
            core: core.derive(on: executor, interest: .any) { outcome in
                body()
                return .settle(outcome)
            })
    }
}

// MARK: Primitives for the steps that handle errors

extension Promise {
    /// Observes an error for which no catch of the chain has run. `body` returns whether it has caught the error.
    package func observeError(
        on executor: PromiseExecutor,
        interest: Interest,
        _ body: @escaping @Sendable (any Error) throws -> Bool
    ) -> Promise<Value> {
        Promise(
            core: core.derive(on: executor, interest: interest) { outcome in
                guard case .failure(let error) = outcome.result(as: Value.self) else { return .settle(outcome) }
                do {
                    return .settle(try body(error) ? outcome.caught : outcome)
                } catch {
                    return .settle(.rejected(error))
                }
            })
    }

    /// Replaces an error by the outcome of another promise, or passes the error on if `body` returns `nil`.
    package func replaceError(interest: Interest, _ body: @escaping @Sendable (any Error) throws -> Promise<Value>?) -> Promise<Value> {
        Promise(
            core: core.derive(interest: interest) { outcome in
                guard case .failure(let error) = outcome.result(as: Value.self) else { return .settle(outcome) }
                do {
                    guard let replacement = try body(error) else { return .settle(outcome) }
                    return .adopt(replacement.core)
                } catch {
                    return .settle(.rejected(error))
                }
            })
    }
}
