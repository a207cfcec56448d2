/// A value that will be there later, or an error.
///
/// A promise settles once. `then` uses its value on the main actor, `map` changes it, `flatMap` goes on with another promise,
/// `catch` handles an error, `finally` runs in every case; each gives a new promise. `value` awaits it.
///
/// ```swift
/// API.tag(.forum).get("/users").execute(as: [User].self)
///     .then { users in self.show(users) }
///     .catch { error in self.alert(error.message) }
/// ```
///
/// Cancelling is not a failure: see ``cancel()``.
public struct Promise<Value: Sendable>: Sendable {
    @usableFromInline package let core: PromiseCore

    @inlinable
    package init(core: PromiseCore) {
        self.core = core
    }

    /// A promise that has its value already.
    @inlinable
    public init(value: Value, file: StaticString = #fileID, line: UInt = #line) {
        core = PromiseCore(outcome: .fulfilled(with: value), origin: PromiseDiagnostics.origin(file, line))
    }

    /// A promise that has failed already; a `CancellationError` makes it a cancelled one.
    public init(error: any Error, file: StaticString = #fileID, line: UInt = #line) {
        core = PromiseCore(outcome: .rejected(error), origin: PromiseDiagnostics.origin(file, line))
    }

    /// Starts asynchronous work and promises its result. Cancelling the promise cancels the task in which the work runs.
    public init(file: StaticString = #fileID, line: UInt = #line, _ work: @escaping @Sendable () async throws -> Value) {
        core = PromiseCore(origin: PromiseDiagnostics.origin(file, line))
        core.run(work)
    }

    /// Starts work that waits for nothing, as the asynchronous one is started: `Promise { 1 }` is a promise of a number.
    // Without this one such a closure would be taken for the value itself, of `init(value:)`.
    public init(file: StaticString = #fileID, line: UInt = #line, _ work: @escaping @Sendable () throws -> Value) {
        core = PromiseCore(origin: PromiseDiagnostics.origin(file, line))
        core.run(work)
    }

    /// Calls `executor` at once with the resolver of the new promise; if it throws, the promise is rejected.
    public init(file: StaticString = #fileID, line: UInt = #line, _ executor: (Resolver<Value>) throws -> Void) {
        let (promise, resolver) = Self.pending(file: file, line: line)
        do {
            try executor(resolver)
        } catch {
            resolver.reject(error)
        }
        self = promise
    }

    /// A promise and the resolver that settles it, for bridging to code that calls back.
    @inlinable
    public static func pending(file: StaticString = #fileID, line: UInt = #line) -> (promise: Promise, resolver: Resolver<Value>) {
        let core = PromiseCore(origin: PromiseDiagnostics.origin(file, line))
        return (Promise(core: core), Resolver(core: core))
    }

    /// Settles this promise as cancelled, at once.
    ///
    /// Everything derived from it is cancelled too, and it withdraws its interest from its source: a source that nobody wants any
    /// more is cancelled, and a request behind it is stopped. `catch { }` is not called, `finally` is, and `catch(.cancelled)` can
    /// ask for it; who awaits gets a `CancellationError`. A settled promise is left as it is.
    public func cancel() {
        core.cancel()
    }

    /// Whether the promise has neither a value nor an error yet, nor was cancelled.
    public var isPending: Bool { core.isPending }
}
