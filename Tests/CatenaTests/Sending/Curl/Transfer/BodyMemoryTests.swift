#if os(Linux) && canImport(Glibc)
import Foundation
import Testing

@testable import Catena

@Suite(.limitedParallelism) struct BodyMemoryTests {
    private static func body(_ letter: UInt8, count: Int, in memory: BodyMemory) -> Data {
        var block = memory.take(count)
        let isTaken = append([UInt8](repeating: letter, count: count), to: &block)
        #expect(isTaken)
        return block.body
    }

    private static func append(_ bytes: [UInt8], to block: inout BodyBlock) -> Bool {
        bytes.withUnsafeBytes { bytes in block.append(bytes) }
    }

    static let rows: [(released: Int, taken: Int, isUsedAgain: Bool)] = [
        (100_000, 100_000, true), (100_000, 80_000, true), (100_000, 79_000, false), (100_000, 100_001, false), (2000, 1900, true),
    ]

    @Test("a released block is used again for a body that fills at least four fifths of it", arguments: rows)
    func reuse(released: Int, taken: Int, isUsedAgain: Bool) {
        let memory = BodyMemory(limit: 1_000_000)
        do { _ = Self.body(1, count: released, in: memory) }
        #expect(memory.freeBlocks == 1)
        let body = Self.body(2, count: taken, in: memory)
        #expect(memory.freeBlocks == (isUsedAgain ? 0 : 1))
        #expect(body == Data(repeating: 2, count: taken))
    }

    @Test("a block is not used again while a copy, a slice or a changed copy of its body is there")
    func kept() {
        let memory = BodyMemory(limit: 1_000_000)
        var body: Data? = Self.body(1, count: 1000, in: memory)
        var slice = body?[100..<200]
        var changed = body
        changed?.append(3)
        body = nil
        #expect(memory.freeBlocks == 0)
        let other = Self.body(2, count: 1000, in: memory)
        #expect(slice == Data(repeating: 1, count: 100))
        #expect(changed == Data(repeating: 1, count: 1000) + [3])
        #expect(other == Data(repeating: 2, count: 1000))
        slice = nil
        #expect(memory.freeBlocks == 1)
    }

    @Test("if more is released than may be kept, the blocks released first are freed")
    func limit() {
        let memory = BodyMemory(limit: 10_000)
        do {
            var bodies = [5000, 3000, 4000].map { Self.body(1, count: $0, in: memory) }
            while !bodies.isEmpty { bodies.removeFirst() }
        }
        #expect(memory.freeBlocks == 2)
        _ = Self.body(2, count: 20_000, in: memory)
        #expect(memory.freeBlocks == 0)
    }

    @Test("a block takes what fits into it, and its body has only the bytes that were added", arguments: [1, 3, 14, 15, 2000])
    func partial(count: Int) {
        var block = BodyMemory(limit: 0).take(2000)
        let taken = [Array(repeating: 1, count: count), Array(repeating: 2, count: 2001 - count)].map { Self.append($0, to: &block) }
        #expect(taken == [true, false])
        #expect(block.body == Data(repeating: 1, count: count))
    }

    @Test("a body that ended early does not keep its block", arguments: [(500, true), (9000, false)])
    func cut(count: Int, isFree: Bool) {
        let memory = BodyMemory(limit: 100_000)
        let body: Data
        do {
            var block = memory.take(10_000)
            let isTaken = Self.append(Array(repeating: 1, count: count), to: &block)
            #expect(isTaken)
            body = block.body
        }
        #expect(memory.freeBlocks == (isFree ? 1 : 0))
        #expect(body == Data(repeating: 1, count: count))
    }

    @Test("a short body does not lose its block while it is received", arguments: [0, 1, 14, 15, 16])
    func short(count: Int) {
        let memory = BodyMemory(limit: 10_000)
        let body = Self.body(1, count: count, in: memory)
        #expect(body == Data(repeating: 1, count: count))
    }
}
#endif
