public import Dispatch

extension Promise {
    /// Handles an error on the main actor.
    ///
    /// ```swift
    /// API.tag(.forum).get("/me").execute(as: User.self)
    ///     .then { user in self.greet(user) }
    ///     .catch(.unauthorized) { _ in self.signIn() }
    ///     .catch { error in self.alert(error.localizedDescription) }
    /// ```
    ///
    /// The first `catch` of a chain that matches an error runs, and the later ones do not, as with `do` and `catch`. The promise stays
    /// rejected for `recover` and for code that awaits it. Each branch of a promise is a chain of its own.
    ///
    /// `body` is not called if the promise is cancelled. An error that `body` throws replaces the one that it handles.
    ///
    /// - Returns: A promise of the same outcome. It may be ignored.
    @discardableResult
    public func `catch`(_ body: @escaping @MainActor @Sendable (APIError) throws -> Void) -> Promise<Value> {
        observe(on: .main, matching: .any) { error in
            try MainActor.assumeIsolated { try body(error) }
        }
    }

    /// Handles the errors that match, on the main actor, unless an earlier `catch` of the chain has. Other errors stay unhandled.
    @discardableResult
    public func `catch`(
        _ matcher: ErrorMatcher,
        _ body: @escaping @MainActor @Sendable (APIError) throws -> Void
    ) -> Promise<Value> {
        observe(on: .main, matching: matcher) { error in
            try MainActor.assumeIsolated { try body(error) }
        }
    }

    /// Handles an error on a queue, unless an earlier `catch` of the chain has.
    @discardableResult
    public func `catch`(
        on queue: DispatchQueue,
        _ body: @escaping @Sendable (APIError) throws -> Void
    ) -> Promise<Value> {
        observe(on: .on(queue), matching: .any, body)
    }

    /// Handles the errors that match, on a queue, unless an earlier `catch` of the chain has. Other errors stay unhandled.
    @discardableResult
    public func `catch`(
        _ matcher: ErrorMatcher,
        on queue: DispatchQueue,
        _ body: @escaping @Sendable (APIError) throws -> Void
    ) -> Promise<Value> {
        observe(on: .on(queue), matching: matcher, body)
    }

    /// Handles errors of one type on the main actor, unless an earlier `catch` of the chain has: the error that was thrown, or the one that
    /// is the `underlying` error of an `APIError`.
    @discardableResult
    public func `catch`<Failure: Error>(
        as type: Failure.Type,
        _ body: @escaping @MainActor @Sendable (Failure) throws -> Void
    ) -> Promise<Value> {
        observe(as: type, on: .main) { error in
            try MainActor.assumeIsolated { try body(error) }
        }
    }

    /// Handles errors of one type on a queue, unless an earlier `catch` of the chain has.
    @discardableResult
    public func `catch`<Failure: Error>(
        as type: Failure.Type,
        on queue: DispatchQueue,
        _ body: @escaping @Sendable (Failure) throws -> Void
    ) -> Promise<Value> {
        observe(as: type, on: .on(queue), body)
    }

    private func observe(
        on executor: PromiseExecutor,
        matching matcher: ErrorMatcher,
        _ body: @escaping @Sendable (APIError) throws -> Void
    ) -> Promise<Value> {
        var interest = Interest(failuresFor: matcher)
        if matcher.matchesCancellation { interest.insert(.ownCancellation) }
        return observeError(on: executor, interest: interest) { error in
            let error = APIError.wrapping(error)
            guard matcher.matches(error) else { return false }
            try keepingCancellation { try body(error) }
            return true
        }
    }

    private func observe<Failure: Error>(
        as type: Failure.Type,
        on executor: PromiseExecutor,
        _ body: @escaping @Sendable (Failure) throws -> Void
    ) -> Promise<Value> {
        observeError(on: executor, interest: .rejected) { error in
            guard ErrorMatcher.any.matches(.wrapping(error)), let failure = Self.failure(type, in: error) else { return false }
            try body(failure)
            return true
        }
    }

    /// The error of this type nearest to the surface.
    private static func failure<Failure: Error>(_ type: Failure.Type, in error: any Error) -> Failure? {
        var next: (any Error)? = error
        while let error = next {
            if let failure = error as? Failure { return failure }
            let outer = error as? APIError
            if let failure = outer?.own as? Failure { return failure }
            next = outer?.underlying
        }
        return nil
    }
}

extension Promise {
    /// Replaces an error with a value.
    ///
    /// `body` is nonisolated and runs on the thread that settles the promise. An error that it throws replaces the original one. It is not
    /// called if the promise is cancelled.
    public func recover(_ body: @escaping @Sendable (APIError) throws -> Value) -> Promise<Value> {
        replace(matching: .any) { Promise(value: try body($0)) }
    }

    /// Replaces the errors that match with a value: `recover(.notFound) { _ in User.guest }`.
    public func recover(_ matcher: ErrorMatcher, _ body: @escaping @Sendable (APIError) throws -> Value) -> Promise<Value> {
        replace(matching: matcher) { Promise(value: try body($0)) }
    }

    /// Replaces an error with another promise. The closure is not called if the promise is cancelled.
    public func flatRecover(_ body: @escaping @Sendable (APIError) throws -> Promise<Value>) -> Promise<Value> {
        replace(matching: .any, body)
    }

    /// Replaces the errors that match with another promise.
    public func flatRecover(
        _ matcher: ErrorMatcher,
        _ body: @escaping @Sendable (APIError) throws -> Promise<Value>
    ) -> Promise<Value> {
        replace(matching: matcher, body)
    }

    private func replace(
        matching matcher: ErrorMatcher,
        _ body: @escaping @Sendable (APIError) throws -> Promise<Value>
    ) -> Promise<Value> {
        replaceError(interest: Interest(failuresFor: matcher).union(.caught)) { error in
            let error = APIError.wrapping(error)
            guard matcher.matches(error) else { return nil }
            return try keepingCancellation { try body(error) }
        }
    }
}

/// Who throws on the error of a cancelled call has not made a failure of it.
private func keepingCancellation<Value>(_ body: () throws -> Value) throws -> Value {
    do {
        return try body()
    } catch let error as APIError where error.kind == .cancelled {
        throw CancellationError()
    }
}

extension Interest {
    fileprivate init(failuresFor matcher: ErrorMatcher) {
        self = matcher.matchesCancellation ? [.rejected, .cancelled] : .rejected
    }
}
