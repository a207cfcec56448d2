import Catena
import Dispatch
import Foundation
import TestSupport
import Testing

/// The clauses of Promises/A+ that apply to a typed promise, by number.
@Suite(.limitedParallelism) struct PromisesAPlusTests {
    /// The way in which a promise of a test is settled.
    enum Settling: CaseIterable {
        case already, atOnce, fromAnotherThread

        func fulfilled(_ value: Int) -> Promise<Int> {
            if self == .already { return Promise(value: value) }
            let (promise, resolver) = Promise<Int>.pending()
            run { resolver.fulfill(value) }
            return promise
        }

        func rejected(_ error: any Error) -> Promise<Int> {
            if self == .already { return Promise(error: error) }
            let (promise, resolver) = Promise<Int>.pending()
            run { resolver.reject(error) }
            return promise
        }

        private func run(_ settle: @escaping @Sendable () -> Void) {
            if self == .fromAnotherThread { DispatchQueue.global().async(execute: settle) } else { settle() }
        }
    }

    /// A kind of settlement. Of any two in a row, the first is final.
    enum Settlement: CaseIterable {
        case value, error, cancellation

        func apply(to resolver: Resolver<Int>, number: Int) {
            switch self {
            case .value: resolver.fulfill(number)
            case .error: resolver.reject(Failure(number))
            case .cancellation: resolver.reject(CancellationError())
            }
        }

        func text(_ number: Int) -> String {
            switch self {
            case .value: "value \(number)"
            case .error: "error \(number)"
            case .cancellation: "cancelled"
            }
        }
    }

    func text(_ promise: Promise<Int>) async -> String {
        switch await promise.result {
        case .success(let value): "value \(value)"
        case .failure(let error as Failure): "error \(error.number)"
        case .failure(is CancellationError): "cancelled"
        case .failure(let error): "\(error)"
        }
    }

    @Test("2.1.2, 2.1.3: the first settlement is final", arguments: Settlement.allCases, Settlement.allCases)
    func firstSettlementIsFinal(first: Settlement, second: Settlement) async {
        let (promise, resolver) = Promise<Int>.pending()
        first.apply(to: resolver, number: 1)
        second.apply(to: resolver, number: 2)
        #expect(await text(promise) == first.text(1))
    }

    @Test("2.2.1: `then` and `catch` are optional in a chain", arguments: Settling.allCases)
    func handlersAreOptional(settling: Settling) async {
        #expect(await text(settling.fulfilled(1).catch { _ in }) == "value 1")
        #expect(await text(settling.rejected(Failure(1)).then { _ in }) == "error 1")
        #expect(await text(settling.fulfilled(1).finally {}) == "value 1")
    }

    @Test("2.2.2: then runs after fulfilment, with the value, once", arguments: Settling.allCases)
    func thenRunsOnce(settling: Settling) async throws {
        let seen = Recorder<Int>()
        let (gate, opened) = Promise<Void>.pending()
        let promise = gate.flatMap { settling.fulfilled(7) }.then { seen.note($0) }
        #expect(seen.events.isEmpty)
        opened.fulfill(())
        _ = try await promise.value
        #expect(seen.events == [7])
    }

    @Test("2.2.3: catch runs after rejection, with the reason, once", arguments: Settling.allCases)
    func catchRunsOnce(settling: Settling) async {
        let seen = Recorder<Int>()
        let promise = settling.rejected(Failure(7)).catch(as: Failure.self) { seen.note($0.number) }
        _ = await promise.result
        #expect(seen.events == [7])
    }

    @Test("2.2.4: then, catch and finally never run inside the call that attaches them")
    @MainActor func handlersRunLater() async {
        let seen = Recorder<String>()
        let good = Promise(value: 1).then { _ in seen.note("then") }.finally { seen.note("finally") }
        let bad = Promise<Int>(error: Failure()).catch { _ in seen.note("catch") }
        seen.note("attached")
        _ = await good.result
        _ = await bad.result
        #expect(seen.events.first == "attached")
        #expect(seen.events.count == 4)
    }

    @Test("2.2.4: settling on the main actor does not run main-actor handlers inside the call")
    @MainActor func settlingRunsHandlersLater() async throws {
        let seen = Recorder<String>()
        let (promise, resolver) = Promise<Int>.pending()
        let handled = promise.then { _ in seen.note("then") }
        resolver.fulfill(1)
        seen.note("settled")
        _ = try await handled.value
        #expect(seen.events == ["settled", "then"])
    }

    @Test("2.2.6: handlers run in the order of attachment", arguments: Settling.allCases)
    func orderOfAttachment(settling: Settling) async {
        let seen = Recorder<Int>()
        let promise = settling.fulfilled(0)
        let handled = (1...20).map { number in promise.then { _ in seen.note(number) } }
        for handler in handled { _ = await handler.result }
        #expect(seen.events == Array(1...20))
    }

    @Test("2.2.6: a handler attached inside a handler runs after those attached before", arguments: Settling.allCases)
    @MainActor func orderInsideHandlers(settling: Settling) async {
        let seen = Recorder<String>()
        let promise = settling.fulfilled(0)
        let (inner, done) = Promise<Void>.pending()
        promise.then { _ in
            seen.note("1")
            promise.then { _ in
                seen.note("attached inside 1")
                done.fulfill(())
            }
        }
        promise.then { _ in seen.note("2") }
        promise.then { _ in seen.note("3") }
        _ = await inner.result
        #expect(seen.events == ["1", "2", "3", "attached inside 1"])
    }

