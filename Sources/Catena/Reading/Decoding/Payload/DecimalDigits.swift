import CatenaPlatform

/// A decimal number with at most 19 digits and a small exponent, as nearly all numbers are: `mantissa` × 10^`exponent`.
///
/// Powers of 5 up to 5^27 fit in 64 bits, so product and quotient are exact, with one bit for the lost part. The conversion of the 64 bits to a
/// floating-point type then rounds once, to the nearest value.
struct DecimalDigits {
    private var mantissa: UInt64 = 0
    private var exponent = 0
    private let isNegative: Bool

    /// Parses a number that has been validated by RFC 8259 §6.
    @inline(__always)
    init?(_ text: UnsafeRawBufferPointer) {
        var index = 0
        isNegative = text.first == UInt8(ascii: "-")
        if isNegative { index = 1 }
        var digitCount = 0
        var isFraction = false
        reading: while index < text.count {
            let byte = text[index]
            index += 1
            switch byte {
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                guard let written = Self.exponent(text, from: index) else { return nil }
                exponent += written
                break reading
            default:
                mantissa = mantissa &* 10 &+ UInt64(byte &- UInt8(ascii: "0"))
                if mantissa != 0 || digitCount != 0 { digitCount += 1 }
                if isFraction { exponent -= 1 }
            }
        }
        guard digitCount <= 19 else { return nil }
    }

    /// Parses an exponent of at most three digits.
    private static func exponent(_ text: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var index = start
        let isNegative = text[index] == UInt8(ascii: "-")
        if isNegative || text[index] == UInt8(ascii: "+") { index += 1 }
        guard text.count - index <= 3 else { return nil }
        let value = text[index...].reduce(0) { $0 * 10 + Int($1 &- UInt8(ascii: "0")) }
        return isNegative ? -value : value
    }

    /// The maximum of whole numbers that are exact as a `Double`. Powers of ten up to 10^22 are exact, too, so one operation rounds once.
    private static let exact: UInt64 = 1 << 53

    @inline(__always)
    var double: Double? {
        if mantissa <= Self.exact, exponent <= 0, exponent >= -22 {
            let magnitude = Double(mantissa) / Self.powersOfTen[-exponent]
            return isNegative ? -magnitude : magnitude
        }
        return scaled {
            Double($0)
        } by: {
            Double(sign: .plus, exponent: $0, significand: 1)
        }
    }

    var float: Float? {
        scaled {
            Float($0)
        } by: {
            Float(sign: .plus, exponent: $0, significand: 1)
        }
    }

    var decimal: Decimal? {
        // `Decimal` treats negative zero differently.
        guard mantissa != 0, exponent > -100, exponent < 100 else { return nil }
        return Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: Decimal(mantissa))
    }

    private func scaled<Value: BinaryFloatingPoint>(_ convert: (UInt64) -> Value, by power: (Int) -> Value) -> Value? {
        guard mantissa != 0 else { return isNegative ? -0.0 : 0 }
        guard abs(exponent) < Self.powersOfFive.count else { return nil }
        let (bits, shift) = exponent < 0 ? quotient(Self.powersOfFive[-exponent]) : product(Self.powersOfFive[exponent])
        let magnitude = convert(bits) * power(shift + exponent)
        guard magnitude.isFinite, magnitude.isNormal else { return nil }
        return isNegative ? -magnitude : magnitude
    }

    /// Returns the upper 64 bits of the product and the power of 2 to multiply by. The lowest bit is also set if lower bits are lost.
    private func product(_ factor: UInt64) -> (UInt64, Int) {
        let (high, low) = mantissa.multipliedFullWidth(by: factor)
        guard high != 0 else { return (low, 0) }
        let shift = high.leadingZeroBitCount
        let upper = shift == 0 ? high : high << shift | low >> (64 - shift)
        return (upper | (low << shift == 0 ? 0 : 1), 64 - shift)
    }

    /// Returns the upper bits of the quotient and the power of 2 to multiply by. The lowest bit is also set if there is a remainder.
    private func quotient(_ divisor: UInt64) -> (UInt64, Int) {
        let shift = mantissa.leadingZeroBitCount
        let divisorShift = divisor.leadingZeroBitCount
        let divisor = divisor << divisorShift
        // Halve the dividend, so that its upper half is below the divisor and the quotient fits.
        let upper = mantissa << shift
        let dividend = (high: upper >> 1, low: upper << 63)
        let (bits, rest) = divisor.dividingFullWidth(dividend)
        return (bits | (rest == 0 ? 0 : 1), divisorShift - shift - 63)
    }

    private static let powersOfFive: [UInt64] = (0...27).map { (0..<$0).reduce(1) { power, _ in power * 5 } }
    private static let powersOfTen: [Double] = (0...22).map { (0..<$0).reduce(1) { power, _ in power * 10 } }
}
