import Foundation
import Testing

@testable import Catena

@Suite(.limitedParallelism) struct LenientDateTests {
    private func decode(_ json: String, empty: Date? = nil) throws -> Double {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .lenient(empty: empty)
        return try decoder.decode([Date].self, from: Data("[\(json)]".utf8))[0].timeIntervalSince1970
    }

    @Test("dates are read in the forms in which backends write them")
    static func formsRows() {
        each(
            [
                (#""2024-02-29T12:30:45Z""#, 1_709_209_845.0), (#""2024-02-29T12:30:45.25Z""#, 1_709_209_845.25),
                (#""2024-02-29t12:30:45z""#, 1_709_209_845), (#""2024-02-29T12:30:45""#, 1_709_209_845),
                (#""2024-02-29 12:30:45""#, 1_709_209_845), (#""2024-02-29 12:30""#, 1_709_209_800),
                (#""2024-02-29T20:30:45+08:00""#, 1_709_209_845), (#""2024-02-29T20:30:45+0800""#, 1_709_209_845),
                (#""2024-02-29T20:30:45+08""#, 1_709_209_845), (#""2024-02-29T07:00:45.5-05:30""#, 1_709_209_845.5),
                (#""2024-02-29""#, 1_709_164_800), (#""2016-12-31T23:59:60Z""#, 1_483_228_800), (#""1969-12-31T23:59:59Z""#, -1),
                (#""0001-01-01T00:00:00Z""#, -62_135_596_800), (#""0000-01-01""#, -62_167_219_200),
                (#""2000-02-29""#, 951_782_400),
                ("1709209845", 1_709_209_845), ("1709209845.5", 1_709_209_845.5), ("1709209845123", 1_709_209_845.123),
                (#""1709209845""#, 1_709_209_845), (#""1709209845123""#, 1_709_209_845.123), ("20221115", 1_668_470_400),
                (#""20221115""#, 1_668_470_400), (#""20221115021727""#, 1_668_478_647), ("20221115021727", 1_668_478_647),
                ("946684800", 946_684_800), ("946684800000", 946_684_800), ("4133980799", 4_133_980_799),
            ] as [(String, Double)]
        ) { try Self().forms(json: $0, seconds: $1) }
    }

    func forms(json: String, seconds: Double) throws {
        #expect(abs(try decode(json) - seconds) < 0.000_5)
    }

    @Test(
        "a text or value that is not a date is an error",
        arguments: [
            #""""#, #""soon""#, #""2023-02-29""#, #""2024-13-01""#, #""2024-00-10""#, #""2024-04-31""#, #""1900-02-29""#,
            #""2024-02-29T24:00:00Z""#,
            #""2024-02-29T12:60:00Z""#, #""2024-02-29T12:30:61Z""#, #""2024-02-29T12:30:45.Z""#, #""2024-02-29T12:30:45+""#,
            #""2024-02-29T12:30:45+08:""#, #""2024-02-29T12:30:45+08:00x""#, #""2024-2-9""#, #""nan""#, #""inf""#, "1e300", "true", "null",
            "{}", "[]", "0", "-1", "946684799", "4133980800", "946684799999", "4133980800000", #""20221315""#, #""20220230""#,
            #""20221115240000""#,
            #""202211150217""#, #""1668478647000000""#, #""2022111""#, "20220230",
            #""２０２４-02-29""#,
        ])
    func mistakes(json: String) {
        #expect(throws: DecodingError.self) { try decode(json) }
    }

    @Test(
        "a date without a zone is UTC unless a time zone is given",
        arguments: [
            (#""2024-02-29 12:30:45""#, 1_709_181_045), (#""2024-02-29""#, 1_709_136_000), (#""20240229""#, 1_709_136_000),
            (#""20240229123045""#, 1_709_181_045), (#""2024-02-29T12:30:45Z""#, 1_709_209_845),
            (#""2024-02-29T12:30:45+01:00""#, 1_709_206_245), ("1709209845", 1_709_209_845),
        ])
    func timeZone(json: String, seconds: Double) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .lenient(timeZone: TimeZone(secondsFromGMT: 8 * 3600))
        #expect(try decoder.decode([Date].self, from: Data("[\(json)]".utf8))[0].timeIntervalSince1970 == seconds)
    }

    @Test("an empty text can decode as a given date")
    func empty() throws {
        #expect(try decode(#""""#, empty: Date(timeIntervalSince1970: 0)) == 0)
    }

    @Test("a written date is read back in all years")
    func roundTrip() throws {
        for seconds in stride(from: -62_135_596_800.0, to: 253_402_300_800, by: 86_400 * 97 + 12_345) {
            let date = Date(timeIntervalSince1970: seconds)
            let text = try #require(date.iso8601Text)
            #expect(LenientDate.date(of: text) == date, "\(text)")
        }
    }
}
