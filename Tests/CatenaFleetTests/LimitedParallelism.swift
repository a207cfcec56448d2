import TestSupport
import Testing

/// Limits the number of tests that run at the same time, over all suites. Every outermost suite has this trait.
struct LimitedParallelism: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        try await withoutActuallyEscaping(function) { function in
            try await TestSlots.run(function) {
                Issue.record("The test hangs: it did not end in twenty minutes.", sourceLocation: test.sourceLocation)
            }
        }
    }
}

extension Trait where Self == LimitedParallelism {
    static var limitedParallelism: Self { Self() }
}
