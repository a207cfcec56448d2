import TestSupport
import Testing

@testable import CatenaPromise

@Suite("Consumers of a promise", .limitedParallelism)
struct ConsumersTests {
    @Test("who comes while others, swept already, have yet to withdraw is wanted until it withdraws itself")
    func sweptBeforeWithdrawal() {
        let cores = (0..<20).map { _ in PromiseCore(origin: nil) }
        var consumers = Consumers()
        for core in cores { consumers.add(.core(core)) }
        // Nobody waits for the outcome any more, but only eleven have said so: with the eleventh, all are swept.
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
