import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Catena

private struct Refusal: Error, Equatable { var number = 1 }

private let failure = APIError(.business, code: 10086, message: "m")

@Suite("Looking at errors", .limitedParallelism)
struct PromiseCatchTests {
    private let journal = Recorder<String>()
    private let queue = DispatchQueue(label: "test")

    @Test("catch sees the error on the main actor, and the chain stays rejected")
    func plain() async throws {
        let journal = journal
        let result = await Promise<Int>(error: failure).catch { error in
            MainActor.assertIsolated()
            journal.note("\(error.code) \(error.message)")
        }.result
        #expect(journal.events == ["10086 m"])
        #expect((result.error as? APIError)?.code == 10086)
    }

    @Test("catch is not called for a value")
    func value() async throws {
        let journal = journal
        let value = try await Promise(value: 1).catch { _ in journal.note("any") }.catch(.code(1)) { _ in journal.note("code") }
            .catch(as: Refusal.self) { _ in journal.note("type") }.value
        #expect(value == 1)
        #expect(journal.events == [])
    }

    @Test("a catch with a matcher sees its own errors only, and those after it do not see them again")
    func matchers() async {
        let journal = journal
        _ = await Promise<Int>(error: failure)
            .catch(.unauthorized) { _ in journal.note("unauthorized") }
            .catch(.code(10086)) { _ in journal.note("code") }
            .catch(.code("10086"), on: queue) { _ in journal.note("code on queue") }
            .catch(.timeout, on: queue) { _ in journal.note("timeout on queue") }
            .catch { _ in journal.note("any") }
            .result
        #expect(journal.events == ["code"])
    }

    @Test("catch on a queue runs there")
    func queues() async {
        let journal = journal
        let queue = queue
        let key = DispatchSpecificKey<String>()
        queue.setSpecific(key: key, value: "here")
        let promise = Promise<Int>(error: failure)
        _ = await promise.catch(on: queue) { _ in journal.note(DispatchQueue.getSpecific(key: key) ?? "elsewhere") }.result
        _ = await promise.catch(.code(10086), on: queue) { _ in journal.note(DispatchQueue.getSpecific(key: key) ?? "elsewhere") }.result
        _ = await promise.catch(as: APIError.self, on: queue) { _ in journal.note(DispatchQueue.getSpecific(key: key) ?? "elsewhere") }
            .result
        #expect(journal.events == ["here", "here", "here"])
    }

    @Test("an error of somebody else's arrives wrapped, and goes on as it was")
    func wrapped() async throws {
        let journal = journal
        let result = await Promise<Int>(error: Refusal(number: 3)).catch { error in
            journal.note("\(error.kind) \((error.underlying as? Refusal)?.number ?? 0)")
        }.result
        #expect(journal.events == ["other 3"])
        #expect(result.error as? Refusal == Refusal(number: 3))
    }

    static let typed: [(error: any Error, found: [String])] = [
        (Refusal(number: 2), ["Refusal 2"]),
        (APIError(.other, underlying: Refusal(number: 3)), ["Refusal 3"]),
        (APIError(.other, underlying: APIError(.tls, underlying: Refusal(number: 4))), ["Refusal 4"]),
        (APIError(.tls), ["APIError tls"]),
        (URLError(.timedOut), []),
    ]

    @Test("catch(as:) gives the very error that was thrown", arguments: typed)
    func veryError(row: (error: any Error, found: [String])) async {
        let journal = journal
        _ = await Promise<Int>(error: row.error)
            .catch(as: Refusal.self) { journal.note("Refusal \($0.number)") }
            .catch(as: APIError.self) { journal.note("APIError \($0.kind)") }
            .result
        #expect(journal.events == row.found)
    }

