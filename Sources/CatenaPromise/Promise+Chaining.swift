public import Dispatch

// What is inlined here is compiled for the value's type at the call site, without generic metadata at run time.
extension Promise {
    /// Uses the value on the main actor and passes it on. An error thrown by `body` rejects the new promise.
    ///
    /// Never runs inside the call that attaches it.
    @discardableResult
    public func then(_ body: @escaping @MainActor @Sendable (Value) throws -> Void) -> Promise<Value> {
        then(executor: .main) { value in
            try MainActor.assumeIsolated { try body(value) }
        }
    }

    /// Uses the value on a queue and passes it on. An error thrown by `body` rejects the new promise.
    @discardableResult
    public func then(on queue: DispatchQueue, _ body: @escaping @Sendable (Value) throws -> Void) -> Promise<Value> {
        then(executor: .on(queue), body)
    }

    /// Changes the value. Runs on the thread that settles the promise; if it is settled already, in this call, or, where that is made inside
    /// a closure of a promise, after that closure.
    ///
    /// An error thrown by `transform` rejects the new promise.
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

    /// Continues with another promise. Runs on the thread that settles this one; if it is settled already, in this call, or, where that is
    /// made inside a closure of a promise, after that closure.
    ///
    /// Cancelling the result cancels whichever of the two promises is under way, unless somebody else wants it.
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

    /// Runs on the main actor when the promise is settled, in whichever way, and when it is cancelled. Changes nothing.
    @discardableResult
    public func finally(_ body: @escaping @MainActor @Sendable () -> Void) -> Promise<Value> {
        finally(executor: .main) {
            MainActor.assumeIsolated { body() }
        }
    }

    /// Runs on a queue when the promise is settled, in whichever way, and when it is cancelled. Changes nothing.
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

// MARK: Primitives for the steps that know what an error is

extension Promise {
    /// Looks at an error for which no catch of the chain has run; `body` says whether it is one. The promise stays as it is.
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

    /// Replaces an error by a value, or lets it pass if `body` gives none.
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
