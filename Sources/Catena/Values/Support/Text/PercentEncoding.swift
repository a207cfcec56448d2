/// Percent-encodes text for one part of an address (RFC 3986 §2).
///
/// Every other byte of the UTF-8 text becomes `%` and two upper-case hexadecimal digits.
package struct PercentEncoding: Sendable {
    /// A key or value of a query or form: keeps the unreserved characters, and `/` and `?`, which RFC 3986 §3.4 allows there.
    static let query = PercentEncoding(keeping: unreserved + "/?")

    /// A single segment of a path: keeps only the unreserved characters, so that a value can never become two segments.
    package static let segment = PercentEncoding(keeping: unreserved)

    /// A path written by the caller: keeps the characters that RFC 3986 §3.3 allows, and does not encode encoded text again.
    static let path = PercentEncoding(keeping: pathCharacters + "/", keepsTriplets: true)

    /// A query that the caller writes in a path: keeps the characters that RFC 3986 §3.4 allows, including `+`. Encoded text is not encoded
    /// again.
    static let queryText = PercentEncoding(keeping: pathCharacters + "/?", keepsTriplets: true)

    private static let unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    private static let pathCharacters = unreserved + "!$&'()*+,;=:@"

    // One bit for each ASCII character; all other bytes are encoded.
    private let low: UInt64
    private let high: UInt64
    private let keepsTriplets: Bool
    private var writesSpaceAsPlus = false

    /// The maximum number of bytes for one encoded byte.
    static let expansion = 3

    /// Returns a copy that writes spaces as plus signs, or as `%20`.
    func writingSpaces(asPlus isPlus: Bool) -> PercentEncoding {
        var encoding = self
        encoding.writesSpaceAsPlus = isPlus
        return encoding
    }

    private init(keeping characters: String, keepsTriplets: Bool = false) {
        var low: UInt64 = 0
        var high: UInt64 = 0
        for byte in characters.utf8 {
            if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte & 63) }
        }
        self.low = low
        self.high = high
        self.keepsTriplets = keepsTriplets
    }

    /// Returns the encoded text, or the same string if there is nothing to encode.
    package func encode(_ text: String) -> String {
        // A closure, because the method as a value is allocated.
        guard !text.utf8.allSatisfy({ keeps($0) }) else { return text }
        var text = text
        return text.withUTF8 { bytes in
            String(unsafeUninitializedCapacity: bytes.count * Self.expansion) { write(bytes, to: $0) }
        }
    }

    /// Writes the encoded form of UTF-8 text to the beginning of a buffer, and returns its length. The buffer must have room for
    /// ``expansion`` times the text.
    func write(_ text: UnsafeBufferPointer<UInt8>, to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var count = 0
        for (index, byte) in text.enumerated() {
            if keeps(byte) || keepsTriplets && startsTriplet(at: index, of: text) {
                buffer[count] = byte
                count += 1
            } else if writesSpaceAsPlus, byte == UInt8(ascii: " ") {
                buffer[count] = UInt8(ascii: "+")
                count += 1
            } else {
                buffer[count] = UInt8(ascii: "%")
                buffer[count + 1] = hexDigit(byte >> 4)
                buffer[count + 2] = hexDigit(byte & 15)
                count += 3
            }
        }
        return count
    }

    /// Returns whether the text continues with a triplet. `%zz` is not one (RFC 3986 §2.1), so its percent sign is encoded.
    private func startsTriplet(at index: Int, of text: UnsafeBufferPointer<UInt8>) -> Bool {
        text[index] == UInt8(ascii: "%") && index + 2 < text.count && PercentDecoding.hexValue(text[index + 1]) != nil
            && PercentDecoding.hexValue(text[index + 2]) != nil
    }

    /// Returns whether a byte is not encoded.
    package func keeps(_ byte: UInt8) -> Bool {
        guard byte < 128 else { return false }
        return (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
    }

    private func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}

/// Decodes percent-encoding (RFC 3986 §2.1). A percent sign that starts no triplet is kept.
package enum PercentDecoding {
    /// - Parameter plusIsSpace: Whether a `+` is a space, as in queries and forms.
    package static func decode(_ text: some StringProtocol, plusIsSpace: Bool) -> String {
        let percent = UInt8(ascii: "%")
        let plus = plusIsSpace ? UInt8(ascii: "+") : percent
        guard text.utf8.contains(where: { $0 == percent || $0 == plus }) else { return String(text) }
        return String(decoding: bytes(of: text, plusIsSpace: plusIsSpace), as: UTF8.self)
    }

    /// Decodes to bytes, which need not be UTF-8.
    static func bytes(of text: some StringProtocol, plusIsSpace: Bool = false) -> [UInt8] {
        let (percent, plus) = (UInt8(ascii: "%"), UInt8(ascii: "+"))
        let bytes = Array(text.utf8)
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == percent, index + 2 < bytes.count,
                let high = hexValue(bytes[index + 1]), let low = hexValue(bytes[index + 2])
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(plusIsSpace && bytes[index] == plus ? UInt8(ascii: " ") : bytes[index])
                index += 1
            }
        }
        return decoded
    }

    /// Returns the value of a hexadecimal digit, or `nil` for any other byte.
    package static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
