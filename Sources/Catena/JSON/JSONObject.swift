/// The members of an object in their order, each key once.
///
/// ```swift
/// for (key, value) in response.settings.object ?? [:] { print(key, value) }
/// ```
///
/// Printed and dumped it shows no secrets.
public struct JSONObject: Sendable {
    struct Member: Sendable {
        let key: String
        let value: JSON
    }

    let members: [Member]

    /// Slots of an open-addressing hash table, each the place of a member plus one, or zero. Empty for a small object.
    private let slots: [UInt32]

    /// Up to this many members, comparing each key is as fast as a table and takes no memory.
    private static let comparedCount = 16

    /// Keeps the first of several members that have the same key.
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
        // Twice the members, up to the next power of two, keeps the runs short.
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

    /// The slot that holds this key, or the empty one where it belongs.
    private static func slot(of key: String, in slots: [UInt32], _ members: [Member]) -> Int {
        // Seeded for each process, so that no server can choose keys that collide. It hashes bytes, as keys are compared by
        // bytes: `String`'s own hash is the same for all forms that are canonically equivalent.
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
        // A loop, since calls that nest as deep as the values can outgrow the stack of a thread.
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

    /// Two numbers that cannot be read are not known to be equal.
    private static func equal(_ one: JSONDecimal?, _ other: JSONDecimal?) -> Bool {
        guard let one, let other else { return false }
        return one == other
    }
}

extension String {
    /// Whether the code points are the same. RFC 8259 §8.3 compares strings by code unit, where Swift's `==` also takes
    /// composed and decomposed forms for equal.
    func hasSameBytes(as other: String) -> Bool {
        // `==` first: it tells different strings apart fastest.
        self == other && utf8.elementsEqual(other.utf8)
    }
}

extension JSONObject: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { members.count }

    /// The member at a place.
    public subscript(position: Int) -> (key: String, value: JSON) { (members[position].key, members[position].value) }

    /// The keys in their order.
    public var keys: [String] { members.map(\.key) }

    /// The values in their order.
    public var values: [JSON] { members.map(\.value) }

    /// The members as a dictionary, which has no order. Of keys that look alike and have other code points it can hold one only, the first. Printed it
    /// shows everything.
    public var dictionary: [String: JSON] { Dictionary(members.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first }) }
}

extension JSONObject: Equatable, ExpressibleByDictionaryLiteral {
    /// Two objects are equal if they have the same members, in any order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool { JSON(.object(left)) == JSON(.object(right)) }

    /// Makes an object from members in their order; of a key that comes twice, the first stays.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self.init(elements.map { Member(key: $0.0, value: $0.1) })
    }
}
