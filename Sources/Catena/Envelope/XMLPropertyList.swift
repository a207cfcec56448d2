import Foundation

/// The elements of a property list in XML, as far as it matters how deeply they are nested; nothing is decoded.
struct XMLPropertyList {
    typealias Refusal = PropertyListCheck.Refusal

    /// The encodings in which a byte below 128 is a character of ASCII, and nothing else: in others elements could hide.
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
        guard text.hasPrefix("<?xml"), let name = text.range(of: "encoding") else { return }
        let quoted = text[name.upperBound...].split(whereSeparator: { "\"'".contains($0) }).dropFirst().first
        guard let quoted, Self.encodings.contains(quoted.lowercased()) else { throw Refusal(reason: "is not in UTF-8") }
    }

    /// The name of the document type, which may have entities of its own. No property list has any.
    private mutating func declaration() throws(Refusal) {
        let start = position
        try skip("<!", past: ">")
        guard !bytes[start..<position].contains(UInt8(ascii: "[")) else { throw Refusal(reason: "declares entities") }
        guard depth == 0 else { throw Self.malformed }
    }

    /// A tag ends with the first angle bracket: attributes, of which only the version has one, have none in their values.
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
        // One for the list itself, and one for what is innermost.
        guard depth <= PropertyListCheck.depthLimit + 2 else {
            throw Refusal(reason: "is nested more than \(PropertyListCheck.depthLimit) deep")
        }
    }
}

/// Looks at the bytes of a property list before Foundation does, which follows every reference and nests as deeply as it is told: a list that
/// contains itself never ends, a few hundred bytes unfold to more than any memory holds, and deep ones overflow the stack.
enum PropertyListCheck {
    /// Why a property list is not read.
    struct Refusal: LocalizedError, Equatable {
        let reason: String

        var errorDescription: String? { "the property list \(reason)" }
    }

    /// How deeply arrays and dictionaries may be nested.
    static let depthLimit = 128
    /// How many objects a binary list may unfold to when each is counted as often as it is referred to, at least; a longer list may have as
    /// many as it has bytes, for each reference takes one.
    static let objectAllowance = 100_000
    /// In bytes: how much text and data a binary list may unfold to, counted likewise, at least; a longer list may have ``expansion`` times
    /// its own length, since writers store equal texts once.
    static let contentAllowance = 4 * 1024 * 1024
    static let expansion = 32

    /// Throws a ``Refusal`` unless the bytes are a property list, in XML or binary, that can be read in bounded time and memory.
    static func check(_ data: Data) throws(Refusal) {
        let result = data.withUnsafeBytes { bytes in
            Result { () throws(Refusal) in
                if bytes.starts(with: "bplist".utf8) {
                    var list = try BinaryPropertyList(bytes)
                    try list.check()
                } else {
                    var list = XMLPropertyList(bytes)
                    try list.check()
                }
            }
        }
        try result.get()
    }
}

/// A property list decoder that looks at the bytes first.
struct CheckedPropertyListDecoder: PayloadDecoder {
    let decoder: PropertyListDecoder

    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try PropertyListCheck.check(data)
        return try decoder.decode(type, from: data)
    }
}
