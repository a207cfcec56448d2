/// The end of a promise that settles it.
///
/// The first settlement counts, later ones are ignored. When the last copy of a resolver is dropped without a settlement, the
/// promise is rejected with ``PromiseError/abandoned``, so that nobody waits for ever.
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

    /// Settles the promise with a value. Callable from any thread, any number of times.
    @inlinable
    public func fulfill(_ value: Value) {
        settlement.core.settle(.fulfilled(with: value))
    }

    /// Settles the promise with an error; a `CancellationError` cancels it.
    public func reject(_ error: any Error) {
        settlement.core.settle(.rejected(error))
    }

    /// Settles the promise one way or the other.
    public func resolve(with result: Result<Value, any Error>) {
        switch result {
        case .success(let value): fulfill(value)
        case .failure(let error): reject(error)
        }
    }

    /// Says how to stop the work when the promise is cancelled; called at once if it is cancelled already, on the cancelling thread.
    public func onCancel(_ stop: @escaping @Sendable () -> Void) {
        settlement.core.whenCancelled(stop)
    }
}

extension Resolver where Value == Void {
    /// Settles a promise that only says that something is done.
    @inlinable
    public func fulfill() {
        fulfill(())
    }
}

/// Rejects the promise when the last copy of its resolver goes.
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
