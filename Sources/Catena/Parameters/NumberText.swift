extension Double {
    /// The shortest text that reads back as the same number; a whole number without a fraction, minus zero as `0`. `nil` for NaN and
    /// the infinities, which neither JSON nor any query has a text for.
    var shortestText: String? {
        guard isFinite else { return nil }
        // Up to 2^53 every whole number is exact, so that its digits say neither more nor less than the number.
        if magnitude <= 0x1p53, self == rounded(.towardZero) { return String(Int64(self)) }
        return description
    }
}

/// Whether a text is a number by RFC 8259 §6, and nothing else.
func isJSONNumber(_ text: String) -> Bool {
    // A JSON text that starts like a number is one, and the last digit leaves no room for white space.
    guard let first = text.utf8.first, first == UInt8(ascii: "-") || isDigit(first), let last = text.utf8.last, isDigit(last) else {
        return false
    }
    return (try? JSON(parsing: Array(text.utf8))) != nil
}

private func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
}
