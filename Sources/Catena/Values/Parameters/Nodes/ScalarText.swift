import CatenaPlatform

extension ParameterStyle {
    /// Returns the text of a scalar. Returns `nil` for null, arrays and objects, whose form depends on the kind of body.
    func text(of node: ParameterNode) throws(ParameterError) -> String? {
        switch node {
        case .null, .array, .object: nil
        case .bool(let value):
            switch booleans {
            case .literal: value ? "true" : "false"
            case .numeric: value ? "1" : "0"
            }
        case .string(let value): value
        case .date(let value): try text(of: value)
        case .data(let value): try text(of: value)
        case .integer, .unsigned, .double, .decimal, .number: try numberText(of: node)
        }
    }

    /// Returns the text of a number, which a query and JSON share, or `nil` for other nodes.
    func numberText(of node: ParameterNode) throws(ParameterError) -> String? {
        switch node {
        case .integer(let value): return String(value)
        case .unsigned(let value): return String(value)
        case .double(let value): return try finite(value)
        case .decimal(let value):
            guard value.isFinite else { throw ParameterError("it is not a number (NaN)") }
            return value.description
        case .number(let text):
            guard isJSONNumber(text) else { throw ParameterError("'\(text.prefix(40))' is not the text of a number") }
            return text
        default: return nil
        }
    }

    func text(of date: Date) throws(ParameterError) -> String {
        switch dates {
        case .iso8601:
            guard let text = date.preciseText else { throw ParameterError("the date is outside the years 0001 to 9999") }
            return text
        case .seconds: return try finite(date.timeIntervalSince1970)
        case .milliseconds: return try finite((date.timeIntervalSince1970 * 1000).rounded())
        case .formatted(let closure): return try caught { () throws in try closure(date) }
        }
    }

    func text(of data: Data) throws(ParameterError) -> String {
        switch self.data {
        case .base64: return data.base64EncodedString()
        case .base64URL:
            let digits = data.base64EncodedString().utf8.compactMap { digit -> UInt8? in
                switch digit {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                case UInt8(ascii: "="): nil
                default: digit
                }
            }
            return String(decoding: digits, as: UTF8.self)
        case .formatted(let closure): return try caught { () throws in try closure(data) }
        }
    }

    private func finite(_ value: Double) throws(ParameterError) -> String {
        guard let text = value.shortestText else {
            throw ParameterError(value.isNaN ? "it is not a number (NaN)" : "it is infinite")
        }
        return text
    }

    private func caught(_ closure: () throws -> String) throws(ParameterError) -> String {
        do {
            return try closure()
        } catch {
            throw ParameterError("its formatter failed: \(error)", underlying: error)
        }
    }
}

extension Double {
    /// The shortest text that is read as the same number, without a fraction for whole numbers, and `0` for minus zero. `nil` for NaN and the
    /// infinities, which have no text in JSON or queries.
    var shortestText: String? {
        guard isFinite else { return nil }
        // Doubles represent every whole number up to 2^53 exactly, so its digits are the shortest exact text.
        if magnitude <= 0x1p53, self == rounded(.towardZero) { return String(Int64(self)) }
        return description
    }
}

/// Returns whether a text is exactly one number by RFC 8259 §6.
func isJSONNumber(_ text: String) -> Bool {
    // A JSON text that starts like a number is a number, and a digit at the end excludes white space.
    guard let first = text.utf8.first, first == UInt8(ascii: "-") || isDigit(first), let last = text.utf8.last, isDigit(last) else {
        return false
    }
    return (try? JSON(parsing: Array(text.utf8))) != nil
}

private func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
}

extension Date {
    /// The date as RFC 3339 text in UTC with its fraction, if it has one: in milliseconds, or in microseconds if that is not enough. `nil` outside the
    /// years 0001 to 9999.
    fileprivate var preciseText: String? {
        // A double has no more than microseconds in the present.
        let micros = (timeIntervalSince1970 * 1_000_000).rounded()
        let seconds = (micros / 1_000_000).rounded(.down)
        guard let text = Date(timeIntervalSince1970: seconds).iso8601Text else { return nil }
        var fraction = Int(micros - seconds * 1_000_000)
        guard fraction > 0 else { return text }
        var width = 6
        if fraction.isMultiple(of: 1000) { (fraction, width) = (fraction / 1000, 3) }
        let digits = String(fraction)
        return "\(text.dropLast()).\(String(repeating: "0", count: width - digits.count))\(digits)Z"
    }

    /// The date as RFC 3339 text in UTC, with whole seconds rounded down. `nil` for NaN and outside the years 0001 to 9999, which have four digits.
    package var iso8601Text: String? {
        let seconds = timeIntervalSince1970.rounded(.down)
        guard seconds >= -62_135_596_800, seconds < 253_402_300_800 else { return nil }
        let total = Int64(seconds)
        let secondOfDay = (total % 86_400 + 86_400) % 86_400
        let (year, month, day) = gregorianDate(dayNumber: (total - secondOfDay) / 86_400)
        var text: [UInt8] = []
        text.reserveCapacity(20)
        text.appendDigits(year, width: 4)
        text.append(UInt8(ascii: "-"))
        text.appendDigits(month, width: 2)
        text.append(UInt8(ascii: "-"))
        text.appendDigits(day, width: 2)
        text.append(UInt8(ascii: "T"))
        text.appendDigits(secondOfDay / 3600, width: 2)
        text.append(UInt8(ascii: ":"))
        text.appendDigits(secondOfDay / 60 % 60, width: 2)
        text.append(UInt8(ascii: ":"))
        text.appendDigits(secondOfDay % 60, width: 2)
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }
}

/// Returns the date of a day counted from 1970-01-01 in the proleptic Gregorian calendar of ISO 8601. Years begin in March here, so that the
/// leap day is the last of its year and months need no table.
private func gregorianDate(dayNumber: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let daysSinceMarchOfYearZero = dayNumber + 719_468
    let era = daysSinceMarchOfYearZero / 146_097
    let dayOfEra = daysSinceMarchOfYearZero % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
}

extension [UInt8] {
    fileprivate mutating func appendDigits(_ value: Int64, width: Int) {
        var divisor: Int64 = 1
        for _ in 1..<width { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
            divisor /= 10
        }
    }
}
