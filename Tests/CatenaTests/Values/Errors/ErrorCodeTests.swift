import Catena
import Testing

@Suite("Error codes", .limitedParallelism)
struct ErrorCodeTests {
    @Test("a numeric code differs from its text")
    func typed() {
        let number: ErrorCode = 0
        let text: ErrorCode = "0"
        #expect(number != text)
        #expect(Set([number, text, 0, "0"]).count == 2)
        #expect(number == .integer(0))
        #expect(text == .string("0"))
    }

    static let integers: [(code: ErrorCode, integer: Int?)] = [
        (5, 5), (-1, -1), ("12", 12), ("-7", -7), ("E01", nil), ("12abc", nil), ("0.5", nil), ("", nil), ("18446744073709551616", nil),
    ]

    @Test("the text of an integer has the integer's value", arguments: integers)
    func integer(row: (code: ErrorCode, integer: Int?)) {
        #expect(row.code.integer == row.integer)
    }

    @Test("a code prints as its number or text")
    func description() {
        #expect("\(ErrorCode.integer(-5))" == "-5")
        #expect("\(ErrorCode.string("E01"))" == "E01")
        #expect(ErrorCode.timeout == 110)
    }
}
