import CatenaPlatform

/// Checks the nesting of the elements of an XML property list, without decoding anything.
struct XMLPropertyList {
    typealias Refusal = PropertyListCheck.Refusal

    /// The encodings in which a byte below 128 is always the ASCII character. Other encodings could hide elements.
    private static let encodings: Set<String> = ["utf-8", "us-ascii", "ascii", "iso-8859-1", "latin1", "windows-1252"]

    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    private var depth = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    mutating func check() throws(Refusal) {
        if begins(with: "\u{FEFF}") { position = 3 }
        guard bytes[position...].first(where: { $0 > 0x20 }) == UInt8(ascii: "<") else {
            throw Refusal(reason: "is neither in XML nor binary")
        }
        guard !bytes.contains(0) else { throw Refusal(reason: "is not in UTF-8") }
        while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            position = start
            if begins(with: "<!--") {
                try skip("<!--", past: "-->")
            } else if begins(with: "<![CDATA[") {
                try skip("<![CDATA[", past: "]]>")
            } else if begins(with: "<?") {
                try instruction()
            } else if begins(with: "<!") {
                try declaration()
            } else {
                try tag()
            }
        }
    }

    private static var malformed: Refusal { Refusal(reason: "is malformed") }

    private func begins(with text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

    private mutating func skip(_ start: String, past end: String) throws(Refusal) {
        let end = Array(end.utf8)
        position += start.utf8.count
        while position < bytes.count {
            if bytes[position...].starts(with: end) {
                position += end.count
                return
            }
            position += 1
        }
        throw Self.malformed
    }

    private mutating func instruction() throws(Refusal) {
        let start = position
        try skip("<?", past: "?>")
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard text.hasPrefix("<?xml"), let name = text.firstRange(of: "encoding") else { return }
        let quoted = text[name.upperBound...].split(whereSeparator: { "\"'".contains($0) }).dropFirst().first
        guard let quoted, Self.encodings.contains(quoted.lowercased()) else { throw Refusal(reason: "is not in UTF-8") }
    }

    /// Skips the document type declaration. Throws if it declares entities, which no property list needs.
    private mutating func declaration() throws(Refusal) {
        let start = position
        try skip("<!", past: ">")
        guard !bytes[start..<position].contains(UInt8(ascii: "[")) else { throw Refusal(reason: "declares entities") }
        guard depth == 0 else { throw Self.malformed }
    }

    /// Reads a tag up to the first angle bracket. The value of an attribute, which only the version has, contains none.
    private mutating func tag() throws(Refusal) {
        let isEnd = begins(with: "</")
        let quotes = [UInt8(ascii: "\""), UInt8(ascii: "'")]
        guard let end = bytes[(position + 1)...].firstIndex(where: { $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "<") }),
            bytes[end] == UInt8(ascii: ">"),
            quotes.allSatisfy({ quote in bytes[position..<end].count { $0 == quote }.isMultiple(of: 2) })
        else { throw Self.malformed }
        if isEnd {
            depth -= 1
        } else if bytes[end - 1] != UInt8(ascii: "/") {
            depth += 1
        }
        position = end
        guard depth >= 0 else { throw Self.malformed }
        // Allow one level for the list itself, and one for the innermost value.
        guard depth <= PropertyListCheck.depthLimit + 2 else {
            throw Refusal(reason: "is nested more than \(PropertyListCheck.depthLimit) deep")
        }
    }
}
