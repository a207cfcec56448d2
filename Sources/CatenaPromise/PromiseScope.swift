/// What surrounds a piece of code, and with it the handlers that are attached there and those of promises made there, on whatever
/// thread they run later.
///
/// Promises carry it without knowing what it is. While no scope is alive, and outside of tests none ever is, that costs them one
/// look at a counter.
package final class PromiseScope: Sendable {
    /// The scope around the code that is running.
    @TaskLocal package static var current: PromiseScope?

    /// Counts living scopes, because handlers of a scope may attach further ones after its code has ended.
    private static let living = AtomicCounter()

    package let content: any AnyObject & Sendable

    package init(_ content: any AnyObject & Sendable) {
        self.content = content
        Self.living.add(1)
    }

    deinit {
        Self.living.add(-1)
    }

    /// Whether anybody can be inside a scope.
    static var isAnyAlive: Bool { living.count != 0 }

    /// The scope around the code that is running, for the price of a look at a counter where there is none.
    package static var around: PromiseScope? { isAnyAlive ? current : nil }

    /// The reaction, to be run in the scope in which it is attached, else in that of the promise to which it is attached; `nil` if
    /// there is neither.
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
