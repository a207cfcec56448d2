/// Checks the objects of a binary property list and their references, without decoding anything.
struct BinaryPropertyList {
    typealias Refusal = PropertyListCheck.Refusal

    /// The size of an object with everything that it references.
    private struct Weight {
        var objects = 1
        var bytes: Int
    }

    private enum State {
        case unseen
        /// The references of the object are being followed.
        case open
        case weighed(Weight)
    }

    private let bytes: UnsafeRawBufferPointer
    private let offsetSize: Int
    private let referenceSize: Int
    private let top: Int
    /// The start of the offset table, which is the end of the objects.
    private let table: Int
    private var states: [State]

    /// Reads the trailer, which is the last 32 bytes.
    init(_ bytes: UnsafeRawBufferPointer) throws(Refusal) {
        guard bytes.count >= 8 + 32 else { throw Self.malformed }
        let trailer = bytes.count - 32
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        self.bytes = bytes
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = Self.number(bytes, at: trailer + 8, size: 8), let top = Self.number(bytes, at: trailer + 16, size: 8),
            let table = Self.number(bytes, at: trailer + 24, size: 8),
            table >= 8, table < trailer, top < count, count <= (trailer - table) / offsetSize
        else { throw Self.malformed }
        self.top = top
        self.table = table
        states = Array(repeating: .unseen, count: count)
    }

    /// Follows every reference once.
    mutating func check() throws(Refusal) {
        _ = try weigh(top, depth: 0)
    }

    private static var malformed: Refusal { Refusal(reason: "is malformed") }

    private mutating func weigh(_ object: Int, depth: Int) throws(Refusal) -> Weight {
        switch states[object] {
        case .weighed(let weight): return weight
        case .open: throw Refusal(reason: "contains itself")
        case .unseen: break
        }
        guard let start = Self.number(bytes, at: table + object * offsetSize, size: offsetSize), start >= 8, start < table else {
            throw Self.malformed
        }
        let (references, content) = try parts(of: start)
        var weight = Weight(bytes: content)
        if let references {
            guard depth < PropertyListCheck.depthLimit else {
                throw Refusal(reason: "is nested more than \(PropertyListCheck.depthLimit) deep")
            }
            states[object] = .open
            for position in stride(from: references.lowerBound, to: references.upperBound, by: referenceSize) {
                guard let reference = Self.number(bytes, at: position, size: referenceSize), reference < states.count else {
                    throw Self.malformed
                }
                let part = try weigh(reference, depth: depth + 1)
                weight.objects += part.objects
                weight.bytes += part.bytes
                try check(weight)
            }
        }
        states[object] = .weighed(weight)
        return weight
    }

    private func check(_ weight: Weight) throws(Refusal) {
        guard weight.objects <= max(PropertyListCheck.objectAllowance, bytes.count) else {
            throw Refusal(reason: "unfolds to too many objects for its length")
        }
        guard weight.bytes <= max(PropertyListCheck.contentAllowance, bytes.count * PropertyListCheck.expansion) else {
            throw Refusal(reason: "unfolds to too many bytes for its length")
        }
    }

    /// Returns the position of a container's references, and the number of an object's own bytes.
    private func parts(of start: Int) throws(Refusal) -> (references: Range<Int>?, content: Int) {
        let (kind, low) = (bytes[start] >> 4, Int(bytes[start] & 0x0F))
        switch kind {
        case 0x0: return (nil, try content(low == 0 || low == 8 || low == 9 || low == 15 ? 0 : nil, at: start + 1))
        // Integers of 1 to 16 bytes, real numbers of 4 and 8, dates of 8, and the numbers of keyed archives.
        case 0x1: return (nil, try content(low <= 4 ? 1 << low : nil, at: start + 1))
        case 0x2: return (nil, try content(low == 2 || low == 3 ? 1 << low : nil, at: start + 1))
        case 0x3: return (nil, try content(low == 3 ? 8 : nil, at: start + 1))
        case 0x8: return (nil, try content(low + 1, at: start + 1))
        default: break
        }
        let (count, position) = try self.count(low, at: start + 1)
        switch kind {
        // Data, ASCII, UTF-16, UTF-8.
        case 0x4, 0x5, 0x7: return (nil, try content(count, at: position))
        case 0x6: return (nil, try content(count <= bytes.count ? count * 2 : nil, at: position))
        // Arrays and sets; dictionaries, with keys and values.
        case 0xA, 0xB, 0xC, 0xD:
            guard count <= bytes.count else { throw Self.malformed }
            let length = try content(count * referenceSize * (kind == 0xD ? 2 : 1), at: position)
            return (position..<position + length, length)
        default: throw Self.malformed
        }
    }

    private func content(_ length: Int?, at position: Int) throws(Refusal) -> Int {
        guard let length, length <= table - position else { throw Self.malformed }
        return length
    }

    /// Reads a count, which is in the marker or in an integer after it.
    private func count(_ low: Int, at position: Int) throws(Refusal) -> (count: Int, position: Int) {
        guard low == 0x0F else { return (low, position) }
        guard position < table, bytes[position] >> 4 == 0x1, bytes[position] & 0x0F <= 3 else { throw Self.malformed }
        let size = 1 << Int(bytes[position] & 0x0F)
        guard size <= table - position - 1, let count = Self.number(bytes, at: position + 1, size: size) else { throw Self.malformed }
        return (count, position + 1 + size)
    }

    /// Returns a big-endian number, or `nil` if it is too large for an offset or lies outside the list.
    static func number<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes, at position: Int, size: Int) -> Int? where Bytes.Index == Int {
        guard position >= 0, size > 0, size <= bytes.count - position else { return nil }
        // Not `Int`, which has 32 bits on some watches.
        var number: UInt64 = 0
        for byte in bytes[position..<position + size] {
            guard number < 1 << 48 else { return nil }
            number = number << 8 | UInt64(byte)
        }
        return Int(exactly: number)
    }
}
