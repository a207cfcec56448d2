/// An entry of a ``BinaryHeap``.
package protocol HeapEntry {
    associatedtype Key: Comparable

    /// The value by which entries are ordered.
    var key: Key { get }

    /// Records the index of the entry in the heap, by which it can be removed without a search.
    func moved(to index: Int)
}

/// Entries of which the one with the lowest key is found in constant time. Pure.
///
/// Waits of equal length are added in the order in which they end, so that adding one moves no other.
package struct BinaryHeap<Entry: HeapEntry> {
    @usableFromInline var entries: [Entry] = []

    package init() {}

    /// The entry with the lowest key.
    @inlinable package var first: Entry? { entries.first }

    @inlinable package var count: Int { entries.count }

    @inlinable
    package mutating func add(_ entry: Entry) {
        entries.append(entry)
        rise(from: entries.count - 1)
    }

    /// Removes the entry at an index.
    @inlinable
    package mutating func remove(at index: Int) {
        let last = entries.removeLast()
        guard index < entries.count else { return }
        let isLower = last.key < entries[index].key
        entries[index] = last
        if isLower { rise(from: index) } else { sink(from: index) }
    }

    /// Removes the entries that do not meet a condition.
    package mutating func keep(where condition: (Entry) -> Bool) {
        // An ascending array is a heap.
        entries = entries.filter(condition).sorted { $0.key < $1.key }
        for (index, entry) in entries.enumerated() { entry.moved(to: index) }
    }

    @inlinable
    mutating func rise(from start: Int) {
        var index = start
        entries.withUnsafeMutableBufferPointer { entries in
            while index > 0 {
                let parent = (index - 1) / 2
                guard entries[index].key < entries[parent].key else { break }
                entries.swapAt(index, parent)
                entries[index].moved(to: index)
                index = parent
            }
            entries[index].moved(to: index)
        }
    }

    @inlinable
    mutating func sink(from start: Int) {
        var index = start
        entries.withUnsafeMutableBufferPointer { entries in
            while 2 * index + 1 < entries.count {
                var child = 2 * index + 1
                if child + 1 < entries.count, entries[child + 1].key < entries[child].key { child += 1 }
                guard entries[child].key < entries[index].key else { break }
                entries.swapAt(index, child)
                entries[index].moved(to: index)
                index = child
            }
            entries[index].moved(to: index)
        }
    }
}

extension BinaryHeap: Sendable where Entry: Sendable {}
