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
    /// It does so even if the code under test swallowed the error of that call. It waits for nothing: a call that is still running may not have
    /// reached a stub yet; see ``verifyWhenIdle()``.
    public func verify() throws {
        let problems = problems
        if !problems.isEmpty { throw StubFailure(description: problems.joined(separator: "\n")) }
    }

    /// Waits until the running calls have ended, and then checks what ``verify()`` checks.
    ///
    /// For calls of which the test awaits nothing, such as chains. A call that begins in a `flatMap` counts from the end of the one before
    /// it; one that begins in a `then`, or in a task that awaits the one before, may come too late: wait with ``requestsReceived(_:)``
    /// first. The calls are those of clients on ``clock``, which advances as often as something waits for it.
    public func verifyWhenIdle() async throws {
        await clock.runUntilIdle()
        try verify()
    }
}
