import CatenaPlatform

/// The parameters of a field value such as `text/plain; charset="utf-8"` (RFC 9110 §5.6.6). A semicolon in quotes is no separator.
struct HeaderParameters {
    /// The parameters in the order of the value, with names in lower case.
    private(set) var all: [(name: String, value: String)] = []

    /// - Parameter value: The whole value. The text before its first semicolon is ignored.
    init(_ value: String) {
        var rest = value.utf8[...]
        while let semicolon = rest.firstIndex(of: UInt8(ascii: ";")) {
            rest = Self.skippingSpace(rest[semicolon...].dropFirst())
            let name = rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
            rest = rest[name.endIndex...]
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest = Self.skippingSpace(rest.dropFirst())
            all.append((String(decoding: name, as: UTF8.self).trimmed().lowercased(), Self.takeValue(&rest)))
        }
    }

    /// Returns the value of the first parameter with a name in lower case.
    func value(of name: String) -> String? { all.first { $0.name == name }?.value }

    private static func takeValue(_ rest: inout Substring.UTF8View) -> String {
        guard rest.first == UInt8(ascii: "\"") else {
            let value = rest.prefix { $0 != UInt8(ascii: ";") }
            rest = rest[value.endIndex...]
            return String(decoding: value, as: UTF8.self).trimmed()
        }
        var value: [UInt8] = []
        var isEscaped = false
        rest = rest.dropFirst()
        while let byte = rest.first {
            rest = rest.dropFirst()
            if isEscaped {
                value.append(byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                break
            } else {
                value.append(byte)
            }
        }
        return String(decoding: value, as: UTF8.self)
    }

    private static func skippingSpace(_ text: Substring.UTF8View) -> Substring.UTF8View { text.drop { $0 == 0x20 || $0 == 0x09 } }
}
