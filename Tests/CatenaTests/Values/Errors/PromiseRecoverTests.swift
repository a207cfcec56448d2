import Foundation
import TestSupport
import Testing

@testable import Catena

private struct Refusal: Error, Equatable { var number = 1 }

private let failure = APIError(.business, code: 10086, message: "m")

@Suite("Recovering from errors", .limitedParallelism)
struct PromiseRecoverTests {
    @Test("recover replaces an error with a value, and keeps a value")
    func recover() async throws {
        #expect(try await Promise<String>(error: failure).recover { "\($0.code)" }.value == "10086")
        #expect(try await Promise(value: "v").recover { "\($0.code)" }.value == "v")
    }

    @Test("flatRecover continues with another promise, and keeps a value")
    func flatRecover() async throws {
        #expect(try await Promise<String>(error: failure).flatRecover { error in Promise { error.message } }.value == "m")
        #expect(try await Promise(value: "v").flatRecover { error in Promise { error.message } }.value == "v")
        let result = await Promise<Int>(error: failure).flatRecover { _ in Promise(error: Refusal(number: 2)) }.result
        #expect(result.error as? Refusal == Refusal(number: 2))
    }

    @Test("recover with a matcher runs for matching errors only")
    func matchers() async throws {
        let promise = Promise<Int>(error: failure)
        #expect(try await promise.recover(.code(10086)) { _ in 1 }.value == 1)
        #expect(try await promise.flatRecover(.code(10086)) { _ in Promise(value: 2) }.value == 2)
        let results = [
            await promise.recover(.timeout) { _ in 3 }.result, await promise.flatRecover(.timeout) { _ in Promise(value: 3) }.result,
        ]
        for result in results { #expect((result.error as? APIError)?.code == 10086) }
        #expect(try await promise.recover(.timeout) { _ in 3 }.recover(.code(10086)) { _ in 4 }.recover { _ in 5 }.value == 4)
    }

    @Test("recover receives another library's error wrapped, and passes it on unchanged if it does not match")
    func wrapped() async throws {
        let promise = Promise<Int>(error: Refusal(number: 3))
        #expect(try await promise.recover { ($0.underlying as? Refusal)?.number ?? 0 }.value == 3)
        #expect(try await promise.recover(.kind(.other)) { _ in 4 }.value == 4)
        #expect(await promise.recover(.timeout) { _ in 5 }.result.error as? Refusal == Refusal(number: 3))
    }

    @Test("an error that the closure throws replaces the old one")
    func thrown() async {
        let promise = Promise<Int>(error: failure)
        #expect(await promise.recover { _ in throw Refusal(number: 6) }.result.error as? Refusal == Refusal(number: 6))
        #expect(await promise.flatRecover { _ in throw Refusal(number: 7) }.result.error as? Refusal == Refusal(number: 7))
    }

    @Test("on a settled promise recover runs in the attaching call")
    func attaching() {
        let journal = Recorder<String>()
        let recovered = Promise<Int>(error: failure).recover { _ in
            journal.note("recover")
            return 1
        }
        journal.note("attached")
        #expect(journal.events == ["recover", "attached"])
        #expect(!recovered.isPending)
    }
}
