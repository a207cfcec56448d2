public import Foundation

/// The digest of a message, for signatures and checksums on every platform.
///
/// ```swift
/// MessageDigest.md5("a=1&key=secret").hex.uppercased()
/// MessageDigest.hmacSHA256(Data(text.utf8), key: Data(secret.utf8)).base64
/// ```
public struct MessageDigest: Sendable, Hashable {
    /// The digest itself.
    public let bytes: [UInt8]

    /// The digest as lower-case hexadecimal digits.
    public var hex: String { Hexadecimal.text(bytes) }

    /// The digest in base 64 with padding (RFC 4648 §4).
    public var base64: String { Data(bytes).base64EncodedString() }

    /// MD5 (RFC 1321), for backends that ask for it; it is broken and protects nothing.
    public static func md5(_ message: Data) -> MessageDigest {
        var digest = MD5Digest()
        digest.update(message)
        return MessageDigest(bytes: digest.finish())
    }

    /// SHA-256 (FIPS 180-4).
    public static func sha256(_ message: Data) -> MessageDigest {
        MessageDigest(bytes: SHA256.digest(of: message))
    }

    /// HMAC with SHA-256 (RFC 2104, RFC 4231), which only who has the key can make.
    public static func hmacSHA256(_ message: Data, key: Data) -> MessageDigest {
        let blockSize = 64
        var block = key.count > blockSize ? sha256(key).bytes : Array(key)
        block += repeatElement(0, count: blockSize - block.count)
        let inner = SHA256.digest(of: block.map { $0 ^ 0x36 } + message)
        return MessageDigest(bytes: SHA256.digest(of: block.map { $0 ^ 0x5C } + inner))
    }

    /// MD5 of a text in UTF-8.
    public static func md5(_ text: String) -> MessageDigest { md5(Data(text.utf8)) }

    /// SHA-256 of a text in UTF-8.
    public static func sha256(_ text: String) -> MessageDigest { sha256(Data(text.utf8)) }
}
