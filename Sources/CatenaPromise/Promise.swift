/// A value that is available later, or an error.
///
/// A promise settles once. `then` uses its value on the main actor, `map` makes another value from it, `flatMap` continues with another
/// promise, `catch` handles an error, and `finally` runs in every case. Each returns a new promise. `value` awaits the promise.
///
/// ```swift
/// API.tag(.forum).get("/users").execute(as: [User].self)
///     .then { users in self.show(users) }
///     .catch { error in self.alert(error.localizedDescription) }
/// ```
///
/// A cancelled promise is not a failed one: `catch { }` is not called. See ``cancel()``. A promise can be used from any thread. Its handlers run
/// in the order in which they were attached. Those of `then`, `catch` and `finally` never run inside the call that attaches them.
public struct Promise<Value: Sendable>: Sendable {
    @usableFromInline package let core: PromiseCore

    @inlinable
    package init(core: PromiseCore) {
        self.core = core
    }

    /// Makes a promise that is already fulfilled with a value.
    @inlinable
    public init(value: Value, file: StaticString = #fileID, line: UInt = #line) {
        core = PromiseCore(outcome: .fulfilled(with: value), origin: PromiseDiagnostics.origin(file, line))
    }

    /// Makes a promise that is already rejected with an error, or cancelled if the error is a cancellation such as `CancellationError`.
    public init(error: any Error, file: StaticString = #fileID, line: UInt = #line) {
        core = PromiseCore(outcome: .rejected(error), origin: PromiseDiagnostics.origin(file, line))
    }

    /// Starts asynchronous work and makes a promise of its result.
    ///
    /// ```swift
    /// let number = Promise { try await API.tag(.forum).get("/number").value(as: Int.self) }
    /// ```
    ///
    /// The work is nonisolated and runs in its own task. An error that it throws rejects the promise. A `CancellationError`, a `URLError` with the
    /// code `cancelled` and a `CocoaError` with the code `userCancelled` cancel it. Cancelling the promise cancels the task.
    public init(file: StaticString = #fileID, line: UInt = #line, _ work: @escaping @Sendable () async throws -> Value) {
        core = PromiseCore(origin: PromiseDiagnostics.origin(file, line))
        core.run(work)
    }

    /// Starts synchronous work in a task: `Promise { 1 }` is a promise of a number.
    // Without this overload, the compiler would choose `init(value:)` and make a promise of the closure.
    public init(file: StaticString = #fileID, line: UInt = #line, _ work: @escaping @Sendable () throws -> Value) {
        core = PromiseCore(origin: PromiseDiagnostics.origin(file, line))
        core.run(work)
    }

    /// Makes a promise that a resolver settles, and calls `executor` at once with that resolver.
    ///
    /// ```swift
    /// let number = Promise<Int> { resolver in legacyCall { result, error in resolver.resolve(result, error) } }
    /// ```
    ///
    /// An error that `executor` throws rejects the promise.
    public init(file: StaticString = #fileID, line: UInt = #line, _ executor: (Resolver<Value>) throws -> Void) {
        let (promise, resolver) = Self.pending(file: file, line: line)
        do {
            try executor(resolver)
        } catch {
            resolver.reject(error)
        }
        self = promise
    }

    /// Makes a promise and the resolver that settles it, for code with callbacks.
    @inlinable
    public static func pending(file: StaticString = #fileID, line: UInt = #line) -> (promise: Promise, resolver: Resolver<Value>) {
        let core = PromiseCore(origin: PromiseDiagnostics.origin(file, line))
        return (Promise(core: core), Resolver(core: core))
    }

    /// Settles this promise as cancelled, at once.
    ///
    /// All promises derived from it are cancelled, too. So is the promise from which it was derived, with its call, unless another promise or
    /// task still waits for that one. `catch { }` is not called, but `finally` and `catch(.cancelled)` are. Code that
    /// awaits the promise receives a `CancellationError`. Cancelling a settled promise has no effect.
    public func cancel() {
        core.cancel()
    }

    /// Whether the promise is neither fulfilled nor rejected nor cancelled yet.
    public var isPending: Bool { core.isPending }
}
