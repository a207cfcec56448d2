/// How many calls may be under way at a time, and how many may wait.
///
/// ```swift
/// ConcurrencyLimit(4, queue: 100)
/// ```
public struct ConcurrencyLimit: Sendable, Equatable {
    /// How many calls may be under way at a time; less than one counts as one.
    public var limit: Int
    /// How many more may wait; further ones fail with ``APIError/Kind/overloaded``.
    public var queueLimit: Int

    /// - Parameters:
    ///   - limit: How many calls may be under way at a time.
    ///   - queue: How many more may wait.
    public init(_ limit: Int, queue: Int = .max) {
        self.limit = limit
        queueLimit = queue
    }
}
