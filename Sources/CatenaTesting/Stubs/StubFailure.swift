public import Foundation

/// The error if the calls of a test differ from its expectations.
public struct StubFailure: LocalizedError, CustomStringConvertible {
    /// The problems, one on each line, without secrets.
    public let description: String

    public var errorDescription: String? { description }
}

extension Stubs {
    /// Throws a ``StubFailure`` if a stub was used less often than it should be, or if no stub matched a call.
    ///
    /// This includes calls whose error the code under test ignored. The method does not wait, and a call in progress may not have reached a stub yet; see
    /// ``verifyWhenIdle()``.
    public func verify() throws {
        let problems = problems
        if !problems.isEmpty { throw StubFailure(description: problems.joined(separator: "\n")) }
    }

    /// Waits until all calls have ended, and then does the checks of ``verify()``.
    ///
    /// Use it for calls whose result the test does not await, such as chains. A call that begins in a `flatMap` belongs to its chain and is waited for. A
    /// call that begins in a `then`, or in a task that awaits another call, may be missed; wait with ``requestsReceived(_:)`` first. The calls are those of
    /// clients on ``clock``, which advances whenever something waits for it.
    public func verifyWhenIdle() async throws {
        await clock.runUntilIdle()
        try verify()
    }
}
