/// Links a server's records of a request to its call (W3C Trace Context §3.2).
///
/// All attempts of a call have one trace id; each has a span id of its own.
struct TraceContext: Sendable, Equatable {
    static let header = "traceparent"

    /// 32 hexadecimal digits.
    let traceID: String
    let isSampled: Bool

    static func random(isSampled: Bool = true, using generator: inout some RandomNumberGenerator) -> TraceContext {
        TraceContext(traceID: identifier(16, using: &generator), isSampled: isSampled)
    }

    static func random() -> TraceContext {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    /// Returns the header of an attempt, with a new span id.
    func parent(using generator: inout some RandomNumberGenerator) -> String {
        "00-\(traceID)-\(Self.identifier(8, using: &generator))-\(isSampled ? "01" : "00")"
    }

    private static func identifier(_ length: Int, using generator: inout some RandomNumberGenerator) -> String {
        var bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
        // An identifier of zeros is invalid (§3.2.2.3, §3.2.2.4).
        if bytes.allSatisfy({ $0 == 0 }) { bytes[length - 1] = 1 }
        return MessageDigest(bytes: bytes).hex
    }
}
