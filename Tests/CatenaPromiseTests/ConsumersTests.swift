import TestSupport
import Testing

@testable import CatenaPromise

@Suite("Consumers of a promise", .limitedParallelism)
struct ConsumersTests {
    @Test("a consumer that is added after others were swept, but before they withdraw, keeps the promise wanted until its own withdrawal")
    func sweptBeforeWithdrawal() {
        let cores = (0..<20).map { _ in PromiseCore(origin: nil) }
        var consumers = Consumers()
        for core in cores { consumers.add(.core(core)) }
        // All consumers are settled, but only eleven withdraw. The eleventh withdrawal sweeps them all.
        for core in cores { core.settle(.cancelled) }
        for core in cores.prefix(11) { _ = consumers.withdraw(.core(core)) }
        #expect(consumers.isEmpty && consumers.wanted == 9)
        let late = PromiseCore(origin: nil)
        consumers.add(.core(late))
        for core in cores.suffix(9) { _ = consumers.withdraw(.core(core)) }
        #expect(consumers.wanted == 1)
        _ = consumers.withdraw(.core(late))
        #expect(consumers.wanted == 0)
    }
}

extension Consumers {
    fileprivate mutating func add(_ consumer: Consumer) {
        var coming = Consumers(consumer)
        add(&coming)
    }
}
