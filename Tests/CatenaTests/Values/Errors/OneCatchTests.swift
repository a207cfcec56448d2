import CatenaTesting
import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Catena

private struct Refusal: Error, Equatable {}

private let failure = APIError(.business, code: 10086, message: "m")
private let queue = DispatchQueue(label: "test")

private typealias Journal = Recorder<String>

/// A chain and the names of its closures that are expected to run.
struct CatchingChain: CustomTestStringConvertible {
    let testDescription: String
    fileprivate let ran: [String]
    fileprivate let chain: @Sendable (Promise<Int>, Recorder<String>) -> Promise<Int>

    fileprivate init(_ name: String, _ ran: [String], _ chain: @escaping @Sendable (Promise<Int>, Recorder<String>) -> Promise<Int>) {
        testDescription = name
        self.ran = ran
        self.chain = chain
    }
}

extension Promise {
    /// Adds a catch that records its name.
    fileprivate func caught(_ name: String, _ journal: Journal) -> Promise {
        `catch` { _ in journal.note(name) }
    }
}

@Suite("One catch for an error", .limitedParallelism)
struct OneCatchTests {
    private let journal = Journal()

    private func run(_ row: CatchingChain, on failing: Promise<Int>) async {
        let result = await row.chain(failing, journal).result
        if row.ran.last == "recovered" {
            #expect(result.error == nil)
        } else {
            #expect(result.error != nil)
        }
        #expect(journal.events == row.ran)
    }

    static let once = [
        CatchingChain("the first of two that match", ["a"]) { $0.caught("a", $1).caught("b", $1) },
        CatchingChain("the first that matches", ["code"]) { failing, journal in
            failing.catch(.unauthorized) { _ in journal.note("unauthorized") }
                .catch(as: Refusal.self) { _ in journal.note("type") }
                .catch(.code(10086)) { _ in journal.note("code") }
                .catch(.where { _ in true }) { _ in journal.note("where") }
                .catch(as: APIError.self) { _ in journal.note("APIError") }
                .caught("any", journal)
        },
        CatchingChain("on a queue", ["queue"]) { failing, journal in
            failing.catch(on: queue) { _ in journal.note("queue") }
                .catch(.code(10086), on: queue) { _ in journal.note("code") }
                .catch(as: APIError.self, on: queue) { _ in journal.note("type") }
                .caught("any", journal)
        },
        CatchingChain("after a catch by type", ["type"]) { failing, journal in
            failing.catch(as: APIError.self) { _ in journal.note("type") }.caught("any", journal)
        },
    ]

    @Test("only the first matching catch of a chain runs", arguments: once, [true, false])
    func firstOnly(row: CatchingChain, isSettled: Bool) async {
        let (failing, resolver) = Promise<Int>.pending()
        if isSettled { return await run(row, on: Promise(error: failure)) }
        DispatchQueue.global().async { resolver.reject(failure) }
        await run(row, on: failing)
    }

    static let travelling = [
        CatchingChain("then", ["a"]) { $0.caught("a", $1).then { _ in }.then(on: queue) { _ in }.caught("b", $1) },
        CatchingChain("map", ["a"]) { $0.caught("a", $1).map { $0 + 1 }.caught("b", $1) },
        CatchingChain("flatMap", ["a"]) { $0.caught("a", $1).flatMap { Promise(value: $0) }.caught("b", $1) },
        CatchingChain("a catch for other errors", ["a"]) { $0.caught("a", $1).catch(.timeout) { _ in }.caught("b", $1) },
        CatchingChain("recover for other errors", ["a"]) { $0.caught("a", $1).recover(.timeout) { _ in 1 }.caught("b", $1) },
        CatchingChain("finally", ["a", "finally"]) { failing, journal in
            failing.caught("a", journal).finally { journal.note("finally") }.caught("b", journal)
        },
        CatchingChain("timeout", ["a"]) { $0.caught("a", $1).timeout(.seconds(60)).caught("b", $1) },
        CatchingChain("delay", ["a"]) { $0.caught("a", $1).delay(.seconds(60)).caught("b", $1) },
        CatchingChain("validate", ["a"]) { $0.caught("a", $1).validate { _ in true }.caught("b", $1) },
    ]

    @Test("an error that was caught stays caught through the steps that pass it on", arguments: travelling)
    func travels(row: CatchingChain) async {
        await run(row, on: Promise(error: failure))
    }

    static let afterwards = [
        CatchingChain("recover", ["a", "recovered"]) { failing, journal in
            failing.caught("a", journal).recover { _ in
                journal.note("recovered")
                return 1
            }
        },
        CatchingChain("recover with a matcher", ["a", "recovered"]) { failing, journal in
            failing.caught("a", journal).recover(.code(10086)) { _ in
                journal.note("recovered")
                return 1
            }
        },
        CatchingChain("flatRecover", ["a", "recovered"]) { failing, journal in
            failing.caught("a", journal).flatRecover { _ in
                journal.note("recovered")
                return Promise(value: 1)
            }
        },
        CatchingChain("whenSettled", ["a"]) { failing, journal in
            let chain = failing.caught("a", journal)
            chain.whenSettled(on: queue) { if $0.error == nil { journal.note("a value") } }
            return chain
        },
    ]

    @Test("a chain stays rejected after a catch, for recover, for whenSettled and when awaited", arguments: afterwards)
    func staysRejected(row: CatchingChain) async {
        await run(row, on: Promise(error: failure))
    }

