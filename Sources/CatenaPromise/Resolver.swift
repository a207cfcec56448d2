/// Settles a promise, from any thread.
///
/// Only the first settlement has an effect. When the last copy of a resolver is freed without a settlement, the promise is rejected with
/// ``PromiseError/abandoned``, so that no task waits forever.
///
/// ```swift
/// let (promise, resolver) = Promise<Int>.pending()
/// legacyCall { result, error in
///     if let result { resolver.fulfill(result) } else { resolver.reject(error ?? LegacyError.unknown) }
/// }
/// ```
public struct Resolver<Value: Sendable>: Sendable {
    @usableFromInline let settlement: Settlement

    @usableFromInline
    init(core: PromiseCore) {
        settlement = Settlement(core: core)
    }

    /// Fulfils the promise with a value.
    @inlinable
    public func fulfill(_ value: Value) {
        settlement.core.settle(.fulfilled(with: value))
    }

    /// Rejects the promise with an error; a `CancellationError` cancels it.
    public func reject(_ error: any Error) {
        settlement.core.settle(.rejected(error))
    }

    /// Fulfils or rejects the promise with a result.
    public func resolve(with result: Result<Value, any Error>) {
        switch result {
        case .success(let value): fulfill(value)
        case .failure(let error): reject(error)
        }
    }

    /// Sets a closure that stops the work when the promise is cancelled.
    ///
    /// The closure runs on the thread that cancels the promise, or at once if the promise is cancelled already.
    public func onCancel(_ stop: @escaping @Sendable () -> Void) {
        settlement.core.whenCancelled(stop)
    }
}

extension Resolver where Value == Void {
    /// Fulfils a promise without a value.
    @inlinable
    public func fulfill() {
        fulfill(())
    }
}

/// Rejects the promise when the last copy of its resolver is freed.
@usableFromInline
final class Settlement: Sendable {
    @usableFromInline let core: PromiseCore

    init(core: PromiseCore) {
        self.core = core
    }

    deinit {
        if core.isPending { core.settle(.rejected(PromiseError.abandoned)) }
    }
}
