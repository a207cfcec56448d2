import Foundation
import Testing

@testable import Catena

@Suite("Date text", .limitedParallelism)
struct DateTextTests {
    @Test(
        "a date becomes RFC 3339 text in UTC without its fraction",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (-0.5, "1969-12-31T23:59:59Z"), (978_307_323.956, "2001-01-01T00:02:03Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"), (951_868_800, "2000-03-01T00:00:00Z"), (4_107_456_000, "2100-02-28T00:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"), (-62_135_596_800, "0001-01-01T00:00:00Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
        ])
    func text(seconds: Double, expected: String) {
        #expect(Date(timeIntervalSince1970: seconds).iso8601Text == expected)
    }

    @Test(
        "a date whose year needs more than four digits has no text", arguments: [-62_135_596_801, 253_402_300_800, 1e300, -.infinity, .nan])
    func outside(seconds: Double) {
        #expect(Date(timeIntervalSince1970: seconds).iso8601Text == nil)
    }

    @Test("for dates since the calendar reform the text equals Foundation's")
    func agreement() {
        // With a step that is prime in days and seconds, the dates cover every month, leap days and all times of day.
        for seconds in stride(from: -12_219_292_800.0, to: 60_000_000_000, by: 7_919 * 1_009 + 1) {
            let date = Date(timeIntervalSince1970: seconds)
            #expect(date.iso8601Text == date.formatted(.iso8601))
        }
    }
}
