import Foundation

/// The tokens of a text in UTF-8, found without a JSON parser.
struct PlainText {
    /// The text in UTF-8, if JSONDecoder does not know its encoding.
    let ofUnknownEncoding: Data?
    private let tokens: [Token]

    private enum Token {
        case string([UInt8])
        case number([UInt8])
        /// Brackets, commas, words and invalid bytes, without spaces.
        case other(UInt8)
        case space(UInt8)
    }

    init(_ text: Data) {
        var tokens: [Token] = []
        var rest = Self.utf8(text)[...]
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "\""):
                let end = Self.endOfString(rest)
                tokens.append(.string(Array(rest[..<end])))
                rest = rest[end...]
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                let number = rest.prefix { Self.isInNumber($0) }
                tokens.append(.number(Array(number)))
                rest = rest[number.endIndex...]
            case 0x20, 0x9, 0xA, 0xD:
                tokens.append(.space(byte))
                rest.removeFirst()
            default:
                tokens.append(.other(byte))
                rest.removeFirst()
            }
        }
        self.tokens = tokens
        // UTF-32 in little-endian order with a byte order mark.
        ofUnknownEncoding = text.starts(with: [0xFF, 0xFE, 0, 0]) ? Data(Self.utf8(text)) : nil
    }

    /// Whether a comma precedes the end of an object or array, which both of Foundation's parsers accept.
    var hasCommaAtEnd: Bool {
        var isAfterComma = false
        for token in tokens {
            switch token {
            case .space: break
            case .other(UInt8(ascii: "]")), .other(UInt8(ascii: "}")):
                if isAfterComma { return true }
            case .other(let byte): isAfterComma = byte == UInt8(ascii: ",")
            case .string, .number: isAfterComma = false
            }
        }
        return false
    }

    /// Whether different keys are the same number, such as `"0"` and `"00"`.
    var hasKeysOfOneNumber: Bool {
        var keys: [Int: Set<String>] = [:]
        var last: [UInt8]?
        for token in tokens {
            switch token {
            case .string(let string): last = string
            case .space: break
            case .other(UInt8(ascii: ":")):
                let key = last.flatMap { try? JSONDecoder().decode(String.self, from: Data($0)) }
                guard let key, let number = Int(key) else { break }
                keys[number, default: []].insert(key)
            case .other, .number: last = nil
            }
        }
        return keys.values.contains { $0.count > 1 }
    }

    /// The text without the exponents of zeros, or `nil` if no zero has one.
    var withPlainZeros: Data? {
        var isChanged = false
        var bytes: [UInt8] = []
        for token in tokens {
            switch token {
            case .string(let string): bytes += string
            case .space(let byte), .other(let byte): bytes.append(byte)
            case .number(let number):
                let zero = Self.zero(number)
                isChanged = isChanged || zero != nil
                bytes += zero ?? number
            }
        }
        return isChanged ? Data(bytes) : nil
    }

    private static func zero(_ number: [UInt8]) -> [UInt8]? {
        guard let match = String(decoding: number, as: UTF8.self).wholeMatch(of: /(-?0(\.0+)?)[eE][+-]?[0-9]+/) else { return nil }
        return Array(match.1.utf8)
    }

    private static func isInNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"),
            UInt8(ascii: "E"):
            true
        default: false
        }
    }

    private static func endOfString(_ text: ArraySlice<UInt8>) -> Int {
        var index = text.startIndex + 1
        while index < text.endIndex {
            switch text[index] {
            case UInt8(ascii: "\\"): index += 2
            case UInt8(ascii: "\""): return index + 1
            default: index += 1
            }
        }
        return text.endIndex
    }

    /// Detects the encoding by the byte order mark, or by the zeros beside the ASCII characters at the start of JSON (RFC 4627 §3).
    private static func utf8(_ text: Data) -> [UInt8] {
        let start = Array(text.prefix(4)) + [1, 1, 1, 1]
        let encoding: String.Encoding? =
            switch (start[0], start[1], start[2], start[3]) {
            case (0xFF, 0xFE, 0, 0), (0, 0, 0xFE, 0xFF): .utf32
            case (0xFF, 0xFE, _, _), (0xFE, 0xFF, _, _): .utf16
            case (0, 0, 0, _): .utf32BigEndian
            case (_, 0, 0, 0): .utf32LittleEndian
            case (0, _, _, _): .utf16BigEndian
            case (_, 0, _, _): .utf16LittleEndian
            default: nil
            }
        guard let encoding else { return Array(text) }
        return String(data: text, encoding: encoding).map { Array($0.utf8) } ?? Array(text)
    }
}
