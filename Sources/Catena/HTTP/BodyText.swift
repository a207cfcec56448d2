package import Foundation

/// Brings the text of a body into UTF-8, the only encoding that the scanner reads.
package enum BodyText {
    /// The body in UTF-8; as it is if it is that already, or if its encoding is not known.
    ///
    /// JSON on the net is UTF-8 (RFC 8259 §8.1), and a `charset` has no meaning for it (§11). Backends exist that send something
    /// else and say so, and a message that cannot be read helps nobody.
    package static func utf8(of response: HTTPResponse) -> Data {
        utf8(of: response.body, declaredBy: response.headers, else: response.assumedCharset)
    }

    /// The same of a body alone.
    static func utf8(of body: Data, declaredBy headers: HTTPHeaders?, else assumedCharset: String? = nil) -> Data {
        let start = Start(body)
        if let encoding = start.wideEncoding { return transcode(body, encoding) }
        let ownCharset = start.isTag ? charset(ofXML: body) : nil
        guard let encoding = declaredEncoding(of: headers, else: ownCharset ?? assumedCharset), !body.starts(with: mark) else {
            return body
        }
        return isUTF8(body, although: encoding) ? body : transcode(body, encoding)
    }

    /// What UTF-8 may begin with.
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The body as text, without a mark of its encoding.
    static func string(of utf8: Data) -> String {
        String(decoding: utf8.starts(with: mark) ? utf8.dropFirst(mark.count) : utf8, as: UTF8.self)
    }

    /// The encoding that the response declares, or that its tag says of responses that declare none; `nil` if it is UTF-8 or not known.
    static func declaredEncoding(of response: HTTPResponse) -> String.Encoding? {
        declaredEncoding(of: response.headers, else: response.assumedCharset)
    }

    private static func declaredEncoding(of headers: HTTPHeaders?, else assumedCharset: String?) -> String.Encoding? {
        (charset(of: headers?["Content-Type"]) ?? assumedCharset).flatMap { CharacterEncodings.encoding($0) }
    }

    /// Whether a line break is one byte, and that byte is nothing else.
    static func hasPlainLineBreaks(_ encoding: String.Encoding) -> Bool {
        encoding == .japaneseEUC || "\n".data(using: encoding)?.count == 1
    }

    /// A line of a body; what does not belong to the encoding is replaced by U+FFFD.
    static func string(_ line: UnsafeRawBufferPointer, _ encoding: String.Encoding?) -> String {
        guard let encoding else { return String(decoding: line, as: UTF8.self) }
        return String(decoding: utf8(line, encoding), as: UTF8.self)
    }

    /// A line of a body in UTF-8.
    static func utf8(_ line: UnsafeRawBufferPointer, _ encoding: String.Encoding?) -> Data {
        let line = Data(line)
        guard let encoding, !isUTF8(line, although: encoding) else { return line }
        return transcode(line, encoding)
    }

    /// Many servers say ISO-8859-1 of everything, because HTTP once had that as its default.
    private static func isUTF8(_ text: Data, although encoding: String.Encoding) -> Bool {
        (encoding == .isoLatin1 || encoding == .windowsCP1252) && String(wholeUTF8: text) != nil
    }

    /// The first four bytes, which say most of an encoding; 1 where there are not as many.
    private struct Start {
        private let bytes: (UInt8, UInt8, UInt8, UInt8)

        init(_ body: Data) {
            bytes = body.withUnsafeBytes { bytes in
                func byte(_ offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 1 }
                return (byte(0), byte(1), byte(2), byte(3))
            }
        }

        var isTag: Bool { bytes.0 == UInt8(ascii: "<") }

        /// UTF-16 and UTF-32, by their byte order mark or by the zeros of the ASCII characters that JSON begins with (RFC 4627 §3).
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

    /// The charset parameter of a media type, in lower case (RFC 9110 §8.3.1).
    private static func charset(of mediaType: String?) -> String? {
        // The first is what most responses say.
        guard let mediaType, mediaType != "application/json", mediaType.utf8.contains(UInt8(ascii: ";")) else { return nil }
        let charset = HeaderParameters(mediaType).value(of: "charset")?.lowercased()
        // Some servers take single quotes for quotes.
        return charset?.trimmingCharacters(in: ["'"])
    }

    /// The encoding that an XML document declares of itself: `<?xml version="1.0" encoding="gbk"?>` (XML 1.0 §4.3.3).
    private static func charset(ofXML body: Data) -> String? {
        guard body.starts(with: Array("<?xml".utf8)) else { return nil }
        let declaration = String(decoding: body.prefix(200).prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self)
        guard let name = declaration.range(of: "encoding") else { return nil }
        let value = declaration[name.upperBound...].drop { $0 == "=" || $0.isWhitespace }
        guard let quote = value.first, quote == "\"" || quote == "'" else { return nil }
        return value.dropFirst().prefix { $0 != quote }.lowercased()
    }
}
