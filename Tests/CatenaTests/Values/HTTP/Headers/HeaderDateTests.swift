import Foundation
import Testing

@testable import Catena

@Suite("Dates of header fields", .limitedParallelism)
struct HeaderDateTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)  // 2027

    @Test(
        "dates in all three forms of RFC 9110 are read",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("sun, 06 nov 1994 08:49:37 gmt", 784_111_777), ("SUNDAY, 06-NOV-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Sun Nov 16 08:49:37 1994", 784_975_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
            ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200), ("Sat, 30 Jun 2012 23:59:60 GMT", 1_341_100_800),
            // A year of two digits is at most fifty years ahead.
            ("Friday, 01-Jan-27 00:00:00 GMT", 1_798_761_600), ("Wednesday, 01-Jan-76 00:00:00 GMT", 3_345_062_400),
            ("Sunday, 01-Jan-78 00:00:00 GMT", 252_460_800),
        ])
    func forms(text: String, expected: Int) {
        #expect(HeaderDate.parse(text, now: Self.now) == Date(timeIntervalSince1970: Double(expected)))
    }

    @Test("malformed dates are refused")
    static func noDatesRows() {
        each(
            [
                "", "0", "-1", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 32 Nov 1994 08:49:37 GMT",
                "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
                "Sun, 06 Nov 1994 8:49:+7 GMT",
                "Sun, 29 Feb 2001 08:49:37 GMT", "Sun, 29 Feb 1900 08:49:37 GMT", "Foo, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z",
                "Sun, 06 Nov +199 08:49:37 GMT",
                "Sun, 06 Nov 1994 08:49:61 GMT", "Sun Nov 6 08:49:37 94", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08::37 GMT",
            ] as [String]
        ) { Self().noDates(text: $0) }
    }

    func noDates(text: String) {
        #expect(HeaderDate.parse(text, now: Self.now) == nil)
    }

    @Test("dates are read with any time of the machine", arguments: [-1e300, -1e12, 0, 1e12, 1e300])
    func strangeClocks(seconds: Double) {
        #expect(HeaderDate.parse("Sunday, 06-Nov-94 08:49:37 GMT", now: Date(timeIntervalSince1970: seconds)) != nil)
    }
}
