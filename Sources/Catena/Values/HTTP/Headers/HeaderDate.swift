import CatenaPlatform

/// Parses the dates of header fields (RFC 9110 §5.6.7), in all three forms that a recipient must accept.
enum HeaderDate {
    /// - Parameter now: The current date, which determines the century of a year with two digits.
    static func parse(_ text: String, now: Date) -> Date? {
        let words = text.split(whereSeparator: { $0 == " " || $0 == "-" || $0 == "," }).map(String.init)
        switch words.count {
        // Sun, 06 Nov 1994 08:49:37 GMT
        case 6 where words[3].utf8.count == 4 && words[5].lowercased() == "gmt":
            return date(weekday: words[0], day: words[1], month: words[2], year: number(words[3]), time: words[4])
        // Sunday, 06-Nov-94 08:49:37 GMT
        case 6 where words[3].utf8.count == 2 && words[5].lowercased() == "gmt":
            guard let short = number(words[3]) else { return nil }
            let date = { year in Self.date(weekday: words[0], day: words[1], month: words[2], year: year, time: words[4]) }
            let century = year(of: now) / 100 * 100
            guard let candidate = date(century + short) else { return nil }
            // A date more than fifty years ahead is in the last century.
            return candidate > now.addingTimeInterval(50 * 365.2425 * 86_400) ? date(century + short - 100) : candidate
        // Sun Nov  6 08:49:37 1994
        case 5 where words[4].utf8.count == 4:
            return date(weekday: words[0], day: words[2], month: words[1], year: number(words[4]), time: words[3])
        default:
            return nil
        }
    }

    /// Parses a date that exactly matches one of the three forms, in any case. An expiry must not be guessed (RFC 9111 §5.3).
    static func parseStrictly(_ text: String, now: Date) -> Date? {
        let form = String(
            decoding: text.utf8.map { byte in
                switch byte {
                case 0x30...0x39: UInt8(ascii: "0")
                case 0x41...0x5A, 0x61...0x7A: UInt8(ascii: "a")
                default: byte
                }
            }, as: UTF8.self)
        let weekday = String(form.prefix { $0 == "a" })
        let forms = [
            "aaa, 00 aaa 0000 00:00:00 aaa", "aaa aaa 00 00:00:00 0000", "aaa aaa  0 00:00:00 0000", weekday + ", 00-aaa-00 00:00:00 aaa",
        ]
        return forms.contains(form) ? parse(text, now: now) : nil
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    private static let weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    private static let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

    /// Returns the number of days of a month.
    static func length(ofMonth month: Int, year: Int) -> Int {
        let isLeapYear = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        guard month != 2 || !isLeapYear else { return 29 }
        return lengths.indices.contains(month - 1) ? lengths[month - 1] : 0
    }

    private static func date(weekday: String, day: String, month: String, year: Int?, time: String) -> Date? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { number(String($0)) }
        // Case matters in sent dates (RFC 9110 §5.6.7), but is ignored in received ones.
        guard weekdays.contains(weekday.prefix(3).lowercased()), let year, let day = number(day),
            let month = months.firstIndex(of: month.lowercased()), day >= 1, day <= length(ofMonth: month + 1, year: year),
            clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
            // 60 is a leap second.
            hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = dayNumber(year: year, month: month + 1, day: day)
        return Date(timeIntervalSince1970: Double(days * 86_400 + hour * 3600 + minute * 60 + second))
    }

    /// Returns the year of a date, accurate to a day, which is enough to determine the century.
    private static func year(of date: Date) -> Int {
        let years = date.timeIntervalSince1970 / (365.2425 * 86_400)
        return 1970 + Int(min(max(years, -1970), 8000).rounded(.down))
    }

    /// Returns a number of up to four digits. `Int` would also accept a sign.
    private static func number(_ text: String) -> Int? {
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }

    /// Returns the number of days since 1970-01-01. Years start in March, so that the leap day is the last day of its year.
    static func dayNumber(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
