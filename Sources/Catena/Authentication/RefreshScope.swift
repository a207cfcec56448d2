import Synchronization

/// The refreshes as part of which the current task runs.
enum RefreshScope {
    /// A refresh from its beginning to its end. What is begun in it and outlives it, such as a `Task`, is no part of it any more.
    final class Refresh: Sendable {
        fileprivate let authentication: ObjectIdentifier
        private let hasEnded = Atomic(false)

        init(of authentication: AnyObject) {
            self.authentication = ObjectIdentifier(authentication)
        }

        fileprivate var isUnderWay: Bool { !hasEnded.load(ordering: .acquiring) }

        func end() { hasEnded.store(true, ordering: .releasing) }
    }

    @TaskLocal static var current: [Refresh] = []

    /// Whether this is part of a refresh: calls that wait for it may hold every place that there is, so it waits for none.
    static var isActive: Bool { current.contains { $0.isUnderWay } }

    /// Whether this is part of a refresh of this sign-in.
    static func isActive(of authentication: AnyObject) -> Bool {
        current.contains { $0.authentication == ObjectIdentifier(authentication) && $0.isUnderWay }
    }
}
