/// A key by which a server recognizes a repeated request, so that a POST can be retried (draft-ietf-httpapi-idempotency-key-header).
///
/// ```swift
/// API.tag(.shop).post("/orders").json(order).set(\.idempotencyKey, "order-7").execute(.void)
/// ```
public struct IdempotencyKey: Sendable, Hashable, ExpressibleByStringInterpolation {
    static let header = "Idempotency-Key"

    /// The text of the key, or `nil` if each run of the request has a random one.
    let text: String?

    /// Creates a key from a text, such as the number of an order.
    public init(_ text: String) { self.text = text }

    public init(stringLiteral text: String) { self.init(text) }

    private init() { text = nil }

    /// A random key for each run of the request: a UUID of version 4 (RFC 9562 §5.4).
    public static let random = IdempotencyKey()

    /// Returns the key of one run.
    func value(using generator: inout some RandomNumberGenerator) -> String {
        if let text { return text }
        var bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = MessageDigest(bytes: bytes).hex
        let ends = [0, 8, 12, 16, 20, 32]
        return zip(ends, ends.dropFirst()).map { digits.dropFirst($0).prefix($1 - $0) }.joined(separator: "-")
    }
}
