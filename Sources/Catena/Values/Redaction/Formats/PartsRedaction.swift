import CatenaPlatform

extension RedactionPass {
    /// Redacts the values of secrets in a multipart body (RFC 2046 §5.1) with any line endings, and leaves the rest unchanged.
    ///
    /// - Parameter boundary: The boundary of the media type, or `nil` if the first line is the delimiter.
    mutating func parts(_ bytes: [UInt8], boundary: [UInt8]?) -> [UInt8] {
        let firstLine = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
        var places = boundary.map { Self.lines(beginningWith: Array("--".utf8) + $0, in: bytes) } ?? []
        // The sender may use another boundary than the one that it has declared.
        if places.isEmpty, firstLine.starts(with: "--".utf8) { places = Self.lines(beginningWith: Array(firstLine), in: bytes) }
        // A body without parts is read by its beginning, whatever its media type says.
        guard !places.isEmpty else { return redact(bytes, as: BodyForm(within: bytes)) }
        var output = nested(Array(bytes[..<places[0]])) ?? Array(bytes[..<places[0]])
        places.append(bytes.count)
        for (start, end) in zip(places, places.dropFirst()) { output += part(bytes[start..<end]) }
        // Lines that only look like delimiters and heads, such as those of a private key, are text.
        return text(output[...])
    }

    /// Returns the starts of the lines that begin with `wanted`.
    private static func lines(beginningWith wanted: [UInt8], in bytes: [UInt8]) -> [Int] {
        guard wanted.count > 2 else { return [] }
        var places: [Int] = []
        var start = 0
        while start < bytes.count {
            if bytes[start...].starts(with: wanted) { places.append(start) }
            start = bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
        }
        return places
    }

    /// Redacts a part: its delimiter, its head and its content up to the next delimiter.
    private mutating func part(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var lines: [ArraySlice<UInt8>] = []
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let end = bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.endIndex
            lines.append(bytes[start..<end])
            start = end
            // The head ends with an empty line.
            if lines.count > 1, lines[lines.count - 1].allSatisfy({ $0 == 0x0A || $0 == 0x0D }) { break }
        }
        let head = lines.dropFirst().map { String(decoding: $0, as: UTF8.self) }
        let fields = head.map { line in
            (
                name: line.prefix { $0 != ":" }.lowercased(),
                value: line.drop { $0 != ":" }.dropFirst().trimmedWhole()
            )
        }
        let disposition = fields.first { $0.name == "content-disposition" }?.value ?? ""
        let type = fields.first { $0.name == "content-type" }?.value
        let content = bytes[start...]
        // The line break before a delimiter is part of the delimiter.
        let lineEnd = content.hasSuffix("\r\n") ? 2 : content.hasSuffix("\n") ? 1 : 0
        let inner = content.dropLast(lineEnd)
        let written = lines.flatMap { nested(Array($0)) ?? Array($0) }
        return written + self.content(inner, name: Self.parameter("name", of: disposition), type: type) + content.suffix(lineEnd)
    }

    private mutating func content(_ content: ArraySlice<UInt8>, name: String, type: String?) -> [UInt8] {
        guard !content.isEmpty else { return [] }
        if isSecret(Array(name.utf8)[...]) {
            note(content)
            return Array(Redaction.mark.utf8)
        }
        let content = Array(content)
        let form = BodyForm(content, contentType: type)
        // Bytes of unknown form, such as a picture, stay unless they contain a secret.
        guard form.isKnown(in: content) else { return redact(body: content, contentType: type) ?? Array(Redaction.mark.utf8) }
        return nested(content, as: form) ?? content
    }

    /// Returns a parameter of a field's value, quoted or not (RFC 2183 §2).
    private static func parameter(_ name: String, of value: String) -> String {
        for parameter in value.split(separator: ";").dropFirst() {
            let sides = parameter.split(separator: "=", maxSplits: 1).map { $0.trimmed() }
            guard sides.count == 2 else { continue }
            if sides[0].lowercased() == name { return sides[1].trimmed(of: "\"") }
            // RFC 8187 §3.2: name*=UTF-8''…
            if sides[0].lowercased() == name + "*" {
                return PercentDecoding.decode(sides[1].split(separator: "'").last ?? "", plusIsSpace: false)
            }
        }
        return ""
    }
}

extension ArraySlice<UInt8> {
    fileprivate func hasSuffix(_ end: String) -> Bool { suffix(end.utf8.count).elementsEqual(end.utf8) }
}
