import CatenaPlatform

// Numbers as `JSONDecoder` accepts them: exact ones only, where `1.0` and `1e2` are whole numbers.
extension JSONTape {
    /// Returns an integer if the entry is a whole number that fits the type.
    @inline(__always)
    func integer<Value: FixedWidthInteger & Decodable>(_ entry: Entry, as type: Value.Type) -> Value? {
        guard entry.kind == .integer, entry.length <= 18 else { return longInteger(entry, as: type) }
        let bytes = bytes(entry)
        let isNegative = bytes[0] == UInt8(ascii: "-")
        var value: Int64 = 0
        for index in (isNegative ? 1 : 0)..<bytes.count { value = value &* 10 &+ Int64(bytes[index] &- UInt8(ascii: "0")) }
        return Value(exactly: isNegative ? 0 &- value : value)
    }

    // One copy for all types, because few numbers are so long. The parser of the standard library would be copied with it.
    @inline(never)
    @_semantics("optimize.sil.specialize.generic.never")
    private func longInteger<Value: FixedWidthInteger & Decodable>(_ entry: Entry, as type: Value.Type) -> Value? {
        switch entry.kind {
        case .integer: Int64(string(entry)).map { Value(exactly: $0) } ?? Value(string(entry))
        // Zero with an exponent, which `JSONDecoder` refuses.
        case .decimal where Self.isZero(string(entry)): 0
        // Use `JSONDecoder` for its rules of exactness; such numbers are rare.
        case .decimal: try? JSONDecoder().decode(type, from: Data(bytes(entry)))
        default: nil
        }
    }

    @inline(__always)
    func double(_ entry: Entry) -> Double? {
        guard entry.kind == .integer || entry.kind == .decimal else { return nil }
        if let decimal = DecimalDigits(bytes(entry)), let value = decimal.double { return value }
        return Self.exact(string(entry)) { Double($0) }
    }

    @inline(__always)
    func float(_ entry: Entry) -> Float? {
        guard entry.kind == .integer || entry.kind == .decimal else { return nil }
        if let decimal = DecimalDigits(bytes(entry)), let value = decimal.float { return value }
        return Self.exact(string(entry)) { Float($0) }
    }

    func decimal(_ entry: Entry) -> Decimal? {
        guard entry.kind == .integer || entry.kind == .decimal else { return nil }
        if let digits = DecimalDigits(bytes(entry)), let value = digits.decimal { return value }
        // `JSONDecoder` refuses zero with an exponent, so pass the mantissa only.
        let text = string(entry)
        let source = Self.isZero(text) ? Data(Self.mantissa(of: text)) : Data(bytes(entry))
        return try? JSONDecoder().decode(Decimal.self, from: source)
    }

    /// Converts a number, or returns `nil` if it is out of range or would be rounded to zero.
    static func exact<Value: BinaryFloatingPoint>(_ text: String, _ convert: (String) -> Value?) -> Value? {
        guard let value = convert(text), value.isFinite else { return nil }
        return value != 0 || isZero(text) ? value : nil
    }

    private static func isZero(_ number: String) -> Bool {
        !mantissa(of: number).contains { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }
    }

    private static func mantissa(of number: String) -> Substring.UTF8View {
        number.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }
    }
}
