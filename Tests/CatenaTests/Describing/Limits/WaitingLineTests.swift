import Testing

@testable import Catena

@Suite("The queue of waiting calls", .limitedParallelism)
struct WaitingLineTests {
    @Test("a higher priority comes first, and within a priority the call that came first")
    func order() {
        var line = PriorityQueue<String>()
        for (id, (name, priority)) in [
            ("low", CallPriority.low), ("a", .normal), ("high", .high), ("b", .normal), ("higher", .high), ("c", .normal),
        ].enumerated() {
            line.append(name, id: UInt64(id), priority: priority)
        }
        #expect(line.count == 6)
        var names: [String] = []
        while let next = line.popFirst() { names.append(next) }
        #expect(names == ["high", "higher", "a", "b", "c", "low"])
        #expect(line.isEmpty)
    }

    @Test("a removed call is not delivered, wherever it was in the queue", arguments: CallPriority.allCases)
    func removal(priority: CallPriority) {
        var line = PriorityQueue<Int>()
        for id in 0..<100 { line.append(id, id: UInt64(id), priority: priority) }
        for id in stride(from: 0, to: 100, by: 3) { #expect(line.remove(UInt64(id)) == id) }
        #expect(line.remove(3) == nil)
        #expect(line.remove(1000) == nil)
        var rest: [Int] = []
        while let next = line.popFirst() { rest.append(next) }
        #expect(rest == (0..<100).filter { $0 % 3 != 0 })
    }

    @Test("ten thousand calls can be added and removed in any order")
    func many() {
        var line = PriorityQueue<Int>()
        var expected: [Int] = []
        for round in 0..<3 {
            for id in 0..<10_000 { line.append(id, id: UInt64(round * 10_000 + id), priority: .normal) }
            for id in (0..<10_000).reversed() where id % 10 != 0 { _ = line.remove(UInt64(round * 10_000 + id)) }
            expected += stride(from: 0, to: 10_000, by: 10)
            for _ in 0..<500 { #expect(line.popFirst() == expected.removeFirst()) }
        }
        #expect(line.count == expected.count)
        while let next = line.popFirst() { #expect(next == expected.removeFirst()) }
        #expect(expected.isEmpty)
    }
}
