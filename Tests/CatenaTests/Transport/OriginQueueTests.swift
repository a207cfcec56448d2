import Testing

@testable import Catena

@Suite(.limitedParallelism) struct OriginQueueTests {
    @Test("so many to one origin at a time, the others in their order, and origins do not wait for each other")
    func order() {
        var queue = OriginQueue<Int>()
        let first = (1...5).map { queue.enter($0, to: "a", limit: 2) } + [queue.enter(6, to: "b", limit: 2)]
        #expect(first == [true, true, false, false, false, true])
        let left = ["a", "a", "b"].map { queue.leave($0, limit: 2) }
        #expect(left == [3, 4, nil])
        let isStarted = queue.enter(7, to: "a", limit: 2)
        #expect(!isStarted)
        let rest = ["a", "a", "a", "a"].map { queue.leave($0, limit: 2) }
        #expect(rest == [5, 7, nil, nil])
        let isFree = queue.enter(8, to: "a", limit: 2)
        #expect(isFree)
    }

    @Test("after a limit has become less, places are given back until it holds")
    func less() {
        var queue = OriginQueue<Int>()
        let first = (1...6).map { queue.enter($0, to: "a", limit: 4) }
        #expect(first == [true, true, true, true, false, false])
        let left = (1...4).map { _ in queue.leave("a", limit: 2) }
        #expect(left == [nil, nil, 5, 6])
        #expect(queue.running(to: "a") == 2)
    }

    @Test("leaving an origin that nobody entered makes no room that is not there")
    func unknown() {
        var queue = OriginQueue<Int>()
        let left = queue.leave("a", limit: 1)
        let started = [queue.enter(1, to: "a", limit: 1), queue.enter(2, to: "a", limit: 1)]
        #expect(left == nil)
        #expect(started == [true, false])
    }
}
