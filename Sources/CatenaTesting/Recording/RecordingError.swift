public import Foundation

/// The error if a recording cannot be read, contains a likely secret, or differs from the test's calls.
public struct RecordingError: LocalizedError, CustomStringConvertible {
    /// The problems, one on each line, without secrets.
    public let description: String

    public var errorDescription: String? { description }
}
