public import Foundation

/// What can go wrong with a promise itself.
public struct PromiseError: Error, Equatable, Sendable, LocalizedError, CustomStringConvertible {
    public let description: String

    /// Nobody is left who could settle the promise: its resolver was dropped.
    public static let abandoned = PromiseError(description: "The promise was abandoned: its resolver was dropped without settling it.")

    /// A promise was asked to wait for itself (Promises/A+ 2.3.1).
    public static let cycle = PromiseError(description: "The promise would wait for itself.")

    /// The time ran out that ``Promise/timeout(_:)`` gave.
    public static let timedOut = PromiseError(description: "The promise was not settled in time.")

    /// ``Promise/validate(_:)`` did not accept the value.
    public static let invalid = PromiseError(description: "The value was not accepted.")

    public var errorDescription: String? { description }
}
