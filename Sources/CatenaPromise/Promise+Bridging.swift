public import Dispatch

extension Promise {
    /// Calls a completion handler with the result, for code that expects one.
    ///
    /// The handler runs on `queue`, after this call has returned. The default queue is a background queue of the system. A cancelled promise passes
    /// a `CancellationError`. The handler does not catch the error: a `catch` of the same chain still runs.
    public func whenSettled(on queue: DispatchQueue = .global(), _ completion: @escaping @Sendable (Result<Value, any Error>) -> Void) {
        _ = core.derive(on: .on(queue), interest: .any) { outcome in
            completion(outcome.result(as: Value.self))
            return .settle(outcome.seen)
        }
    }

    /// Makes a promise of a task's result.
    ///
    /// ```swift
    /// let user = Promise(Task { try await fetchUser() })
    /// ```
    ///
    /// An error of the task rejects the promise. Cancelling the promise cancels the task. Use `Task { try await promise.value }` for the reverse.
    public init(_ task: Task<Value, some Error>, file: StaticString = #fileID, line: UInt = #line) {
        let (promise, resolver) = Self.pending(file: file, line: line)
        // Set here and not in the task below, which does not start if the promise is cancelled at once.
        resolver.onCancel { task.cancel() }
        Task { resolver.resolve(with: await task.result.mapError { $0 }) }
        self = promise
    }

    /// Returns the outcomes of promises, each with its index in the array, in the order in which they settle.
    ///
    /// ```swift
    /// for await (index, result) in Promise.asSettled(promises) { show(result, at: index) }
    /// ```
    ///
    /// Leaving the loop cancels the promises that are still pending, unless another promise or task waits for them.
    public static func asSettled(_ promises: [Promise<Value>]) -> AsyncStream<(index: Int, result: Result<Value, any Error>)> {
        AsyncStream { stream in
            // Leaving the loop cancels the watchers. Their cancellation is not an outcome of the promises, so it is not passed on.
            let isOver = Termination()
            let group = PromiseGroup.watch(
                promises.enumerated().map { index, promise in
                    promise.core.derive(interest: .any) { outcome in
                        if !isOver.hasCome { stream.yield((index, outcome.result(as: Value.self))) }
                        return .settle(outcome.seen)
                    }
                }, cancelsRest: false, origin: nil
            ) { _, all in all().map { _ in .fulfilled(with: ()) } }
            group.whenSettled { stream.finish() }
            if promises.isEmpty { stream.finish() }
            stream.onTermination = { _ in
                isOver.come()
                group.cancel()
            }
        }
    }
}

private final class Termination: Sendable {
    private let flag = AtomicFlag()

    var hasCome: Bool { flag.isSet }

    func come() { flag.set() }
}

extension Resolver {
    /// Settles the promise with the arguments of a completion handler: an error rejects the promise, otherwise the value fulfils it.
    ///
    /// ```swift
    /// Promise { resolver in legacyCall { value, error in resolver.resolve(value, error) } }
    /// ```
    public func resolve(_ value: Value?, _ error: (any Error)?) {
        if let error {
            reject(error)
        } else if let value {
            fulfill(value)
        } else {
            reject(PromiseError.abandoned)
        }
    }
}
