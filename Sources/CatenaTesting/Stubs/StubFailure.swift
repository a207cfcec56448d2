public import Foundation

/// The calls of a test are not what it expects.
public struct StubFailure: LocalizedError, CustomStringConvertible {
    /// What is wrong, one problem on each line, without secrets.
    public let description: String

    public var errorDescription: String? { description }
}

extension Stubs {
    /// Throws a ``StubFailure`` if a stub was not used, or less often than it says, or if a call was made that no stub matches.
    ///
    /// It does so even if the code under test swallowed the error of that call.
    public func verify() throws {
        let problems = problems
        if !problems.isEmpty { throw StubFailure(description: problems.joined(separator: "\n")) }
    }
}
