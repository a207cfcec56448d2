import Testing

@testable import Catena

@Suite(.limitedParallelism) struct OriginQueueTests {
    @Test("each origin runs transfers up to the limit and the others in order, and origins do not wait for each other")
    func order() {
        var queue = OriginQueue<Int>(limit: 2)
        let first = (1...5).map { queue.enter($0, to: "a") } + [queue.enter(6, to: "b")]
        #expect(first == [true, true, false, false, false, true])
        let left = ["a", "a", "b"].map { queue.leave($0) }
        #expect(left == [3, 4, nil])
        let isStarted = queue.enter(7, to: "a")
        #expect(!isStarted)
        let rest = ["a", "a", "a", "a"].map { queue.leave($0) }
        #expect(rest == [5, 7, nil, nil])
        let isFree = queue.enter(8, to: "a")
        #expect(isFree)
    }

    @Test("leaving an origin that no transfer has entered does not raise its limit")
    func unknown() {
        var queue = OriginQueue<Int>(limit: 1)
        let left = queue.leave("a")
        let started = [queue.enter(1, to: "a"), queue.enter(2, to: "a")]
        #expect(left == nil)
        #expect(started == [true, false])
    }
}
