public import Foundation

extension JSONDecoder.DateDecodingStrategy {
    /// Decodes dates in the formats that backends commonly use.
    ///
    /// Accepts RFC 3339 strings with a `T` or a space. The time, the fraction and the zone are optional; the default zone is UTC. Accepts numbers,
    /// also as strings: seconds since 1970, or milliseconds from 10¹¹ on.
    ///
    /// ```swift
    /// forum.decoder = JSONDecoder()
    /// forum.decoder?.dateDecodingStrategy = .lenient()
    /// ```
    ///
    /// - Parameter empty: The date for an empty string, or `nil` to throw an error.
    public static func lenient(empty: Date? = nil) -> Self {
        .custom { decoder in
            let container = try decoder.singleValueContainer()
            let found: String
            if let number = try? container.decode(Double.self) {
                if let date = LenientDate.date(of: number) { return date }
                found = "the number \(number)"
            } else {
                let text = try container.decode(String.self)
                if text.isEmpty, let empty { return empty }
                if let date = LenientDate.date(of: text) { return date }
                found = "the string \"\(text.prefix(40))\""
            }
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "wanted a date as in RFC 3339 or as seconds or milliseconds since 1970, but it is \(found)")
        }
    }
}

/// Parses dates in the formats that backends commonly use.
enum LenientDate {
    /// The threshold for milliseconds: in seconds the year 5138, in milliseconds 1973.
    private static let firstMillisecond = 100_000_000_000.0
    /// The accepted range of numeric dates, the years 0001 to 9999.
    private static let range = -62_135_596_800.0..<253_402_300_800.0

    static func date(of number: Double) -> Date? {
        let seconds = abs(number) >= firstMillisecond ? number / 1000 : number
        return range.contains(seconds) ? Date(timeIntervalSince1970: seconds) : nil
    }

    static func date(of text: String) -> Date? {
        var reader = DigitReader(text: text.utf8[...])
        if let date = reader.date(), reader.text.isEmpty { return date }
        return Double(text).flatMap(date(of:))
    }
}

private struct DigitReader {
    var text: Substring.UTF8View

    mutating func date() -> Date? {
        guard let year = digits(4), takes("-"), let month = digits(2), (1...12).contains(month), takes("-"), let day = digits(2),
            (1...Self.length(of: month, year)).contains(day)
        else { return nil }
        var seconds = Double(Self.dayNumber(year, month, day) * 86_400)
        guard !text.isEmpty else { return Date(timeIntervalSince1970: seconds) }
        guard takes("T") || takes("t") || takes(" "), let hour = digits(2), hour < 24, takes(":"), let minute = digits(2), minute < 60
        else {
            return nil
        }
        seconds += Double(hour * 3600 + minute * 60)
        if takes(":") {
            // 60 is a leap second (RFC 3339 §5.6).
            guard let second = digits(2), second <= 60 else { return nil }
            seconds += Double(second)
            if takes(".") || takes(",") {
                guard let fraction = fraction() else { return nil }
                seconds += fraction
            }
        }
        guard let offset = offset() else { return nil }
        return Date(timeIntervalSince1970: seconds - Double(offset))
    }

    /// Parses the zone's offset from UTC, in seconds.
    private mutating func offset() -> Int? {
        if text.isEmpty || takes("Z") || takes("z") { return 0 }
        let sign = takes("+") ? 1 : takes("-") ? -1 : 0
        guard sign != 0, let hours = digits(2), hours < 24 else { return nil }
        guard takes(":") || !text.isEmpty else { return sign * hours * 3600 }
        guard let minutes = digits(2), minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }

    private mutating func takes(_ character: Unicode.Scalar) -> Bool {
        guard text.first == UInt8(ascii: character) else { return false }
        text = text.dropFirst()
        return true
    }

    private mutating func digits(_ count: Int) -> Int? {
        let digits = text.prefix(count)
        guard digits.count == count, digits.allSatisfy(Self.isDigit) else { return nil }
        text = text.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private mutating func fraction() -> Double? {
        let digits = text.prefix(while: Self.isDigit)
        guard !digits.isEmpty else { return nil }
        text = text.dropFirst(digits.count)
        return Double("0." + String(decoding: digits, as: UTF8.self))
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func length(of month: Int, _ year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the days since 1970-01-01. Counts years from March, so that the leap day is the last day of its year.
    private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let leapDays = year / 4 - year / 100 + year / 400
        return year * 365 + leapDays + (monthFromMarch * 153 + 2) / 5 + day - 1 - 719_468
    }
}
