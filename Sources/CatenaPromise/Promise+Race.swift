extension Promise {
    /// Returns a promise of the first value; the other promises are then cancelled. If all fail, it is rejected with an ``AggregateError``.
    ///
    /// Cancelled promises are ignored; if all are cancelled, so is the result.
    public static func any(
        _ promises: [Promise<Value>],
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Value> {
        guard !promises.isEmpty else { return Promise(error: AggregateError(errors: []), file: file, line: line) }
        let core = PromiseGroup.watch(
            promises.map(\.core), cancelsRest: true, origin: PromiseDiagnostics.origin(file, line)
        ) { latest, all in
            if case .fulfilled = latest { return latest }
            return all().map(Outcome.failure(of:))
        }
        return Promise(core: core)
    }

    /// Returns a promise of the first outcome; the other promises are then cancelled.
    ///
    /// Cancelled promises are ignored; if all are cancelled, so is the result. Without a promise the result is rejected with
    /// ``PromiseError/abandoned``.
    public static func race(
        _ promises: [Promise<Value>],
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Value> {
        guard !promises.isEmpty else { return Promise(error: PromiseError.abandoned, file: file, line: line) }
        let core = PromiseGroup.watch(
            promises.map(\.core), cancelsRest: true, origin: PromiseDiagnostics.origin(file, line)
        ) { latest, all in
            if case .cancelled = latest { return all().map { _ in .cancelled } }
            return latest
        }
        return Promise(core: core)
    }
}

extension Outcome {
    /// Returns the outcome if no promise of several succeeded.
    fileprivate static func failure(of outcomes: [Outcome]) -> Outcome {
        let errors = outcomes.compactMap { outcome -> (any Error)? in
            if case .rejected(let error, _) = outcome { error } else { nil }
        }
        return errors.isEmpty ? .cancelled : .rejected(AggregateError(errors: errors), .unseen)
    }
}
