/// Ends what was added to a client: ``Client/observe(_:)``, ``Client/log(_:to:)``, ``Client/record(into:)`` and
/// ``Client/intercept(_:_:with:)`` each give one.
///
/// ```swift
/// let watching = API.observe { event in screen.show(event) }
/// …
/// watching.end()
/// ```
///
/// What is added stays until it is ended, whether or not this is kept: an app that observes for as long as it runs has nothing to keep.
/// That is why these functions are discardable, unlike the steps of a request, whose result is the only thing that they do.
public struct Registration: Sendable {
    private let stop: @Sendable () -> Void

    /// Makes a registration, as code that adds several things and hands out one registration for all of them needs it.
    ///
    /// - Parameter stop: Ends it. It is called as often as ``end()`` is.
    public init(_ stop: @escaping @Sendable () -> Void) {
        self.stop = stop
    }

    /// Takes it away. A second time does nothing, and neither does the end of what has been replaced.
    public func end() { stop() }
}
