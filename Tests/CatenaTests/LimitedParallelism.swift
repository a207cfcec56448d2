import TestSupport
import Testing

/// Limits the number of tests that run at the same time, over all suites. Every outermost suite has this trait.
struct LimitedParallelism: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        try await withoutActuallyEscaping(function) { function in
            try await TestSlots.run {
                try await Self.namingRows(test, testCase, function)
            } hangs: {
                Issue.record("The test hangs: it did not end in twenty minutes.", sourceLocation: test.sourceLocation)
            }
        }
    }

    /// Runs a test, and adds the current row of its table to each issue.
    private static func namingRows(_ test: Test, _ testCase: Test.Case?, _ function: @Sendable () async throws -> Void) async throws {
        #if compiler(>=6.2)
        let naming = IssueHandlingTrait.compactMapIssues { issue in
            guard let row = CurrentRow.text else { return issue }
            var issue = issue
            issue.comments.append("in the row \(row)")
            return issue
        }
        try await naming.provideScope(for: test, testCase: testCase, performing: function)
        #else
        try await function()
        #endif
    }
}

extension Trait where Self == LimitedParallelism {
    static var limitedParallelism: Self { Self() }
}
