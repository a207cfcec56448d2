package import CatenaPlatform

/// Converts the text of a body to UTF-8, the only encoding that the scanner reads.
package enum BodyText {
    /// Returns the body in UTF-8, or unchanged if it is UTF-8 already or its encoding is unknown.
    ///
    /// JSON on the network is UTF-8 (RFC 8259 §8.1), and its `charset` has no meaning (§11). But some backends send and declare another
    /// encoding, and the messages in their bodies must be readable for the user.
    package static func utf8(of response: HTTPResponse) -> Data {
        utf8(of: response.body, declaredBy: response.headers, else: response.assumedCharset)
    }

    /// Converts a body by its first bytes, its Content-Type, its XML declaration or `assumedCharset`, in this order.
    static func utf8(of body: Data, declaredBy headers: HTTPHeaders?, else assumedCharset: String? = nil) -> Data {
        let start = Start(body)
        if let encoding = start.wideEncoding { return transcode(body, encoding) }
        let ownCharset = start.isTag ? charset(ofXML: body) : nil
        guard let encoding = declaredEncoding(of: headers, else: ownCharset ?? assumedCharset), !body.starts(with: mark) else {
            return body
        }
        return isUTF8(body, although: encoding) ? body : transcode(body, encoding)
    }

    /// The byte order mark with which UTF-8 may begin.
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Returns the body as text, without a byte order mark.
    static func string(of utf8: Data) -> String {
        String(decoding: utf8.starts(with: mark) ? utf8.dropFirst(mark.count) : utf8, as: UTF8.self)
    }

    /// Returns the encoding that the response declares, or the tag's encoding for responses that declare none. Returns `nil` for UTF-8 and
    /// for an unknown encoding.
    static func declaredEncoding(of response: HTTPResponse) -> String.Encoding? {
        declaredEncoding(of: response.headers, else: response.assumedCharset)
    }

    private static func declaredEncoding(of headers: HTTPHeaders?, else assumedCharset: String?) -> String.Encoding? {
        (charset(of: headers?["Content-Type"]) ?? assumedCharset).flatMap { CharacterEncodings.encoding($0) }
    }

    /// Returns whether a line break is one byte, so that lines can be split before they are decoded. No supported encoding of this kind has the byte in
    /// another character.
    static func hasPlainLineBreaks(_ encoding: String.Encoding) -> Bool {
        !ForeignText.wide.contains(encoding)
    }

    /// Returns the text of a line of a body; bytes that are invalid in the encoding become U+FFFD.
    static func string(_ line: UnsafeRawBufferPointer, _ encoding: String.Encoding?) -> String {
        guard let encoding else { return String(decoding: line, as: UTF8.self) }
        return String(decoding: utf8(line, encoding), as: UTF8.self)
    }

    /// Returns a line of a body in UTF-8.
    static func utf8(_ line: UnsafeRawBufferPointer, _ encoding: String.Encoding?) -> Data {
        let line = Data(line)
        guard let encoding, !isUTF8(line, although: encoding) else { return line }
        return transcode(line, encoding)
    }

    /// Returns whether text is UTF-8 although it is declared as ISO-8859-1 or Windows-1252. Many servers declare ISO-8859-1 for everything,
    /// because it once was HTTP's default.
    private static func isUTF8(_ text: Data, although encoding: String.Encoding) -> Bool {
        (encoding == .isoLatin1 || encoding == .windowsCP1252) && String(wholeUTF8: text) != nil
    }

    /// The first four bytes. Missing bytes are 1, because zeros would look like UTF-16 or UTF-32.
    private struct Start {
        private let bytes: (UInt8, UInt8, UInt8, UInt8)

        init(_ body: Data) {
            bytes = body.withUnsafeBytes { bytes in
                func byte(_ offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 1 }
                return (byte(0), byte(1), byte(2), byte(3))
            }
        }

        var isTag: Bool { bytes.0 == UInt8(ascii: "<") }

        /// UTF-16 or UTF-32, recognized by the byte order mark or by the zeros of the ASCII characters with which JSON begins (RFC 4627
        /// §3).
        var wideEncoding: String.Encoding? {
            switch bytes {
            case (0xFF, 0xFE, 0, 0), (0, 0, 0xFE, 0xFF): .utf32
            case (0xFF, 0xFE, _, _), (0xFE, 0xFF, _, _): .utf16
            case (0, 0, 0, 1...0x7F): .utf32BigEndian
            case (1...0x7F, 0, 0, 0): .utf32LittleEndian
            case (0, 1...0x7F, _, _): .utf16BigEndian
            case (1...0x7F, 0, _, _): .utf16LittleEndian
            default: nil
            }
        }
    }

    private static func transcode(_ body: Data, _ encoding: String.Encoding) -> Data {
        ForeignText(encoding: encoding).utf8(body)
    }

    /// Returns the charset parameter of a media type, in lower case (RFC 9110 §8.3.1).
    private static func charset(of mediaType: String?) -> String? {
        // Most responses have exactly this type.
        guard let mediaType, mediaType != "application/json", mediaType.utf8.contains(UInt8(ascii: ";")) else { return nil }
        let charset = HeaderParameters(mediaType).value(of: "charset")?.lowercased()
        // Some servers use single quotes.
        return charset?.trimmed(of: "'")
    }

    /// Returns the encoding that an XML document declares: `<?xml version="1.0" encoding="gbk"?>` (XML 1.0 §4.3.3).
    private static func charset(ofXML body: Data) -> String? {
        guard body.starts(with: Array("<?xml".utf8)) else { return nil }
        let declaration = String(decoding: body.prefix(200).prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self)
        guard let name = declaration.firstRange(of: "encoding") else { return nil }
        let value = declaration[name.upperBound...].drop { $0 == "=" || $0.isWhitespace }
        guard let quote = value.first, quote == "\"" || quote == "'" else { return nil }
        return value.dropFirst().prefix { $0 != quote }.lowercased()
    }
}
