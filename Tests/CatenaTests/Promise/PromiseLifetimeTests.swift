import Catena
import Dispatch
import Foundation
import TestSupport
import Testing

@Suite(.serialized, .limitedParallelism) struct PromiseLifetimeTests {
    @Test("a dropped resolver rejects its promise, so that no task waits for ever")
    func abandoned() async {
        func promise() -> Promise<Int> { Promise<Int>.pending().promise }
        await #expect(throws: PromiseError.abandoned) { try await promise().value }
        await #expect(throws: PromiseError.abandoned) { try await promise().map { $0 }.value }
    }

    @Test("one copy of a resolver keeps its promise pending")
    func copies() async throws {
        let (promise, resolver) = Promise<Int>.pending()
        var copies = [resolver, resolver]
        copies.removeLast()
        #expect(promise.isPending)
        copies[0].fulfill(1)
        #expect(try await promise.value == 1)
    }

    /// The ways in which a chain can end.
    enum Ending: CaseIterable {
        case fulfilled, rejected, cancelled, dropped
    }

    @Test("closures and values are freed as soon as the chain is settled, however it ends", arguments: Ending.allCases)
    func freed(ending: Ending) async {
        let cage = Canary.Cage()
        let kept: Promise<Int>
        do {
            let (promise, resolver) = Promise<Int>.pending()
            let canary = cage.canary()
            resolver.onCancel { canary.sing() }
            kept =
                promise
                .map { value in
                    canary.sing()
                    return value
                }
                .flatMap { value in
                    canary.sing()
                    return Promise(value: value)
                }
                .recover { error in
                    canary.sing()
                    throw error
                }
            switch ending {
            case .fulfilled: resolver.fulfill(1)
            case .rejected: resolver.reject(Failure())
            case .cancelled: kept.cancel()
            case .dropped: break
            }
        }
        _ = await kept.result
        #expect(cage.alive == 0)
    }

    @Test("handlers on the main actor are freed once they have run")
    func freedHandlers() async {
        let cage = Canary.Cage()
        do {
            let canary = cage.canary()
            let (promise, resolver) = Promise<Int>.pending()
            let end = promise.then { _ in canary.sing() }.catch { _ in canary.sing() }.finally { canary.sing() }
            resolver.fulfill(1)
            _ = await end.result
        }
        await MainActor.run {}
        #expect(cage.alive == 0)
    }

    @Test("a promise settles once under contention: 300,000 promises, 4 threads")
    func contention() async {
        let winners = Counter()
        let outcomes = Counter()
        let promises = (0..<300_000).map { _ in Promise<Int>.pending() }
        for (promise, _) in promises {
            _ = promise.map { _ in winners.increment() }
        }
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    await onThread(stackSize: 512 * 1024) {
                        for (_, resolver) in promises { resolver.fulfill(thread) }
                    }
                }
            }
        }
        for (promise, _) in promises where !promise.isPending { outcomes.increment() }
        #expect(winners.count == 300_000)
        #expect(outcomes.count == 300_000)
    }

    @Test("settling, cancelling and attaching at once from four threads neither loses nor doubles a handler")
    func races() async {
        let finals = Counter()
        let values = Counter()
        let rounds = 20_000
        for _ in 0..<4 {
            let promises = (0..<rounds / 4).map { _ in Promise<Int>.pending() }
            let queue = DispatchQueue(label: "races")
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await onThread(stackSize: 512 * 1024) { for (_, resolver) in promises { resolver.fulfill(1) } } }
                group.addTask { await onThread(stackSize: 512 * 1024) { for (promise, _) in promises.reversed() { promise.cancel() } } }
                group.addTask {
                    await onThread(stackSize: 512 * 1024) {
                        for (promise, _) in promises {
                            promise.finally(on: queue) { finals.increment() }
                        }
                    }
                }
                group.addTask {
                    for (promise, _) in promises {
                        if case .success = await promise.result { values.increment() }
                    }
                }
            }
            queue.sync {}
        }
        #expect(finals.count == rounds)
        #expect(values.count <= rounds)
    }
}

@Suite(.serialized, .limitedParallelism) struct UnhandledErrorTests {
    /// An error that differs from all others, because the handler is global and other tests drop errors at any time.
    private final class Unheard: Error {}

    /// Collects the reports of `body`'s own error, and waits until the expected number has arrived.
    private func reports(expecting count: Int = 0, _ body: (Unheard) async -> Void) async -> [PromiseDiagnostics.UnhandledError] {
        let unheard = Unheard()
        let seen = Recorder<PromiseDiagnostics.UnhandledError>()
        PromiseDiagnostics.onUnhandledError = { report in
            guard report.error as? Unheard === unheard || report.error is CancellationError else { return }
            seen.note(report)
        }
        await body(unheard)
        await seen.reached(count)
        PromiseDiagnostics.onUnhandledError = nil
        return seen.events
    }

    @Test("an unhandled error is reported once, with the place where the chain began")
    func reported() async {
        let line: UInt = #line + 2
        let seen = await reports(expecting: 1) { unheard in
            let promise = Promise<Int>(error: unheard).map { $0 }.then { _ in }.finally {}
            await mainQueueIsEmpty()
            #expect(!promise.isPending)
        }
        #expect(seen.count == 1)
        #expect(seen.first?.error is Unheard)
        #expect(seen.first?.line == line)
        #expect(seen.first?.file.hasSuffix("PromiseLifetimeTests.swift") == true)
    }

    @Test("a handled error is not reported", arguments: ["catch", "await", "recover", "result"])
    func handled(how: String) async {
        let seen = await reports { unheard in
            let promise = Promise<Int>(error: unheard).map { $0 }
            switch how {
            case "catch": _ = await promise.catch { _ in }.map { $0 }.result
            case "await": _ = try? await promise.value
            case "recover": _ = await promise.recover { _ in 0 }.result
            default: _ = await promise.result
            }
        }
        #expect(seen.isEmpty)
    }

    @Test("an error that does not match a catch stays unhandled")
    func notForMatcher() async {
        let seen = await reports(expecting: 1) { unheard in
            let promise = Promise<Int>(error: unheard).catch(.unauthorized) { _ in }
            await mainQueueIsEmpty()
            #expect(!promise.isPending)
        }
        #expect(seen.count == 1)
    }

    @Test("each branch of a fork handles or reports its own error")
    func forks() async {
        let seen = await reports(expecting: 1) { unheard in
            let promise = Promise<Int>(error: unheard)
            let handled = promise.catch { _ in }
            let unhandled = promise.map { $0 }
            await mainQueueIsEmpty()
            #expect(!handled.isPending && !unhandled.isPending)
        }
        #expect(seen.count == 1)
    }

    @Test("cancellation is not reported")
    func cancellation() async {
        let seen = await reports { _ in
            let (promise, resolver) = Promise<Int>.pending()
            promise.map { $0 }.cancel()
            withExtendedLifetime(resolver) {}
        }
        #expect(seen.isEmpty)
    }
}
