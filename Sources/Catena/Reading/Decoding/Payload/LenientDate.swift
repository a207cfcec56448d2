public import CatenaPlatform

extension JSONDecoder.DateDecodingStrategy {
    /// Decodes dates in the formats that backends commonly use.
    ///
    /// Accepts RFC 3339 strings with a `T` or a space. The time, the fraction and the zone are optional. Accepts numbers, also as strings: seconds or
    /// milliseconds since 1970, and compact dates of 8 or 14 digits such as `20221115` and `20221115021727`. A time stamp outside the years 2000 to
    /// 2100 is an error, because it may have another unit; use `.secondsSince1970` or `.millisecondsSince1970` for it.
    ///
    /// ```swift
    /// forum.decoder = JSONDecoder()
    /// forum.decoder?.dateDecodingStrategy = .lenient()
    /// ```
    ///
    /// - Parameters:
    ///   - empty: The date for an empty string, or `nil` to throw an error.
    ///   - timeZone: The time zone of dates that name none. By default UTC.
    public static func lenient(empty: Date? = nil, timeZone: TimeZone? = nil) -> Self {
        .custom { decoder in
            let container = try decoder.singleValueContainer()
            let found: String
            if let number = try? container.decode(Double.self) {
                if let date = LenientDate.date(of: number, in: timeZone) { return date }
                found = "the number \(number)"
            } else {
                let text = try container.decode(String.self)
                if text.isEmpty, let empty { return empty }
                if let date = LenientDate.date(of: text, in: timeZone) { return date }
                found = "the string \"\(text.prefix(40))\""
            }
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription:
                    "wanted a date as in RFC 3339, a compact date, or a time stamp in seconds or milliseconds between 2000 and 2100, but it is \(found)"
            )
        }
    }
}

/// Parses dates in the formats that backends commonly use.
enum LenientDate {
    /// The years 2000 to 2100 in seconds since 1970. In milliseconds and as compact dates, numbers of these years have other lengths.
    private static let timeStamps = 946_684_800.0..<4_133_980_800.0

    /// Reads a number, which is a time stamp or a compact date.
    static func date(of number: Double, in zone: TimeZone? = nil) -> Date? {
        if timeStamps.contains(number) { return Date(timeIntervalSince1970: number) }
        if timeStamps.contains(number / 1000) { return Date(timeIntervalSince1970: number / 1000) }
        guard number >= 0, number < 1e14, number == number.rounded() else { return nil }
        return compactDate(of: String(Int64(number)), in: zone)
    }

    static func date(of text: String, in zone: TimeZone? = nil) -> Date? {
        var reader = DigitReader(text: text.utf8[...], zone: zone)
        if let date = reader.date(), reader.text.isEmpty { return date }
        return compactDate(of: text, in: zone) ?? Double(text).flatMap { date(of: $0, in: zone) }
    }

    /// Reads a date of 8 digits, or of 14 with its time.
    private static func compactDate(of text: String, in zone: TimeZone?) -> Date? {
        guard text.utf8.count == 8 || text.utf8.count == 14 else { return nil }
        var reader = DigitReader(text: text.utf8[...], zone: zone)
        guard let date = reader.compactDate(), reader.text.isEmpty else { return nil }
        return date
    }
}

private struct DigitReader {
    var text: Substring.UTF8View
    /// The time zone of a date that names none, or `nil` for UTC.
    let zone: TimeZone?

    mutating func compactDate() -> Date? {
        guard let year = digits(4), let month = digits(2), let day = digits(2), (1...12).contains(month),
            (1...HeaderDate.length(ofMonth: month, year: year)).contains(day)
        else { return nil }
        let start = HeaderDate.dayNumber(year: year, month: month, day: day) * 86_400
        guard !text.isEmpty else { return moment(Double(start)) }
        guard let hour = digits(2), hour < 24, let minute = digits(2), minute < 60, let second = digits(2), second <= 60 else { return nil }
        return moment(Double(start + hour * 3600 + minute * 60 + second))
    }

    /// Returns the moment at which clocks in the zone show a time, given as seconds since 1970.
    private func moment(_ local: Double) -> Date {
        guard let zone else { return Date(timeIntervalSince1970: local) }
        let guess = Date(timeIntervalSince1970: local - Double(zone.secondsFromGMT(for: Date(timeIntervalSince1970: local))))
        // The offset may change between the guess and the moment.
        return Date(timeIntervalSince1970: local - Double(zone.secondsFromGMT(for: guess)))
    }

    mutating func date() -> Date? {
        guard let year = digits(4), takes("-"), let month = digits(2), (1...12).contains(month), takes("-"), let day = digits(2),
            (1...HeaderDate.length(ofMonth: month, year: year)).contains(day)
        else { return nil }
        var seconds = Double(HeaderDate.dayNumber(year: year, month: month, day: day) * 86_400)
        guard !text.isEmpty else { return moment(seconds) }
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
        if text.isEmpty { return moment(seconds) }
        guard let offset = offset() else { return nil }
        return Date(timeIntervalSince1970: seconds - Double(offset))
    }

    /// Parses the zone's offset from UTC, in seconds.
    private mutating func offset() -> Int? {
        if takes("Z") || takes("z") { return 0 }
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
}
