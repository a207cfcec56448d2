import Foundation

extension Date {
    /// The point in time as RFC 3339 text in UTC, its fraction of a second cut off; `nil` outside the years 0001 to 9999, which have
    /// four digits, and for a date that is not a number.
    var iso8601Text: String? {
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

/// The date of a day counted from 1970-01-01, in the calendar that ISO 8601 prescribes for all years. Years are counted from March
/// here, so that the leap day is the last of its year and months need no table.
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
