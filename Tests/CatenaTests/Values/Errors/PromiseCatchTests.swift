import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Catena

private struct Refusal: Error, Equatable { var number = 1 }

private let failure = APIError(.business, code: 10086, message: "m")

@Suite("Catching errors of promises", .limitedParallelism)
struct PromiseCatchTests {
    private let journal = Recorder<String>()
    private let queue = DispatchQueue(label: "test")

    @Test("catch receives the error on the main actor, and the chain stays rejected")
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

    @Test("a catch with a matcher receives only its own errors, and later catches do not receive them again")
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

    @Test("a catch with several matchers receives an error that one of them matches, also a cancellation if one includes it")
    func severalMatchers() async {
        let journal = journal
        _ = await Promise<Int>(error: failure)
            .catch(.unauthorized, .timeout, .cancelled) { _ in journal.note("other") }
            .catch(.validation, .code(10086)) { error in
                MainActor.assertIsolated()
                journal.note("\(error.code)")
            }
            .catch { _ in journal.note("any") }
            .result
        let cancelled = Promise<Int>.pending()
        let ignoring = cancelled.promise.catch(.validation, .timeout) { _ in journal.note("failure") }
        let handling = ignoring.catch(.timeout, .cancelled) { _ in journal.note("cancelled") }
        cancelled.promise.cancel()
        // A cancellation that no matcher includes does not wait for the main actor.
        #expect(!ignoring.isPending)
        _ = await handling.result
        #expect(journal.events == ["10086", "cancelled"])
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

    @Test("catch receives another library's error wrapped, and the chain keeps the original")
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

    @Test("catch(as:) receives the original error", arguments: typed)
    func veryError(row: (error: any Error, found: [String])) async {
        let journal = journal
        _ = await Promise<Int>(error: row.error)
            .catch(as: Refusal.self) { journal.note("Refusal \($0.number)") }
            .catch(as: APIError.self) { journal.note("APIError \($0.kind)") }
            .result
        #expect(journal.events == row.found)
    }

    @Test("an error that a catch throws replaces the old one")
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

    @Test("a catch that throws a CancellationError cancels the rest of the chain")
    func cancelling() async {
        let journal = journal
        let result = await Promise<Int>(error: failure).catch { _ in throw CancellationError() }
            .catch { _ in journal.note("any") }.catch(.cancelled) { journal.note("\($0.kind)") }.result
        #expect(journal.events == ["cancelled"])
        #expect(result.error is CancellationError)
    }

    @Test("an error is handled once a catch has matched it, and stays unhandled if none matches")
    func seen() async {
        // The promise settles on the queue, so the test waits for the queue.
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

    @Test("a cancellation skips every catch except catch(.cancelled)")
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

    @Test("a cancellation that comes as an APIError is not a failure either")
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

    @Test("recover passes a cancellation on unless its matcher is .cancelled")
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
