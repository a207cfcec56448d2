import Testing

@testable import Catena

@Suite("Rare sorting", .limitedParallelism)
struct RareSortingTests {
    @Test("equal elements keep their order", arguments: [[], ["b"], ["b", "a"], ["b1", "a1", "b2", "a2", "c1", "a3"]])
    func stable(texts: [String]) {
        let byLetter = { (left: String, right: String) in left.prefix(1) < right.prefix(1) }
        #expect(texts.ordered(by: byLetter) == ["a", "b", "c"].flatMap { letter in texts.filter { $0.hasPrefix(letter) } })
    }

    @Test("many equal elements keep their order")
    func manyEqual() {
        let numbers = (0..<500).map { ($0 * 7 % 5, $0) }
        let ordered = numbers.ordered { $0.0 < $1.0 }
        #expect(ordered.map(\.1) == (0..<5).flatMap { key in numbers.filter { $0.0 == key }.map(\.1) })
    }

    @Test("values have the order of their keys")
    func values() {
        #expect([3: "c", 1: "z", 2: "b"].valuesInOrder() == ["z", "b", "c"])
        #expect([Int: String]().valuesInOrder().isEmpty)
    }
}
