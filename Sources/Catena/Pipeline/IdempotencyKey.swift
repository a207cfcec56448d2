import Foundation

/// Tells a server that two requests are one (draft-ietf-httpapi-idempotency-key-header): with it a POST can be tried again.
///
/// Made once for a call and sent with each of its attempts.
struct IdempotencyKey: Sendable, Equatable {
    static let header = "Idempotency-Key"

    let value: String

    /// A key of the caller's own, such as the number of an order.
    init(_ value: String) {
        self.value = value
    }

    /// A random key: a UUID of version 4 (RFC 9562 §5.4).
    static func random(using generator: inout some RandomNumberGenerator) -> IdempotencyKey {
        var bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = MessageDigest(bytes: bytes).hex
        let ends = [0, 8, 12, 16, 20, 32]
        let groups = zip(ends, ends.dropFirst()).map { digits.dropFirst($0).prefix($1 - $0) }
        return IdempotencyKey(groups.joined(separator: "-"))
    }

    func apply(to request: inout HTTPRequest) {
        request.headers[Self.header] = value
    }
}
