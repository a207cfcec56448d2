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
        "00-" + traceID + "-" + Self.identifier(words: 1, using: &generator) + (isSampled ? "-01" : "-00")
    }

    /// Returns the hexadecimal digits of random words of 64 bits.
    private static func identifier(words: Int, using generator: inout some RandomNumberGenerator) -> String {
        String(unsafeUninitializedCapacity: words * 16) { digits in
            var isZero = true
            for word in 0..<words {
                var bits: UInt64 = generator.next()
                isZero = isZero && bits == 0
                // An identifier of zeros is invalid (§3.2.2.3, §3.2.2.4).
                if isZero, word == words - 1 { bits = 1 }
                for index in 0..<16 {
                    digits[word * 16 + index] = Hexadecimal.digit(UInt8(truncatingIfNeeded: bits >> (60 - 4 * UInt64(index))) & 15)
                }
            }
            return words * 16
        }
    }
}
