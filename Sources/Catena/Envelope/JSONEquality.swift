extension JSON: Equatable {
    public static func == (left: JSON, right: JSON) -> Bool {
        switch (left.storage, right.storage) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.string(let one), .string(let other)): one.hasSameBytes(as: other)
        case (.array(let one), .array(let other)): one == other
        case (.object(let one), .object(let other)): one == other
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