    static let anew = [
        CatchingChain("another error thrown by the catch", ["a", "b"]) { failing, journal in
            failing.catch { _ in
                journal.note("a")
                throw Refusal()
            }.caught("b", journal).caught("c", journal)
        },
        CatchingChain("the same error thrown by the catch", ["a", "b"]) { failing, journal in
            failing.catch { error in
                journal.note("a")
                throw error
            }.caught("b", journal)
        },
        CatchingChain("an error thrown by recover", ["a", "b"]) { failing, journal in
            failing.caught("a", journal).recover { throw $0 }.caught("b", journal)
        },
        CatchingChain("the inner promise of a flatMap", ["a", "b"]) { failing, journal in
            Promise(value: 1).flatMap { _ in failing.caught("a", journal) }.caught("b", journal).caught("c", journal)
        },
        CatchingChain("the inner promise of a flatMap within another", ["a", "b"]) { failing, journal in
            Promise(value: 1).flatMap { _ in Promise(value: 2).flatMap { _ in failing.caught("a", journal) } }.caught("b", journal)
        },
        CatchingChain("the promise of flatRecover", ["a", "b"]) { failing, journal in
            Promise(error: Refusal()).flatRecover { _ in failing.caught("a", journal) }.caught("b", journal)
        },
        CatchingChain("all of an array", ["a", "b"]) { failing, journal in
            Promise.all([failing.caught("a", journal)]).map { $0[0] }.caught("b", journal)
        },
        CatchingChain("all of a tuple", ["a", "b"]) { failing, journal in
            Promise.all(failing.caught("a", journal), Promise(value: "x")).map { number, _ in number }.caught("b", journal)
        },
        CatchingChain("race", ["a", "b"]) { failing, journal in
            Promise.race([failing.caught("a", journal)]).caught("b", journal)
        },
        CatchingChain("any", ["a", "b"]) { failing, journal in
            Promise.any([failing.caught("a", journal)]).caught("b", journal)
        },
        CatchingChain("sequence", ["a", "b"]) { failing, journal in
            Promise.sequence { _ in failing.caught("a", journal) }.map { $0[0] }.caught("b", journal)
        },
        CatchingChain("retry without further attempts", ["a", "b"]) { failing, journal in
            Promise.retry(times: 0) { failing.caught("a", journal) }.caught("b", journal)
        },
        CatchingChain("retry whose condition is false", ["a", "b"]) { failing, journal in
            Promise.retry(times: 1, while: { _ in false }) { failing.caught("a", journal) }.caught("b", journal)
        },
        CatchingChain("retry of attempts that have catches of their own", ["a", "a", "b"]) { failing, journal in
            Promise.retry(times: 1) { failing.caught("a", journal) }.caught("b", journal)
        },
        CatchingChain("a promise of an awaited value", ["a", "b"]) { failing, journal in
            Promise { try await failing.caught("a", journal).value }.caught("b", journal)
        },
    ]

    @Test("an error that is thrown again, or comes from another promise, is caught again", arguments: anew)
    func beginsUnmarked(row: CatchingChain) async {
        await run(row, on: Promise(error: failure))
    }

    @Test("each branch of a promise has its own catch", arguments: [true, false])
    func branches(isCaughtBefore: Bool) async {
        let journal = journal
        let promise = Promise<Int>(error: failure)
        let stem = isCaughtBefore ? promise.caught("stem", journal) : promise
        _ = await stem.caught("left", journal).result
        _ = await stem.caught("right", journal).result
        _ = await promise.caught("other", journal).result
        #expect(journal.events == (isCaughtBefore ? ["stem", "other"] : ["left", "right", "other"]))
    }

    private static let passing: [(name: String, chain: @Sendable (Promise<Int>) -> Promise<Int>)] = [
        ("the chain itself", { $0 }),
        ("flatMap", { caught in Promise(value: 1).flatMap { _ in caught } }),
        ("all", { Promise.all([$0]).map { $0[0] } }),
        ("race", { Promise.race([$0]) }),
        ("sequence", { caught in Promise.sequence { _ in caught }.map { $0[0] } }),
        ("retry", { caught in Promise.retry(times: 1) { caught } }),
    ]

    @Test("an error that was caught is not reported as unhandled by another chain", arguments: passing.map(\.name), [true, false])
    func reported(name: String, isCaught: Bool) async throws {
        let row = try #require(Self.passing.first { $0.name == name })
        let failing = Promise<Int>(error: failure)
        let chain = row.chain(isCaught ? failing.catch(on: queue) { _ in } : failing)
        let ended = Promise<Void>.pending()
        chain.whenSettled(on: queue) { _ in ended.resolver.fulfill(()) }
        try await ended.promise.value
        guard case .rejected(_, let notice) = chain.core.takeOutcome() else {
            Issue.record("It is not rejected.")
            return
        }
        #expect((notice != .unseen) == isCaught)
        #expect((notice == .caught) == (isCaught && name == "the chain itself"))
    }

    @Test("whenSettled does not count as a catch")
    func looking() async {
        let journal = journal
        let promise = Promise<Int>(error: failure)
        let looked = Promise<Void>.pending()
        promise.whenSettled(on: queue) { _ in looked.resolver.fulfill(()) }
        _ = await looked.promise.result
        _ = await promise.caught("a", journal).result
        #expect(journal.events == ["a"])
    }

    @Test("every catch(.cancelled) of a chain runs for a cancelled call")
    func cancelled() async {
        let journal = journal
        _ = await Promise<Int>(error: CancellationError())
            .catch(.cancelled) { _ in journal.note("a") }.catch(.cancelled) { _ in journal.note("b") }.result
        #expect(journal.events == ["a", "b"])
    }
}
