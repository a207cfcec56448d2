import CatenaPromise
import Dispatch
import TestSupport
import Testing

@Suite(.limitedParallelism) struct EndlessRecursionTests {
    @Test("cancelling an endless recursion stops it")
    func cancel() async {
        let links = 300_000
        let made = AtomicCounter()
        let enough = Counter()
        let ended = Counter()
        @Sendable func step() -> Promise<Int> {
            if made.add(1) == links { enough.increment() }
            return Promise(value: 1).flatMap { _ in step() }
        }
        let (start, resolver) = Promise<Int>.pending()
        let endless = start.flatMap { _ in step() }
        // The recursion stays in this call until it is cancelled.
        DispatchQueue(label: "recursion").async {
            resolver.fulfill(1)
            ended.increment()
        }
        await enough.reached(1)
        let before = made.count
        endless.cancel()
        await ended.reached(1)
        // The links that are made until the cancellation has passed the first thousand do not depend on the length of the chain.
        #expect(made.count - before < 50_000)
        #expect(await endless.isCancelled)
    }
}

extension Promise {
    fileprivate var isCancelled: Bool {
        get async {
            if case .failure(is CancellationError) = await result { true } else { false }
        }
    }
}
