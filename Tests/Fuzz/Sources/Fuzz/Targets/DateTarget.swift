import Foundation

@testable import Catena

/// Writes dates with arithmetic that is independent of the code under test.
enum FuzzDates {
    enum Form: CaseIterable {
        /// RFC 9110 §5.6.7, RFC 850, and the format of `asctime`.
        case fixed, short, clock
    }

    /// The years 1601 to 9999.
    static let written = -11_644_473_600.0..<253_402_300_800.0
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let longDays = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    static func text(of date: Date, _ form: Form) -> String {
        let seconds = Int(min(max(date.timeIntervalSince1970, written.lowerBound), written.upperBound - 1).rounded(.down))
        let (day, rest) =
            seconds >= 0 ? (seconds / 86_400, seconds % 86_400) : ((seconds + 1) / 86_400 - 1, (seconds + 1) % 86_400 + 86_399)
        var (year, left) = (1970, day)
        while left < 0 {
            year -= 1
            left += length(of: year)
        }
        while left >= length(of: year) {
            left -= length(of: year)
            year += 1
        }
        var month = 0
        while left >= length(of: month, year) {
            left -= length(of: month, year)
            month += 1
        }
        let weekday = (day % 7 + 7) % 7
        let clock = "\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60))"
        switch form {
        case .fixed: return "\(days[weekday]), \(two(left + 1)) \(months[month]) \(year) \(clock) GMT"
        case .short: return "\(longDays[weekday]), \(two(left + 1))-\(months[month])-\(two(year % 100)) \(clock) GMT"
        case .clock: return "\(days[weekday]) \(months[month]) \(left < 9 ? " " : "")\(left + 1) \(clock) \(year)"
        }
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private static func length(of year: Int) -> Int { isLeap(year) ? 366 : 365 }

    private static func length(of month: Int, _ year: Int) -> Int {
        [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month]
    }
}

extension FuzzTarget {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    /// Dates and times to wait. A parsed date is written and parsed again as the same time, and no wait is negative or endless.
    static let dates = FuzzTarget(
        "dates",
        seeds: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Thu, 29 Feb 2024 23:59:60 GMT",
            "Wed, 21 Oct 2026 07:28:00 GMT", "thu jan 1 00:00:00 1970", "120", "1.5", "\"default\";r=0;t=30", "limit=10, reset=30",
            "1800000060000",
            "2024-02-29T12:30:45.123+08:00", "20:15:00 1 march 70",
        ],
        stepsPerByte: 2000
    ) { input in
        let text = FuzzInput(input).text
        if let date = HeaderDate.parse(text, now: now) {
            expect((-62_167_219_200.0...253_402_300_800).contains(date.timeIntervalSince1970), "\(text) is \(date)")
            if FuzzDates.written.contains(date.timeIntervalSince1970) {
                for form in [FuzzDates.Form.fixed, .clock] {
                    expect(
                        HeaderDate.parse(FuzzDates.text(of: date, form), now: now) == date, "\(text) is \(FuzzDates.text(of: date, form))")
                }
            }
        }
        if let date = CookieDate.parse(text) {
            expect(CookieDate.parse(FuzzDates.text(of: date, .fixed)) == date, "\(text) is \(FuzzDates.text(of: date, .fixed))")
        }
        if let date = LenientDate.date(of: text) { expect(date.timeIntervalSince1970.isFinite, "\(text) is \(date)") }
        // The bytes also form a time, whatever they are.
        let seconds = input.prefix(5).reduce(0) { $0 << 8 | Int($1) } % 4_000_000_000
        let moment = Date(timeIntervalSince1970: Double(seconds))
        for form in FuzzDates.Form.allCases {
            let text = FuzzDates.text(of: moment, form)
            let read = HeaderDate.parse(text, now: moment)
            expect(read == moment, "\(text) is read as \(String(describing: read))")
        }
        expect(CookieDate.parse(FuzzDates.text(of: moment, .fixed)) == moment, "a cookie ends at \(moment)")
        for name in ["Retry-After", "RateLimit-Reset", "RateLimit", "X-RateLimit-Retry-After", "X-RateLimit-Reset", "Date"] {
            let headers: HTTPHeaders = [name: text, "Retry-After": name == "Date" ? "Sun, 06 Nov 2094 08:49:37 GMT" : nil]
            guard let wait = ServerWait.read(headers, status: 429, now: now) else { continue }
            expect(wait >= .zero && wait <= .seconds(1e15), "\(name): \(text) is a wait of \(wait)")
        }
    }
}
