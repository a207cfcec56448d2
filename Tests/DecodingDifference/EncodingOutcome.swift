import Foundation

/// The outcome of encoding a value. Texts are equal if they differ only in white space and in the order of members.
enum EncodingOutcome: Equatable {
    case text(String)
    case failure(String)

    init(_ encode: () throws -> Data) {
        do {
            var form = JSONForm(bytes: [UInt8](try encode()))
            self = .text(form.text())
        } catch EncodingError.invalidValue(let value, let context) {
            let path = context.codingPath.map { "\($0.stringValue) \($0.intValue ?? -1)" }
            self = .failure("\(type(of: value)) \(path) \(context.debugDescription)")
        } catch {
            self = .failure("\(error)")
        }
    }
}

/// Sorts the members of a JSON text. Strings and numbers stay as they are written.
private struct JSONForm {
    let bytes: [UInt8]
    private var place = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns the text, or the bytes if they are not JSON.
    mutating func text() -> String {
        let text = value()
        skipSpace()
        guard place == bytes.count, !text.isEmpty else { return "no JSON: \(String(decoding: bytes, as: UTF8.self))" }
        return text
    }

    private var byte: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipSpace() {
        while let byte, byte == 0x20 || byte == 0x0A { place += 1 }
    }

    private mutating func value() -> String {
        skipSpace()
        switch byte {
        case UInt8(ascii: "{"): return "{" + items(until: UInt8(ascii: "}")).sorted().joined(separator: ",") + "}"
        case UInt8(ascii: "["): return "[" + items(until: UInt8(ascii: "]")).joined(separator: ",") + "]"
        case UInt8(ascii: "\""): return string()
        default:
            let start = place
            while let byte, !Array(",:]}\n ".utf8).contains(byte) { place += 1 }
            return String(decoding: bytes[start..<place], as: UTF8.self)
        }
    }

    private mutating func items(until end: UInt8) -> [String] {
        place += 1
        var items: [String] = []
        skipSpace()
        while let byte, byte != end {
            var item = value()
            skipSpace()
            if self.byte == UInt8(ascii: ":") {
                place += 1
                item += ":" + value()
                skipSpace()
            }
            items.append(item)
            if self.byte == UInt8(ascii: ",") { place += 1 } else if self.byte != end { place = bytes.count + 1; return [] }
            skipSpace()
        }
        place += 1
        return items
    }

    private mutating func string() -> String {
        let start = place
        place += 1
        while let byte, byte != UInt8(ascii: "\"") { place += byte == UInt8(ascii: "\\") ? 2 : 1 }
        place += 1
        return String(decoding: bytes[start..<min(place, bytes.count)], as: UTF8.self)
    }
}