    @Test("an error thrown by a handler takes the place of the old one")
    func thrown() async {
        let queue = queue
        let promise = Promise<Int>(error: failure)
        let results = [
            await promise.catch { _ in throw Refusal(number: 5) }.result,
            await promise.catch(.code(10086)) { _ in throw Refusal(number: 5) }.result,
            await promise.catch(on: queue) { _ in throw Refusal(number: 5) }.result,
            await promise.catch(as: APIError.self) { _ in throw Refusal(number: 5) }.result,
        ]
        for result in results { #expect(result.error as? Refusal == Refusal(number: 5)) }
        let untouched = await promise.catch(.timeout) { _ in throw Refusal() }.result
        #expect((untouched.error as? APIError)?.code == 10086)
    }

    @Test("a handler that throws a CancellationError cancels what follows")
    func cancelling() async {
        let journal = journal
        let result = await Promise<Int>(error: failure).catch { _ in throw CancellationError() }
            .catch { _ in journal.note("any") }.catch(.cancelled) { journal.note("\($0.kind)") }.result
        #expect(journal.events == ["cancelled"])
        #expect(result.error is CancellationError)
    }

    @Test("an error seen by a matcher is not reported as unhandled, one that passed by is left to others")
    func seen() async {
        // Settled on the queue: wait for it before looking.
        let seen = Promise<Int>(error: failure).catch(on: queue) { _ in }
        queue.sync {}
        #expect(Self.isSeen(seen) == true)
        let passed = Promise<Int>(error: failure).catch(.timeout, on: queue) { _ in }
        queue.sync {}
        #expect(Self.isSeen(passed) == false)
        let typed = Promise<Int>(error: failure).catch(as: Refusal.self, on: queue) { _ in }
        queue.sync {}
        #expect(Self.isSeen(typed) == false)
    }

    private static func isSeen(_ promise: Promise<Int>) -> Bool? {
        guard case .rejected(_, let notice) = promise.core.takeOutcome() else { return nil }
        return notice != .unseen
    }
}

@Suite("Cancellation and errors", .limitedParallelism)
struct PromiseCatchCancellationTests {
    private let journal = Recorder<String>()

    @Test("cancellation passes every handler but the one that asks for it")
    func cancelled() async {
        let journal = journal
        let (promise, resolver) = Promise<Int>.pending()
        let end =
            promise
            .catch { _ in journal.note("any") }
            .catch(.code(-999)) { _ in journal.note("code") }
            .catch(.where { _ in true }) { _ in journal.note("matching") }
            .catch(as: APIError.self) { _ in journal.note("type") }
            .catch(.cancelled) { journal.note("cancelled \($0.kind) \($0.underlying is CancellationError)") }
            .finally { journal.note("finally") }
        promise.cancel()
        let result = await end.result
        withExtendedLifetime(resolver) {}
        #expect(journal.events == ["cancelled cancelled true", "finally"])
        #expect(result.error is CancellationError)
    }

    @Test("it is no failure where it comes as an APIError either")
    func kind() async {
        let journal = journal
        _ = await Promise<Int>(error: APIError(.cancelled))
            .catch { _ in journal.note("any") }
            .catch(as: APIError.self) { _ in journal.note("type") }
            .recover { _ in
                journal.note("recover")
                return 1
            }
            .catch(.cancelled) { _ in journal.note("cancelled") }
            .result
        #expect(journal.events == ["cancelled"])
    }

    @Test("catch(.cancelled) is not called for a failure")
    func failure() async {
        let journal = journal
        _ = await Promise<Int>(error: APIError(.tls)).catch(.cancelled) { _ in journal.note("cancelled") }.result
        #expect(journal.events == [])
    }

    @Test("recover lets cancellation pass unless it asks for it")
    func recover() async throws {
        let journal = journal
        let passed = await Promise<Int>(error: CancellationError())
            .recover { _ in
                journal.note("recover")
                return 1
            }
            .flatRecover { _ in
                journal.note("flatRecover")
                return Promise(value: 2)
            }
            .recover(.code(-999)) { _ in 3 }
            .result
        #expect(passed.error is CancellationError)
        #expect(journal.events == [])
        #expect(try await Promise<Int>(error: CancellationError()).recover(.cancelled) { _ in 4 }.value == 4)
        #expect(try await Promise<Int>(error: CancellationError()).flatRecover(.cancelled) { _ in Promise(value: 5) }.value == 5)
    }
}

extension Result {
    var error: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
