public import Foundation

/// What a test expects of its calls and does not find.
public struct StubFailure: LocalizedError, CustomStringConvertible {
    /// What is wrong, one problem on each line, without secrets.
    public let description: String

    public var errorDescription: String? { description }
}

extension Stubs {
    /// Throws if a stub was not used, or not as often as it says, or if a call was made that no stub answers.
    public func verify() throws {
        let problems = problems
        if !problems.isEmpty { throw StubFailure(description: problems.joined(separator: "\n")) }
    }
}
