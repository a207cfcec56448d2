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
