// Reads codes as `integerValue` of `NSNumber` and `NSString` does, for apps that migrate from xAPI.
extension EnvelopeDocument {
    /// Returns a value as an integer, or `nil` for null, arrays and objects.
    func integerValue(at span: JSONSpan) -> ErrorCode? {
        switch span.kind {
        case .null, .array, .object: nil
        case .bool: .integer(isTrue(span) ? 1 : 0)
        case .number: .integer(Self.truncated(text(at: span)))
        case .string: .integer(Self.integer(atStartOf: text(at: span)))
        }
    }

    private static func truncated(_ number: String) -> Int {
        if let value = Int(number) { return value }
        guard let value = Double(number) else { return 0 }
        return Int(exactly: value.rounded(.towardZero)) ?? (value < 0 ? .min : .max)
    }

    /// Returns the integer at the start of a text, after white space, or 0 if there is none. Values out of range are clamped.
    private static func integer(atStartOf text: String) -> Int {
        var rest = text.unicodeScalars.drop { $0.properties.isWhitespace }
        let isNegative = rest.first == "-"
        if isNegative || rest.first == "+" { rest = rest.dropFirst() }
        var value = 0
        for scalar in rest {
            guard ("0"..."9").contains(scalar) else { break }
            let (product, overflows) = value.multipliedReportingOverflow(by: 10)
            let digit = Int(scalar.value) - 48
            let (sum, isTooLarge) = isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            if overflows || isTooLarge { return isNegative ? .min : .max }
            value = sum
        }
        return value
    }
}
