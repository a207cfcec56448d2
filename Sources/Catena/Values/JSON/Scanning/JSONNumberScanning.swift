extension JSONScanner {
    /// Scans a number (RFC 8259 §6). The token is plain if the number has neither fraction nor exponent.
    mutating func number() throws(JSONFault) -> JSONToken {
        let start = position
        _ = skip("-")
        if skip("0") {
            if isDigit(position) { throw JSONFault(reason: .leadingZero, offset: position - 1) }
        } else {
            try skipDigits()
        }
        var isPlain = true
        if skip(".") {
            isPlain = false
            try skipDigits()
        }
        if skip("e") || skip("E") {
            isPlain = false
            if !skip("+") { _ = skip("-") }
            try skipDigits()
        }
        return JSONToken(kind: .number, range: start..<position, isPlain: isPlain)
    }

    /// Returns the value of a number token: an integer if it is exact, otherwise the text.
    func number(_ token: JSONToken) -> JSON.Storage {
        let isNegative = byte(at: token.range.lowerBound) == UInt8(ascii: "-")
        let digits = isNegative ? token.range.dropFirst() : token.range
        // Keep -0 as text, because an integer would lose its sign.
        guard token.isPlain, !isNegative || byte(at: digits.lowerBound) != UInt8(ascii: "0") else { return .number(text(token.range)) }
        var magnitude: UInt64 = 0
        for offset in digits {
            let (tens, overflow) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tens.addingReportingOverflow(UInt64(byte(at: offset) &- UInt8(ascii: "0")))
            if overflow || carry { return .number(text(token.range)) }
            magnitude = sum
        }
        if let value = Int64(exactly: magnitude) { return .integer(isNegative ? -value : value) }
        if isNegative { return magnitude == Int64.min.magnitude ? .integer(.min) : .number(text(token.range)) }
        return .unsigned(magnitude)
    }

    /// Scans `true`, `false` or `null`.
    mutating func literal(_ text: String, _ kind: JSONSpan.Kind) throws(JSONFault) -> JSONToken {
        var offset = position
        for expected in text.utf8 {
            guard byte(at: offset) == expected else { throw fault(.value) }
            offset += 1
        }
        defer { position = offset }
        return JSONToken(kind: kind, range: position..<offset, isPlain: true)
    }

    private mutating func skipDigits() throws(JSONFault) {
        guard isDigit(position) else { throw fault(.digit) }
        repeat { position += 1 } while isDigit(position)
    }

    @inline(__always)
    private func isDigit(_ offset: Int) -> Bool {
        byte(at: offset) &- UInt8(ascii: "0") < 10
    }
}

/// The exact value of a number, for comparisons and conversions to integers: `digits` × 10^`exponent`.
struct JSONDecimal: Equatable {
    /// Whether the value is negative; `false` for zero.
    private var isNegative = false
    /// The digits without leading and trailing zeros, so that equal values have equal digits; empty for zero.
    private var digits: [UInt8] = []
    private var exponent = 0

    /// Parses a number in the form of RFC 8259 §6. Returns nil for other text, or if the exponent is out of range.
    init?(_ text: String) {
        var written: Int? = 0
        var fraction = 0
        var isFraction = false
        var bytes = text.utf8.makeIterator()
        reading: while let byte = bytes.next() {
            switch byte {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if isFraction { fraction += 1 }
                if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte - UInt8(ascii: "0")) }
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                written = Self.exponent(&bytes)
                break reading
            default: return nil
            }
        }
        while digits.last == 0 {
            digits.removeLast()
            fraction -= 1
        }
        guard !digits.isEmpty else {
            isNegative = false
            return
        }
        guard let (exponent, overflow) = written?.subtractingReportingOverflow(fraction), !overflow else { return nil }
        self.exponent = exponent
    }

    /// The value, if it is a whole number that fits.
    var integer: Int64? {
        // 10^19 exceeds the range of `Int64`, so larger exponents need not be distinguished.
        guard exponent >= 0, digits.count + min(exponent, 20) <= 19 else { return nil }
        var magnitude: UInt64 = 0
        for digit in digits { magnitude = magnitude * 10 + UInt64(digit) }
        for _ in 0..<exponent { magnitude *= 10 }
        if isNegative { return magnitude <= Int64.min.magnitude ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil }
        return Int64(exactly: magnitude)
    }

    private static func exponent(_ bytes: inout String.UTF8View.Iterator) -> Int? {
        var text = ""
        while let byte = bytes.next() { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        return Int(text)
    }
}
