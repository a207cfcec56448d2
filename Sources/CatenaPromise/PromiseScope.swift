/// The context of running code, which also applies to handlers attached there, and to handlers of promises made there, on any thread.
///
/// Promises carry a scope without knowing its content. Scopes are alive only in tests. While none is alive, they cost one load of a counter.
package final class PromiseScope: Sendable {
    /// The scope of the running code.
    @TaskLocal package static var current: PromiseScope?

    /// The number of living scopes. It includes those whose code has ended, because their handlers may attach others.
    private static let living = AtomicCounter()

    package let content: any AnyObject & Sendable

    package init(_ content: any AnyObject & Sendable) {
        self.content = content
        Self.living.add(1)
    }

    deinit {
        Self.living.add(-1)
    }

    /// Whether any code may be inside a scope.
    static var isAnyAlive: Bool { living.count != 0 }

    /// The scope of the running code. Costs only the load of a counter while no scope is alive.
    package static var around: PromiseScope? { isAnyAlive ? current : nil }

    /// Returns a reaction that runs in the current scope, or else in that of the promise, or `nil` if there is no scope.
    static func surround(
        _ reaction: @escaping @Sendable (Outcome) -> PromiseCore.Step,
        of origin: PromiseOrigin?
    ) -> (@Sendable (Outcome) -> PromiseCore.Step)? {
        guard let scope = current ?? origin?.scope else { return nil }
        return { outcome in
            $current.withValue(scope) { reaction(outcome) }
        }
    }
}
