/// Reads dates as HTTP writes them: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7). Pure.
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Seconds since 1970; `nil` if it is no such date.
    static func seconds(_ text: String) -> Int64? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(where: { $0 == parts[2] }),
            let day = number(parts[1], in: 1...31), let year = number(parts[3], in: 1...9999)
        else { return nil }
        let clock = parts[4].split(separator: ":")
        guard clock.count == 3, let hour = number(clock[0], in: 0...23), let minute = number(clock[1], in: 0...59),
            let second = number(clock[2], in: 0...60)
        else { return nil }
        return ((days(year, month + 1, day) * 24 + hour) * 60 + minute) * 60 + second
    }

    private static func number(_ text: Substring, in range: ClosedRange<Int64>) -> Int64? {
        Int64(text).flatMap { range.contains($0) ? $0 : nil }
    }

    /// Days since 1970 in the Gregorian calendar, counted in years that begin in March, so that the leap day comes last.
    private static func days(_ year: Int64, _ month: Int, _ day: Int64) -> Int64 {
        let year = month > 2 ? year : year - 1
        let dayOfYear = Int64((153 * ((month + 9) % 12) + 2) / 5) + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }
}
