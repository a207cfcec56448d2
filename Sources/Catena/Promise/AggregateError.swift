/// All the errors for which ``Promise/any(_:file:line:)`` found no value.
public struct AggregateError: Error, Sendable, CustomStringConvertible {
    /// In the order of the promises.
    public let errors: [any Error]

    public var description: String {
        errors.isEmpty
            ? "There was no promise to choose from."
            : "None of \(errors.count) succeeded: \(errors.map { "\($0)" }.joined(separator: "; "))"
    }
}
