/// The start tag of an element.
struct XMLTag {
    struct Attribute {
        let name: [UInt8]
        let value: Range<Int>

        /// Returns whether this is one of the names. Case makes no difference, as in HTML.
        func isNamed(_ names: String...) -> Bool {
            let name = XMLName.lowercased(name)
            return names.contains { name.elementsEqual($0.utf8) }
        }
    }

    let name: [UInt8]
    let nameEnd: Int
    private(set) var attributes: [Attribute] = []
    private(set) var end: Int
    private(set) var isEmpty = false
    /// Whether it contains anything but attributes with values.
    private(set) var isOdd = false
    /// Whether it is not closed, or another tag may begin in one of its values (XML 1.0 §3.1).
    private(set) var isBroken = false
    private let bytes: [UInt8]

    /// Elements that HTML never closes.
    private static let voids: Set<[UInt8]> = Set(
        ["area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"].map { Array($0.utf8) })

    var isVoid: Bool { Self.voids.contains(XMLName.lowercased(name)) }

    init(_ bytes: [UInt8], at start: Int) {
        self.bytes = bytes
        name = XMLName.local(of: bytes[(start + 1)...])
        var position = bytes[(start + 1)...].firstIndex { !XMLName.continues(with: $0) } ?? bytes.count
        nameEnd = position
        end = bytes.count
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: ">"):
                end = position + 1
                isEmpty = bytes[position - 1] == UInt8(ascii: "/")
                return
            case UInt8(ascii: "<"):
                isBroken = true
                end = position
                return
            case let byte where XMLName.begins(with: byte): readAttribute(&position)
            case let byte:
                if byte > 0x20, byte != UInt8(ascii: "/") || bytes.dropFirst(position + 1).first != UInt8(ascii: ">") { isOdd = true }
                position += 1
            }
        }
        isBroken = true
    }

    private mutating func readAttribute(_ position: inout Int) {
        let name = XMLName.local(of: bytes[position...])
        position = bytes[position...].firstIndex { !XMLName.continues(with: $0) } ?? bytes.count
        var next = bytes[position...].firstIndex { $0 > 0x20 } ?? bytes.count
        guard next < bytes.count, bytes[next] == UInt8(ascii: "=") else { return isOdd = true }
        next = bytes[(next + 1)...].firstIndex { $0 > 0x20 } ?? bytes.count
        guard next < bytes.count else { return position = next }
        let quote = bytes[next]
        if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            let stop = bytes[(next + 1)...].firstIndex(of: quote) ?? bytes.count
            attributes.append(Attribute(name: name, value: (next + 1)..<stop))
            position = min(stop + 1, bytes.count)
        } else {
            let stop = bytes[next...].firstIndex { $0 <= 0x20 || $0 == UInt8(ascii: ">") } ?? bytes.count
            attributes.append(Attribute(name: name, value: next..<stop))
            position = stop
        }
        if attributes.last.map({ bytes[$0.value].contains(UInt8(ascii: "<")) }) == true { isBroken = true }
    }

    func value(_ attribute: Attribute) -> [UInt8] { XMLText.unescaped(bytes[attribute.value]) }
}

enum XMLName {
    static func begins(with byte: UInt8) -> Bool {
        switch byte {
        case 0x41...0x5A, 0x61...0x7A, 0x80..., UInt8(ascii: "_"): true
        default: false
        }
    }

    /// Returns whether an element's name begins here, and not an address as in `<https://forum.example.com>`.
    static func beginsTag(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, begins(with: first) else { return false }
        return bytes.prefix(64).prefix(while: continues).last != UInt8(ascii: ":")
    }

    static func continues(with byte: UInt8) -> Bool {
        begins(with: byte) || (0x30...0x39).contains(byte) || ":-.".utf8.contains(byte)
    }

    /// Returns the name that begins here, without its namespace prefix.
    static func local(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        let name = bytes.prefix(while: continues)
        return Array(name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name)
    }

    static func lowercased(_ name: [UInt8]) -> [UInt8] {
        name.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }
}

enum XMLText {
    private static let entities: [(name: String, byte: UInt8)] = [
        ("&amp;", UInt8(ascii: "&")), ("&lt;", UInt8(ascii: "<")), ("&gt;", UInt8(ascii: ">")), ("&quot;", UInt8(ascii: "\"")),
        ("&apos;", UInt8(ascii: "'")),
    ]

    /// Resolves the known references of a text (XML 1.0 §4.1, §4.6).
    static func unescaped(_ content: ArraySlice<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(content.count)
        var rest = content
        while let byte = rest.first {
            if byte == UInt8(ascii: "&"), let (decoded, length) = reference(rest) {
                text += decoded
                rest = rest.dropFirst(length)
            } else {
                text.append(byte)
                rest = rest.dropFirst()
            }
        }
        return text
    }

    /// Returns the bytes for which a known reference at the beginning stands, and its length. Returns `nil` if none is there.
    static func reference(_ bytes: ArraySlice<UInt8>) -> ([UInt8], Int)? {
        if let entity = entities.first(where: { bytes.starts(with: $0.name.utf8) }) { return ([entity.byte], entity.name.utf8.count) }
        guard bytes.starts(with: "&#".utf8), let end = bytes.prefix(12).firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let digits = String(decoding: bytes[(bytes.startIndex + 2)..<end], as: UTF8.self)
        let isHexadecimal = digits.hasPrefix("x") || digits.hasPrefix("X")
        guard let number = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits), let scalar = Unicode.Scalar(number)
        else {
            return nil
        }
        return (Array(String(scalar).utf8), end - bytes.startIndex + 1)
    }

    static func escaped(_ text: [UInt8]) -> [UInt8] {
        guard text.contains(where: { "&<>\"'".utf8.contains($0) }) else { return text }
        return text.flatMap { byte in entities.first { $0.byte == byte }.map { Array($0.name.utf8) } ?? [byte] }
    }
}

extension ArraySlice<UInt8> {
    /// Returns the first index of a sequence of bytes.
    func firstIndex(ofBytes wanted: [UInt8]) -> Int? {
        guard let first = wanted.first else { return nil }
        var rest = self
        while let index = rest.firstIndex(of: first) {
            if rest[index...].starts(with: wanted) { return index }
            rest = rest[(index + 1)...]
        }
        return nil
    }
}
