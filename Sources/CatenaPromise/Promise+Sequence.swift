extension Promise {
    /// Runs promises one after the other, each made with the previous value, until `next` returns `nil`.
    ///
    /// ```swift
    /// Promise<Page>.sequence { last in
    ///     guard let last else { return load(page: 1) }
    ///     return last.hasMore ? load(page: last.number + 1) : nil
    /// }
    /// ```
    ///
    /// The result has all values in order. The first error ends the sequence and rejects the result. Cancelling the result cancels the
    /// current step.
    public static func sequence(
        file: StaticString = #fileID,
        line: UInt = #line,
        _ next: @escaping @Sendable (_ last: Value?) throws -> Promise<Value>?
    ) -> Promise<[Value]> {
        let sequence = PromiseSequence<Value>(origin: PromiseDiagnostics.origin(file, line), next: next)
        sequence.advance(after: nil)
        return Promise<[Value]>(core: sequence.result)
    }

    /// Runs the steps one after the other, each with the previous value. The first step receives `nil`.
    ///
    /// The result has all values in order. A step begins after the previous one has succeeded. The first error ends the sequence and rejects the
    /// result.
    public static func sequence(
        _ steps: [@Sendable (_ last: Value?) throws -> Promise<Value>],
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<[Value]> {
        let remaining = Mutex(steps[...])
        return sequence(file: file, line: line) { last in
            try remaining.withLock { $0.popFirst() }?(last)
        }
    }
}

/// Runs the steps of a sequence. A consumer watches each step, so that a sequence of any length keeps only one step alive.
private final class PromiseSequence<Value: Sendable>: Sendable {
    private struct State {
        var values: [Value] = []
        /// The number of steps so far, so that the watcher of an earlier step never replaces that of a later one.
        var number = 0
        var watcher: PromiseCore?
    }

    let result: PromiseCore
    private let next: @Sendable (Value?) throws -> Promise<Value>?
    private let state = Mutex(State())

    init(origin: PromiseOrigin?, next: @escaping @Sendable (Value?) throws -> Promise<Value>?) {
        result = PromiseCore(origin: origin)
        self.next = next
        result.whenCancelled { [self] in
            state.withLock { $0.watcher.take() }?.cancel()
        }
    }

    func advance(after last: Value?) {
        guard result.isPending else { return }
        do {
            guard let step = try next(last) else {
                return result.settle(.fulfilled(with: state.withLock { $0.values }))
            }
            watch(step)
        } catch {
            result.settle(.rejected(error))
        }
    }

    private func watch(_ step: Promise<Value>) {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        let watcher = step.core.derive(interest: .any) { [self] outcome in
            if case .fulfilled(let box) = outcome {
                let value = Box<Value>.open(box)
                state.withLock { $0.values.append(value) }
                advance(after: value)
            } else {
                result.settle(outcome.uncaught)
            }
            return .settle(outcome.seen)
        }
        state.withLock { state in
            if state.number == number { state.watcher = watcher }
        }
        // The result was cancelled while the step was made, so the step is not needed.
        if !result.isPending { watcher.cancel() }
    }
}