    @Test("2.2.6: inline handlers attached inside a handler wait their turn")
    func orderInsideInlineHandlers() {
        let seen = Recorder<String>()
        let (promise, resolver) = Promise<Int>.pending()
        _ = promise.map { value in
            seen.note("1")
            _ = promise.map { _ in seen.note("attached inside 1") }
            seen.note("end of 1")
            return value
        }
        _ = promise.map { _ in seen.note("2") }
        resolver.fulfill(0)
        #expect(seen.events == ["1", "end of 1", "2", "attached inside 1"])
    }

    @Test("2.2.7.1: `map` returns the next value, `flatMap` the next promise", arguments: Settling.allCases)
    func derivedValues(settling: Settling) async {
        #expect(await text(settling.fulfilled(1).map { $0 + 1 }) == "value 2")
        #expect(await text(settling.fulfilled(1).flatMap { settling.fulfilled($0 + 1) }) == "value 2")
        #expect(await text(settling.rejected(Failure(1)).recover { _ in 2 }) == "value 2")
        #expect(await text(settling.rejected(Failure(1)).flatRecover { _ in settling.fulfilled(2) }) == "value 2")
    }

    @Test("2.2.7.2: what a handler throws rejects the next promise", arguments: Settling.allCases)
    func throwing(settling: Settling) async {
        #expect(await text(settling.fulfilled(1).map { _ -> Int in throw Failure(2) }) == "error 2")
        #expect(await text(settling.fulfilled(1).flatMap { _ -> Promise<Int> in throw Failure(2) }) == "error 2")
        #expect(await text(settling.fulfilled(1).then { _ in throw Failure(2) }) == "error 2")
        #expect(await text(settling.rejected(Failure(1)).catch { _ in throw Failure(2) }) == "error 2")
        #expect(await text(settling.rejected(Failure(1)).recover { _ in throw Failure(2) }) == "error 2")
        #expect(await text(settling.fulfilled(1).map { _ -> Int in throw CancellationError() }) == "cancelled")
    }

    @Test("2.2.7.3: a value passes through the steps that handle errors", arguments: Settling.allCases)
    func valuePasses(settling: Settling) async {
        let promise = settling.fulfilled(1).recover { _ in 2 }.flatRecover { _ in Promise(value: 3) }.catch { _ in }.finally {}
        #expect(await text(promise) == "value 1")
    }

    @Test("2.2.7.4: an error passes unchanged through the steps that handle values", arguments: Settling.allCases)
    func errorPasses(settling: Settling) async {
        let promise = settling.rejected(Failure(1)).map { $0 + 1 }.flatMap { Promise(value: $0) }.then { _ in }.finally {}
        #expect(await text(promise) == "error 1")
    }

    @Test("2.3.1: a promise that would wait for itself is rejected")
    func cycle() async {
        let box = Recorder<Promise<Int>>()
        let (start, resolver) = Promise<Int>.pending()
        let promise = start.flatMap { _ in box.events[0] }
        box.note(promise)
        resolver.fulfill(1)
        #expect(await text(promise) == "\(PromiseError.cycle)")
    }

    @Test("2.3.1: two promises that wait for each other stay pending, and can be cancelled")
    func cycleOfTwo() async {
        let box = Recorder<Promise<Int>>()
        let (start, resolver) = Promise<Int>.pending()
        let first = start.flatMap { _ in box.events[1] }
        let second = start.flatMap { _ in box.events[0] }
        box.note(first)
        box.note(second)
        resolver.fulfill(1)
        #expect(first.isPending && second.isPending)
        first.cancel()
        #expect(await text(first) == "cancelled")
        #expect(await text(second) == "cancelled")
    }

    @Test("2.3.2: a promise takes on the outcome of another", arguments: Settling.allCases, Settling.allCases)
    func adoption(outer: Settling, inner: Settling) async {
        #expect(await text(outer.fulfilled(0).flatMap { _ in inner.fulfilled(1) }) == "value 1")
        #expect(await text(outer.fulfilled(0).flatMap { _ in inner.rejected(Failure(1)) }) == "error 1")
        #expect(await text(outer.rejected(Failure()).flatRecover { _ in inner.rejected(Failure(1)) }) == "error 1")
        #expect(await text(outer.rejected(Failure()).flatRecover { _ in inner.rejected(CancellationError()) }) == "cancelled")
    }

    @Test("2.3.3.3: only the first call of the resolver settles the promise")
    func executorSettlesOnce() async {
        let promise = Promise<Int> { resolver in
            resolver.fulfill(1)
            resolver.reject(Failure(2))
            resolver.fulfill(3)
        }
        #expect(await text(promise) == "value 1")
    }

    @Test("2.3.3.4.1: what the executor throws after settling is ignored")
    func executorThrowsLate() async {
        let promise = Promise<Int> { resolver in
            resolver.fulfill(1)
            throw Failure(2)
        }
        #expect(await text(promise) == "value 1")
    }

    @Test("2.3.3.4.2: what the executor throws before settling rejects")
    func executorThrows() async {
        let promise = Promise<Int> { (_: Resolver<Int>) in throw Failure(2) }
        #expect(await text(promise) == "error 2")
    }
}
