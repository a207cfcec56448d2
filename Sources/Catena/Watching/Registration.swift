/// A handle that ends what ``Client/observe(_:)``, ``Client/log(_:to:)``, `record(into:)` of the product CatenaArchive or
/// ``Client/intercept(_:_:with:)`` has added to a client.
///
/// ```swift
/// let watching = API.observe { event in screen.show(event) }
/// …
/// watching.end()
/// ```
///
/// Without a call of ``end()`` the addition stays, even if the registration is discarded. So an app that observes as long as it runs
/// may ignore the registration.
public struct Registration: Sendable {
    private let stop: @Sendable () -> Void

    /// Creates a registration, for code that adds several things and returns one registration for all of them.
    ///
    /// - Parameter stop: The closure that ends them. Every call of ``end()`` runs it.
    public init(_ stop: @escaping @Sendable () -> Void) {
        self.stop = stop
    }

    /// Removes the addition. A second call has no effect, nor has ending an addition that was replaced.
    public func end() { stop() }
}
