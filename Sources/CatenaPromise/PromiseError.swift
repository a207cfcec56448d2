public import CatenaPlatform

/// An error of a promise itself, and not of the work behind it.
public struct PromiseError: Error, Equatable, Sendable, LocalizedError, CustomStringConvertible {
    /// A description of the error in English.
    public let description: String

    /// The last resolver of the promise was freed without settling it.
    public static let abandoned = PromiseError(description: "The promise was abandoned: its resolver was dropped without settling it.")

    /// The promise would wait for itself (Promises/A+ 2.3.1).
    public static let cycle = PromiseError(description: "The promise would wait for itself.")

    /// The promise was not settled within the time of ``Promise/timeout(_:)``.
    public static let timedOut = PromiseError(description: "The promise was not settled in time.")

    /// ``Promise/validate(_:)`` did not accept the value.
    public static let invalid = PromiseError(description: "The value was not accepted.")

    public var errorDescription: String? { description }
}
