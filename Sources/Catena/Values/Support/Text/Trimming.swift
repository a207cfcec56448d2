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
        let wanted = [UInt8](bytes)
        guard let first = wanted.first else { return nil }
        let from = start.map { $0 - startIndex } ?? 0
        let place = withUnsafeBytes { all -> Int? in
            guard let base = all.baseAddress else { return nil }
            var place = from
            while place + wanted.count <= all.count {
                guard let found = memchr(base + place, Int32(first), all.count - wanted.count - place + 1) else { return nil }
                place = UnsafeRawPointer(found) - base
                if memcmp(found, wanted, wanted.count) == 0 { return place }
                place += 1
            }
            return nil
        }
        return place.map { startIndex + $0..<startIndex + $0 + wanted.count }
    }
}
