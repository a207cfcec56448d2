import Testing

@testable import Catena

@Suite(.limitedParallelism) struct ExpiryQueueTests {
    private final class Entry: Expiring {
        let expiry: Int64
        var expiryIndex = -1

        init(_ expiry: Int64) { self.expiry = expiry }
    }

    /// A generator with equal numbers in every run.
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
    }

    @Test("the entry with the earliest expiry is first, whatever was added and removed before", arguments: 0..<20)
    func order(seed: UInt64) {
        var random = Numbers(state: seed)
        var queue = ExpiryQueue<Entry>()
        var entries: [Entry] = []
        for _ in 0..<500 {
            if entries.isEmpty || random.next() % 5 < 3 {
                let entry = Entry(Int64(random.next() % 100))
                queue.add(entry, expiry: entry.expiry)
                entries.append(entry)
            } else {
                let entry = entries.remove(at: Int(random.next() % UInt64(entries.count)))
                queue.remove(entry)
                #expect(entry.expiryIndex == -1)
            }
            #expect(queue.first?.expiry == entries.map(\.expiry).min())
        }
        while let first = queue.first?.element {
            #expect(first.expiry == entries.map(\.expiry).min())
            entries.removeAll { $0 === first }
            queue.remove(first)
        }
        #expect(entries.isEmpty)
    }

    @Test("removing an absent entry has no effect")
    func absent() {
        var queue = ExpiryQueue<Entry>()
        let entries = [Entry(1), Entry(1)]
        queue.add(entries[0], expiry: 1)
        queue.remove(entries[1])
        #expect(queue.first?.element === entries[0])
        queue.remove(entries[0])
        queue.remove(entries[0])
        #expect(queue.first == nil)
    }
}
