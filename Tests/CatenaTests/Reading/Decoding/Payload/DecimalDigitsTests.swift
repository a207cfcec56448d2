import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite("Numbers of payloads", .limitedParallelism)
struct DecimalDigitsTests {
    private func digits(_ text: String) -> DecimalDigits? {
        Array(text.utf8).withUnsafeBytes { DecimalDigits($0) }
    }

    @Test("a number is rounded to the nearest value of its type")
    static func nearestRows() {
        each(
            [
                "0", "-0", "0.1", "-0.0", "1e22", "1e23", "9007199254740993", "9007199254740992.5", "123456789012345678",
                "1.7976931348623157",
                "5e-27", "18446744073709551615", "-65.613616999999977", "8.5e-27", "1e-27", "9999999999999999999e27", "0.000001",
                "16777217",
                "18446744073709551616", "184467440737095516160",
                "3.4028235e38",
            ] as [String]
        ) { Self().nearest(text: $0) }
    }

    func nearest(text: String) {
        if let value = digits(text)?.double { #expect(value.bitPattern == Double(text)?.bitPattern) }
        if let value = digits(text)?.float { #expect(value.bitPattern == Float(text)?.bitPattern) }
    }

    @Test("random numbers are rounded to the nearest value, too")
    func random() {
        var random = SeededRandom(seed: 5)
        var exact = 0
        for _ in 0..<20_000 {
            let mantissa = UInt64.random(in: 0 ... .max, using: &random) >> UInt64.random(in: 0..<64, using: &random)
            let text = "\(mantissa)e\(Int.random(in: -30...30, using: &random))"
            guard let digits = digits(text) else { continue }
            if let value = digits.double {
                exact += 1
                #expect(value.bitPattern == Double(text)?.bitPattern, "\(text)")
            }
            if let value = digits.float { #expect(value.bitPattern == Float(text)?.bitPattern, "\(text)") }
        }
        #expect(exact > 10_000)
    }
}
