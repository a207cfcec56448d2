/// Hides the values of secret params that fill a path, where no name tells that they are secret.
enum SecretParts {
    /// Returns a text with a mark in place of each value. Servers and transports may encode a value in another way, so it is compared without its
    /// encoding.
    ///
    /// - Parameters:
    ///   - parts: The percent-encoded values.
    ///   - text: A percent-encoded path or query, or a header's value, which may contain one.
    static func hide(_ parts: [String], in text: String) -> String {
        let shown = parts.reduce(Array(text.utf8)) { shown, part in hide(Decoded(Array(part.utf8)).bytes, in: shown) }
        return String(decoding: shown, as: UTF8.self)
    }

    private static func hide(_ part: [UInt8], in text: [UInt8]) -> [UInt8] {
        // Every place has an empty value.
        guard !part.isEmpty else { return text }
        let decoded = Decoded(text)
        var shown: [UInt8] = []
        var position = 0
        for range in decoded.bytes.ranges(of: part) {
            shown += text[position..<decoded.starts[range.lowerBound]] + Redaction.mark.utf8
            position = decoded.starts[range.upperBound]
        }
        return shown + text[position...]
    }

    /// A percent-encoded text without its encoding. A plus sign is a space (WHATWG URL §5), because it may stand for either.
    private struct Decoded {
        private(set) var bytes: [UInt8] = []
        /// The index of each byte in the encoded text, and the end of that text.
        private(set) var starts: [Int] = []

        init(_ text: [UInt8]) {
            var position = 0
            while position < text.count {
                starts.append(position)
                var byte = text[position]
                position += 1
                if byte == UInt8(ascii: "%"), position + 1 < text.count, let high = PercentDecoding.hexValue(text[position]),
                    let low = PercentDecoding.hexValue(text[position + 1])
                {
                    byte = high << 4 | low
                    position += 2
                }
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
            starts.append(text.count)
        }
    }
}
