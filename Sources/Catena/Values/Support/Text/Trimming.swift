package import CatenaPlatform

extension StringProtocol {
    /// Returns the text without the spaces and tabs at its ends, the white space of header fields (RFC 9110 §5.6.3).
    package func trimmed() -> String { trimmed(of: " \t") }

    /// Returns the text without the given ASCII characters at its ends.
    package func trimmed(of characters: StaticString) -> String {
        trimmed { scalar in
            scalar.isASCII && characters.withUTF8Buffer { $0.contains(UInt8(truncatingIfNeeded: scalar.value)) }
        }
    }

    /// Returns the text without the white space of any language at its ends, line breaks included (White_Space in Unicode).
    package func trimmedWhole() -> String { trimmed { $0.properties.isWhitespace } }

    /// Returns the text without certain scalars at its ends.
    func trimmed(where isTrimmed: (Unicode.Scalar) -> Bool) -> String {
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !isTrimmed($0) }), let last = scalars.lastIndex(where: { !isTrimmed($0) }) else {
            return ""
        }
        return String(self[first..<scalars.index(after: last)])
    }

    /// Returns what follows the first occurrence of an ASCII text, which is in lower case here and in any case there.
    package func text(behind name: String) -> SubSequence? {
        let lower = utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        return lower.firstRange(of: name.utf8).map { self[utf8.index(utf8.startIndex, offsetBy: $0.upperBound)...] }
    }
}

extension Data {
    /// Returns the place of the first occurrence of bytes at or after an index.
    package func firstPlace(of bytes: Data, from start: Int? = nil) -> Range<Int>? {
        guard !bytes.isEmpty else { return nil }
        let rest = self[(start ?? startIndex)...]
        let offset = rest.withUnsafeBytes { rest in
            bytes.withUnsafeBytes { bytes -> Int? in
                guard let base = rest.baseAddress, let sought = bytes.baseAddress else { return nil }
                var place = 0
                while place + bytes.count <= rest.count {
                    let starts = rest.count - bytes.count - place + 1
                    guard let found = memchr(base + place, Int32(bytes[0]), starts) else { return nil }
                    place = UnsafeRawPointer(found) - base
                    if memcmp(found, sought, bytes.count) == 0 { return place }
                    place += 1
                }
                return nil
            }
        }
        return offset.map { rest.startIndex + $0..<rest.startIndex + $0 + bytes.count }
    }
}
