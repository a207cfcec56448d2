/// The members of an object, in order and with unique keys.
///
/// ```swift
/// for (key, value) in response.settings.object ?? [:] { print(key, value) }
/// ```
///
/// Descriptions and dumps show no secrets.
public struct JSONObject: Sendable {
    package struct Member: Sendable {
        package let key: String
        package let value: JSON
    }

    package let members: [Member]

    /// The slots of an open-addressing hash table, each with the index of a member plus one, or zero if empty. Small objects have no table.
    private let slots: [UInt32]

    /// The maximum number of members without a table. Comparing each key is as fast up to this number, and needs no memory.
    private static let comparedCount = 16

    /// Creates an object. Of duplicate keys, the first one is kept.
    init(_ candidates: [Member]) {
        if candidates.count <= Self.comparedCount {
            slots = []
            members = Self.firstOfEachKey(candidates)
            return
        }
        let (table, isUnique) = Self.table(of: candidates)
        if isUnique {
            slots = table
            members = candidates
            return
        }
        let places = Set(table)
        members = candidates.indices.filter { places.contains(UInt32($0 + 1)) }.map { candidates[$0] }
        slots = Self.table(of: members).slots
    }

    /// The value of a key, or `nil` if there is no such member.
    public subscript(key: String) -> JSON? {
        if slots.isEmpty {
            return members.first { $0.key.hasSameBytes(as: key) }?.value
        }
        let found = slots[Self.slot(of: key, in: slots, members)]
        return found == 0 ? nil : members[Int(found) - 1].value
    }

    private static func firstOfEachKey(_ candidates: [Member]) -> [Member] {
        guard (0..<candidates.count).contains(where: { repeatsKey(at: $0, in: candidates) }) else { return candidates }
        return candidates.indices.filter { !repeatsKey(at: $0, in: candidates) }.map { candidates[$0] }
    }

    private static func repeatsKey(at place: Int, in members: [Member]) -> Bool {
        for earlier in 0..<place where members[earlier].key.hasSameBytes(as: members[place].key) { return true }
        return false
    }

    private static func table(of members: [Member]) -> (slots: [UInt32], isUnique: Bool) {
        // At least twice as many slots as members, rounded up to a power of two, which keeps probe sequences short.
        var slots = [UInt32](repeating: 0, count: 1 << (Int.bitWidth - (members.count * 2 - 1).leadingZeroBitCount))
        var isUnique = true
        for place in members.indices {
            let slot = slot(of: members[place].key, in: slots, members)
            if slots[slot] == 0 {
                slots[slot] = UInt32(place + 1)
            } else {
                isUnique = false
            }
        }
        return (slots, isUnique)
    }

    /// Returns the slot that contains this key, or the empty slot where it belongs.
    private static func slot(of key: String, in slots: [UInt32], _ members: [Member]) -> Int {
        // `Hasher` is seeded per process, so that servers cannot choose colliding keys. Hash bytes, because keys are compared by bytes; `String`'s
        // own hash is equal for canonically equivalent strings.
        var hasher = Hasher()
        var key = key
        key.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        var slot = hasher.finalize() & (slots.count - 1)
        while slots[slot] != 0, !members[Int(slots[slot]) - 1].key.hasSameBytes(as: key) {
            slot = (slot + 1) & (slots.count - 1)
        }
        return slot
    }
}

extension JSON: Equatable {
    public static func == (left: JSON, right: JSON) -> Bool {
        // A loop, because recursion over deeply nested values could overflow a thread's stack.
        var pairs = [(left, right)]
        while let (one, other) = pairs.popLast() {
            switch (one.storage, other.storage) {
            case (.array(let one), .array(let other)):
                guard one.count == other.count else { return false }
                pairs.append(contentsOf: zip(one, other))
            case (.object(let one), .object(let other)):
                guard one.members.count == other.members.count else { return false }
                for member in one.members {
                    guard let value = other[member.key] else { return false }
                    pairs.append((member.value, value))
                }
            default:
                guard areEqualScalars(one.storage, other.storage) else { return false }
            }
        }
        return true
    }

    private static func areEqualScalars(_ one: Storage, _ other: Storage) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.string(let one), .string(let other)): one.hasSameBytes(as: other)
        case (.integer(let one), .integer(let other)): one == other
        case (.unsigned(let one), .unsigned(let other)): one == other
        case (.number(let one), .number(let other)): one == other || equal(JSONDecimal(one), JSONDecimal(other))
        case (.number(let text), .integer(let value)), (.integer(let value), .number(let text)):
            equal(JSONDecimal(text), JSONDecimal(String(value)))
        case (.number(let text), .unsigned(let value)), (.unsigned(let value), .number(let text)):
            equal(JSONDecimal(text), JSONDecimal(String(value)))
        default: false
        }
    }

    /// Compares two numbers. Numbers that cannot be parsed are unequal.
    private static func equal(_ one: JSONDecimal?, _ other: JSONDecimal?) -> Bool {
        guard let one, let other else { return false }
        return one == other
    }
}

extension String {
    /// Whether both strings have the same code points, because RFC 8259 §8.3 compares strings by code unit. Swift's `==` also equates composed and
    /// decomposed forms.
    func hasSameBytes(as other: String) -> Bool {
        // `==` comes first, because it is the fastest test for different strings.
        self == other && utf8.elementsEqual(other.utf8)
    }
}

extension JSONObject: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { members.count }

    /// The member at an index.
    public subscript(position: Int) -> (key: String, value: JSON) { (members[position].key, members[position].value) }

    /// The keys in order.
    public var keys: [String] { members.map(\.key) }

    /// The values in order.
    public var values: [JSON] { members.map(\.value) }

    /// The members as a dictionary, without their order. Of keys that are canonically equivalent, only the first one is kept. The dictionary's
    /// description includes secrets.
    public var dictionary: [String: JSON] { Dictionary(members.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first }) }
}

extension JSONObject: Equatable, ExpressibleByDictionaryLiteral {
    /// Two objects are equal if they have the same members, in any order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool { JSON(.object(left)) == JSON(.object(right)) }

    /// Creates an object with members in this order. Of duplicate keys, the first one is kept.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self.init(elements.map { Member(key: $0.0, value: $0.1) })
    }
}
