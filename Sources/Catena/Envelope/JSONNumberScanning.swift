extension JSONScanner {
    /// Reads a number (RFC 8259 §6); it is plain if it has neither fraction nor exponent.
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

    /// The value of a number token: an integer where one holds it exactly, else its text.
    func number(_ token: JSONToken) -> JSON.Storage {
        let isNegative = byte(at: token.range.lowerBound) == UInt8(ascii: "-")
        let digits = isNegative ? token.range.dropFirst() : token.range
        // -0 is no integer, since its sign would be lost.
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

    /// Reads `true`, `false` or `null`.
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
