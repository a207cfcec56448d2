@testable import Catena

extension JSONTape {
    /// Collects the entries that CScan has to find, by the scanner in Swift.
    struct Builder: JSONVisitor {
        private var entries: [Entry] = []
        private var open: [Open] = []

        private struct Open {
            let place: Int
            var count: UInt32 = 0
            /// A Bloom filter with one bit per key, derived from the key's first bytes. A key whose bit is not set is new.
            var keys: UInt64 = 0
            var isRegular = true
        }

        /// The number of keys from which a hash table is faster than a search.
        private static let manyKeys = 32

        init(capacity: Int) {
            entries.reserveCapacity(capacity + 8)
            // As deep as most documents are.
            open.reserveCapacity(4)
        }

        /// Returns the entries of a document that has been scanned, with one of kind ``Kind/absent`` after them.
        func finished() -> [Entry] {
            entries + CollectionOfOne(Entry(.absent, start: 0, length: 0, next: 0))
        }

        mutating func key(_ token: JSONToken, in scanner: JSONScanner) {
            let key = append(token.isPlain ? .string : .escapedString, token.range.lowerBound + 1, token.range.count - 2)
            let innermost = open.count - 1
            guard open[innermost].isRegular else { return }
            open[innermost].isRegular = token.isPlain && note(key, in: innermost, scanner)
        }

        mutating func scalar(_ token: JSONToken, in scanner: JSONScanner) {
            count()
            switch token.kind {
            case .string: append(token.isPlain ? .string : .escapedString, token.range.lowerBound + 1, token.range.count - 2)
            case .number: append(token.isPlain ? .integer : .decimal, token.range.lowerBound, token.range.count)
            case .bool: append(token.range.count == 4 ? .true : .false, token.range.lowerBound, token.range.count)
            case .null, .array, .object: append(.null, token.range.lowerBound, token.range.count)
            }
        }

        mutating func open(_ kind: JSONSpan.Kind, at offset: Int) {
            count()
            open.append(Open(place: entries.count))
            append(kind == .array ? .array : .object, offset, 0)
        }

        mutating func close(_ kind: JSONSpan.Kind, at offset: Int) {
            guard let closed = open.popLast() else { return }
            let start = Int(entries[closed.place].start)
            let isArray = kind == .array
            entries[closed.place] = Entry(
                isArray ? .array : closed.isRegular ? .object : .irregularObject, start: start, length: offset - start,
                next: entries.count, detail: isArray ? Int(closed.count) : closed.place + 1)
        }

        @discardableResult
        private mutating func append(_ kind: Kind, _ start: Int, _ length: Int) -> Entry {
            let entry = Entry(kind, start: start, length: length, next: entries.count + 1)
            entries.append(entry)
            return entry
        }

        /// Counts a value in the innermost container.
        private mutating func count() {
            if !open.isEmpty { open[open.count - 1].count += 1 }
        }

        /// Whether an object stays regular with this key.
        private mutating func note(_ key: Entry, in index: Int, _ scanner: JSONScanner) -> Bool {
            let start = Int(key.start)
            let length = Int(key.length)
            var first: UInt64 = 0
            for offset in stride(from: start, to: start + length, by: 8) {
                let count = min(8, start + length - offset)
                var word = scanner.word(at: offset) ?? (0..<count).reduce(0) { $0 | UInt64(scanner.byte(at: offset + $1)) << (8 * $1) }
                if count < 8 { word &= (1 << UInt64(8 * count)) - 1 }
                guard word & 0x8080_8080_8080_8080 == 0 else { return false }
                if offset == start { first = word }
            }
            let mixed = (first &+ UInt64(length)) &* 0x9E37_79B9_7F4A_7C15
            let bit = UInt64(1) << (mixed >> 58)
            let mayBeKnown = open[index].keys & bit != 0
            open[index].keys |= bit
            guard open[index].count < Self.manyKeys else { return false }
            return !mayBeKnown || !isKnown(key, in: open[index].place, scanner)
        }

        private func isKnown(_ key: Entry, in object: Int, _ scanner: JSONScanner) -> Bool {
            var place = object + 1
            // The key itself is the last entry.
            while place < entries.count - 1 {
                let other = entries[place]
                if other.length == key.length,
                    (0..<Int(key.length)).allSatisfy({ scanner.byte(at: Int(other.start) + $0) == scanner.byte(at: Int(key.start) + $0) })
                {
                    return true
                }
                place = Int(entries[Int(other.next)].next)
            }
            return false
        }
    }
}
