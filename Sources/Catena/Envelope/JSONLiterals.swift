extension JSON: ExpressibleByNilLiteral {
    public init(nilLiteral: ()) {
        self.init(.null)
    }
}

extension JSON: ExpressibleByBooleanLiteral {
    public init(booleanLiteral value: Bool) {
        self.init(.bool(value))
    }
}

extension JSON: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int) {
        self.init(.integer(Int64(value)))
    }
}

extension JSON: ExpressibleByFloatLiteral {
    /// NaN and the infinities, which no literal spells, have no form in JSON (RFC 8259 §6) and become null.
    public init(floatLiteral value: Double) {
        self.init(value.isFinite ? .number(value.description) : .null)
    }
}

extension JSON: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) {
        self.init(.string(value))
    }
}

extension JSON: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: JSON...) {
        self.init(array: elements)
    }
}

extension JSON: ExpressibleByDictionaryLiteral {
    /// Makes an object that keeps the literal's order. Of a key that comes twice, the first stays.
    public init(dictionaryLiteral members: (String, JSON)...) {
        self.init(members: members.map { JSONObject.Member(key: $0.0, value: $0.1) })
    }
}
