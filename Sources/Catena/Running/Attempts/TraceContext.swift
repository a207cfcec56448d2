/// Links a server's records of a request to its call (W3C Trace Context §3.2).
///
/// All attempts of a call have one trace id; each has a span id of its own.
struct TraceContext: Sendable, Equatable {
    static let header = "traceparent"

    /// 32 hexadecimal digits.
    let traceID: String
    let isSampled: Bool

    static func random(isSampled: Bool = true, using generator: inout some RandomNumberGenerator) -> TraceContext {
        TraceContext(traceID: identifier(words: 2, using: &generator), isSampled: isSampled)
    }

    static func random() -> TraceContext {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    /// Returns the header of an attempt, with a new span id.
    func parent(using generator: inout some RandomNumberGenerator) -> String {
        // Written at once, because each concatenation allocates.
        String(unsafeUninitializedCapacity: traceID.utf8.count + 23) { text in
            var end = text.update(fromContentsOf: "00-".utf8)
            end = text[end...].update(fromContentsOf: traceID.utf8)
            end = text[end...].update(fromContentsOf: CollectionOfOne(UInt8(ascii: "-")))
            Self.write(words: 1, to: text[end...], using: &generator)
            return text[(end + 16)...].update(fromContentsOf: (isSampled ? "-01" : "-00").utf8)
        }
    }

    /// Returns the hexadecimal digits of random words of 64 bits.
    private static func identifier(words: Int, using generator: inout some RandomNumberGenerator) -> String {
        String(unsafeUninitializedCapacity: words * 16) { digits in
            write(words: words, to: digits[...], using: &generator)
            return words * 16
        }
    }

    private static func write(
        words: Int, to digits: Slice<UnsafeMutableBufferPointer<UInt8>>, using generator: inout some RandomNumberGenerator
    ) {
        var digits = digits
        var isZero = true
        for word in 0..<words {
            var bits: UInt64 = generator.next()
            isZero = isZero && bits == 0
            // An identifier of zeros is invalid (§3.2.2.3, §3.2.2.4).
            if isZero, word == words - 1 { bits = 1 }
            for index in 0..<16 {
                let digit = Hexadecimal.digit(UInt8(truncatingIfNeeded: bits >> (60 - 4 * UInt64(index))) & 15)
                digits[digits.startIndex + word * 16 + index] = digit
            }
        }
    }
}
