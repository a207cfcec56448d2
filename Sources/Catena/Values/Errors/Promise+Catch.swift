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
    /// The first matching `catch` of a chain runs and later ones do not, as with `do` and `catch`. The promise stays rejected for `recover` and for
    /// code that awaits it. Each branch of a promise is a separate chain.
    ///
    /// `body` is not called if the promise is cancelled. An error that `body` throws replaces the handled one.
    ///
    /// - Returns: A promise with the same outcome. It may be ignored.
    @discardableResult
    public func `catch`(_ body: @escaping @MainActor @Sendable (APIError) throws -> Void) -> Promise<Value> {
        observe(on: .main, matching: .any) { error in
            try MainActor.assumeIsolated { try body(error) }
        }
    }

    /// Handles matching errors on the main actor, unless an earlier `catch` of the chain has handled them. Other errors stay unhandled.
    @discardableResult
    public func `catch`(
        _ matcher: ErrorMatcher,
        _ body: @escaping @MainActor @Sendable (APIError) throws -> Void
    ) -> Promise<Value> {
        observe(on: .main, matching: matcher) { error in
            try MainActor.assumeIsolated { try body(error) }
        }
    }

    /// Handles errors that match one of several matchers on the main actor: `.catch(.validation, .code(10086)) { error in … }`.
    @discardableResult
    public func `catch`(
        _ matcher: ErrorMatcher,
        _ second: ErrorMatcher,
        _ others: ErrorMatcher...,
        perform body: @escaping @MainActor @Sendable (APIError) throws -> Void
    ) -> Promise<Value> {
        `catch`(.one(of: [matcher, second] + others), body)
    }

    /// Handles an error on a queue, unless an earlier `catch` of the chain has handled it.
    @discardableResult
    public func `catch`(
        on queue: DispatchQueue,
        _ body: @escaping @Sendable (APIError) throws -> Void
    ) -> Promise<Value> {
        observe(on: .on(queue), matching: .any, body)
    }

    /// Handles matching errors on a queue, unless an earlier `catch` of the chain has handled them. Other errors stay unhandled.
    @discardableResult
    public func `catch`(
        _ matcher: ErrorMatcher,
        on queue: DispatchQueue,
        _ body: @escaping @Sendable (APIError) throws -> Void
    ) -> Promise<Value> {
        observe(on: .on(queue), matching: matcher, body)
    }

    /// Handles errors of one type on the main actor, unless an earlier `catch` of the chain has handled them. The type may be that of the thrown
    /// error, of an `underlying` error of an `APIError`, or of the `RefreshError.cause` of a failed refresh.
    @discardableResult
    public func `catch`<Failure: Error>(
        as type: Failure.Type,
        _ body: @escaping @MainActor @Sendable (Failure) throws -> Void
    ) -> Promise<Value> {
        observe(as: type, on: .main) { error in
            try MainActor.assumeIsolated { try body(error) }
        }
    }

    /// Handles errors of one type on a queue, unless an earlier `catch` of the chain has handled them.
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
            try body(error)
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

    /// Returns the outermost error of this type.
    private static func failure<Failure: Error>(_ type: Failure.Type, in error: any Error) -> Failure? {
        var next: (any Error)? = error
        while let error = next {
            if let failure = error as? Failure { return failure }
            let outer = error as? APIError
            if let failure = outer?.contents.own as? Failure { return failure }
            next = outer?.underlying ?? (error as? RefreshError)?.cause
        }
        return nil
    }
}

extension Promise {
    /// Replaces an error with a value.
    ///
    /// `body` is nonisolated and runs on the thread that settles the promise. An error that it throws replaces the original one. It is not called if
    /// the promise is cancelled.
    public func recover(_ body: @escaping @Sendable (APIError) throws -> Value) -> Promise<Value> {
        replace(matching: .any) { Promise(value: try body($0)) }
    }

    /// Replaces matching errors with a value: `recover(.notFound) { _ in User.guest }`.
    public func recover(_ matcher: ErrorMatcher, _ body: @escaping @Sendable (APIError) throws -> Value) -> Promise<Value> {
        replace(matching: matcher) { Promise(value: try body($0)) }
    }

    /// Replaces an error with another promise. `body` is not called if the promise is cancelled.
    public func flatRecover(_ body: @escaping @Sendable (APIError) throws -> Promise<Value>) -> Promise<Value> {
        replace(matching: .any, body)
    }

    /// Replaces matching errors with another promise.
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
            return try body(error)
        }
    }
}

extension Interest {
    fileprivate init(failuresFor matcher: ErrorMatcher) {
        self = matcher.matchesCancellation ? [.rejected, .cancelled] : .rejected
    }
}
