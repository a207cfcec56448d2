public import Foundation

/// A recording cannot be read, contains what looks like a secret, or differs from the calls of the test.
public struct RecordingError: LocalizedError, CustomStringConvertible {
    /// What is wrong, one problem on each line, without secrets.
    public let description: String

    public var errorDescription: String? { description }
}
