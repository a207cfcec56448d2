import CatenaPromise
import TestSupport
import Testing

@Suite(.limitedParallelism) struct AggregateErrorTests {
    @Test(
        "the description has the first eight errors and the number of the others",
        arguments: [
            (0, "There was no promise to choose from."),
            (1, "None of 1 succeeded: Failure(number: 1)"),
            (2, "None of 2 succeeded: Failure(number: 1); Failure(number: 2)"),
            (8, "None of 8 succeeded: \((1...8).map { "Failure(number: \($0))" }.joined(separator: "; "))"),
            (9, "None of 9 succeeded: \((1...8).map { "Failure(number: \($0))" }.joined(separator: "; ")); and 1 more"),
            (
                100_000,
                "None of 100000 succeeded: \((1...8).map { "Failure(number: \($0))" }.joined(separator: "; ")); and 99992 more"
            ),
        ])
    func description(count: Int, words: String) async throws {
        let failures = count == 0 ? [] : (1...count).map { Promise<Int>(error: Failure($0)) }
        let error = await #expect(throws: AggregateError.self) { try await Promise.any(failures).value }
        #expect(error?.errors.count == count)
        #expect(error.map { "\($0)" } == words)
    }

    @Test("a long error is shortened in the description")
    func long() async {
        let error = await #expect(throws: AggregateError.self) {
            try await Promise<Int>.any([Promise(error: Talker(words: String(repeating: "a", count: 10_000)))]).value
        }
        #expect(error.map { "\($0)" } == "None of 1 succeeded: \(String(repeating: "a", count: 200))…")
    }

    @Test("the description shows only the outer errors of nested ones", arguments: [false, true])
    func nested(isWrapped: Bool) async {
        let inner = Promise<Int>.any([Promise(error: Failure(1)), Promise(error: Failure(2))])
        let error = await #expect(throws: AggregateError.self) {
            try await Promise.any([Self.wrapped(inner, isWrapped), Promise(error: Failure(3))]).value
        }
        let words = isWrapped ? "Wrapper(cause: None of 2 succeeded)" : "None of 2 succeeded"
        #expect(error.map { "\($0)" } == "None of 2 succeeded: \(words); Failure(number: 3)")
    }

    @Test("4,000 nested errors are described and freed without growing the stack", arguments: [false, true])
    func deep(isWrapped: Bool) async {
        let told = Recorder<String>()
        await onThread(stackSize: 512 * 1024) {
            var promise = Promise<Int>(error: Failure(1))
            for _ in 0..<4000 { promise = Self.wrapped(.any([promise, promise]), isWrapped) }
            guard case .rejected(let error, _) = promise.core.takeOutcome() else { return }
            told.note("\(error)")
        }
        #expect(told.count == 1)
        #expect(told.events.allSatisfy { $0.utf8.count < 200 && $0.contains("None of 2 succeeded") })
    }

    private static func wrapped(_ promise: Promise<Int>, _ isWrapped: Bool) -> Promise<Int> {
        guard isWrapped else { return promise }
        return promise.replaceError(interest: .rejected) { error in throw Wrapper(cause: error) }
    }

    private struct Wrapper: Error {
        let cause: any Error
    }

    private struct Talker: Error, CustomStringConvertible {
        let words: String

        var description: String { words }
    }
}
