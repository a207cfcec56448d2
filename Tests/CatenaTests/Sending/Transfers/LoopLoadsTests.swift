import Testing

@testable import Catena

@Suite(.limitedParallelism) struct LoopLoadsTests {
    @Test("the first loop with fewer than eight transfers gets the next one, else the least loaded loop, unless the transfer must not move")
    func order() {
        let loads = LoopLoads(place: 0, width: 3)
        let first = (0..<26).map { _ in loads.enter(mayMove: true) }
        #expect(first == Array(repeating: 0, count: 8) + Array(repeating: 1, count: 8) + Array(repeating: 2, count: 8) + [0, 1])
        for _ in 0..<3 { loads.leave(2) }
        let second = (0..<4).map { _ in loads.enter(mayMove: true) }
        #expect(second == [2, 2, 2, 2])
        #expect(loads.enter(mayMove: false) == 0)
        for _ in 0..<9 { loads.leave(0) }
        #expect(loads.enter(mayMove: true) == 0)
    }
}
