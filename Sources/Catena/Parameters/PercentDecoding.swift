/// Undoes percent-encoding (RFC 3986 §2.1). What is no triplet is kept as it is.
package enum PercentDecoding {
    /// - Parameter plusIsSpace: Whether a `+` is a space, as in queries and forms.
    package static func decode(_ text: some StringProtocol, plusIsSpace: Bool) -> String {
        let percent = UInt8(ascii: "%")
        let plus = plusIsSpace ? UInt8(ascii: "+") : percent
        let bytes = Array(text.utf8)
        guard bytes.contains(where: { $0 == percent || $0 == plus }) else { return String(text) }
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
        return String(decoding: decoded, as: UTF8.self)
    }

    /// The value of one hexadecimal digit.
    package static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
