import Testing

@testable import Catena

@Suite("JSON, numbers", .limitedParallelism)
struct JSONNumberTests {
    struct Row: Sendable {
        let text: String
        let int: Int?
        let double: Double?
    }

    static let rows = [
        Row(text: "0", int: 0, double: 0),
        Row(text: "-0", int: 0, double: -0.0),
        Row(text: "-1", int: -1, double: -1),
        Row(text: "1.0", int: 1, double: 1),
        Row(text: "-2.50e1", int: -25, double: -25),
        Row(text: "1e3", int: 1000, double: 1000),
        Row(text: "1E+3", int: 1000, double: 1000),
        Row(text: "1000e-3", int: 1, double: 1),
        Row(text: "0.1", int: nil, double: 0.1),
        Row(text: "1.5", int: nil, double: 1.5),
        Row(text: "1e-2", int: nil, double: 0.01),
        Row(text: "0.000", int: 0, double: 0),
        Row(text: "0e99999999999999999999", int: 0, double: 0),
        Row(text: "9007199254740993", int: 9_007_199_254_740_993, double: 9_007_199_254_740_992),
        Row(text: "9223372036854775807", int: .max, double: 0x1p63),
        Row(text: "-9223372036854775808", int: .min, double: -0x1p63),
        Row(text: "-9223372036854775808.0", int: .min, double: -0x1p63),
        Row(text: "9223372036854775807.0", int: .max, double: 0x1p63),
        Row(text: "9223372036854775808", int: nil, double: 0x1p63),
        Row(text: "9223372036854775808.0", int: nil, double: 0x1p63),
        Row(text: "-9223372036854775809", int: nil, double: -0x1p63),
        Row(text: "1e18", int: 1_000_000_000_000_000_000, double: 1e18),
        Row(text: "1e19", int: nil, double: 1e19),
        Row(text: "18446744073709551615", int: nil, double: 0x1p64),
        Row(text: "18446744073709551616", int: nil, double: 0x1p64),
        Row(text: "99999999999999999999", int: nil, double: 1e20),
        Row(text: "12345678901234567890123", int: nil, double: 1.2345678901234567890123e22),
        Row(text: "1e400", int: nil, double: nil),
        Row(text: "-1e400", int: nil, double: nil),
        Row(text: "1e-400", int: nil, double: 0),
        Row(text: "1e99999999999999999999", int: nil, double: nil),
        Row(text: "1e9223372036854775807", int: nil, double: nil),
        Row(text: "1.5e-9223372036854775808", int: nil, double: 0),
        Row(text: "3.141592653589793238462643383279", int: nil, double: 3.141592653589793),
    ]

    @Test("a number is read exactly and printed as it was written")
    func number() {
        each(Self.rows) { row in
            let value = try JSON(parsing: row.text.utf8)
            #expect(value.int == row.int)
            #expect(value.double == row.double)
            #expect(value.double?.sign == row.double?.sign)
            #expect(value.bool == nil)
            #expect(value.text == row.text)
            #expect(try JSON(parsing: "[\(row.text)]".utf8).text == "[\(row.text)]")
        }
    }

    @Test("an integer of 64 bits is stored in one form, however it is written")
    func storage() throws {
        func form(_ text: String) throws -> String {
            switch try JSON(parsing: text.utf8).storage {
            case .integer(let value): "integer \(value)"
            case .unsigned(let value): "unsigned \(value)"
            case .number(let text): "number \(text)"
            default: "none"
            }
        }
        #expect(try form("9223372036854775807") == "integer 9223372036854775807")
        #expect(try form("-9223372036854775808") == "integer -9223372036854775808")
        #expect(try form("9223372036854775808") == "unsigned 9223372036854775808")
        #expect(try form("18446744073709551615") == "unsigned 18446744073709551615")
        #expect(try form("18446744073709551616") == "number 18446744073709551616")
        #expect(try form("-9223372036854775809") == "number -9223372036854775809")
        #expect(try form("-0") == "number -0")
        #expect(try form("1.0") == "number 1.0")
    }

    @Test("a number of many digits is read in one pass")
    func long() throws {
        let digits = String(repeating: "7", count: 200_000)
        #expect(try JSON(parsing: digits.utf8).text == digits)
        #expect(try JSON(parsing: "\(digits).0".utf8) == JSON(parsing: digits.utf8))
    }
}
