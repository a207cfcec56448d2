public import Foundation

/// What is wrong with a recording: it cannot be read, has what looks like a secret, or is not what the test does.
public struct RecordingError: LocalizedError, CustomStringConvertible {
    /// What is wrong, one problem on each line, without secrets.
    public let description: String

    public var errorDescription: String? { description }
}
