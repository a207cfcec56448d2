import Foundation

/// Reads the lines of a response's head as they arrive, and holds them to the rules of HTTP. Pure.
///
/// What carries the bytes may be lenient, and two readers who take a doubtful head in two ways are how one client gets the response of
/// another (RFC 9112 §6.3, §11). So what is doubtful is refused.
struct ResponseHeadReader {
    /// Why a head is refused.
    struct Violation: Error, Equatable {
        let reason: String
    }

    /// How much of a head is read.
    enum Limits {
        static let fields = 1_000
        static let bytes = 256 * 1024
        static let interimHeads = 32
    }

    private(set) var status = 0
    private(set) var headers: [HTTPHeaders.Field] = []
    /// Whether the final head (not an interim one, RFC 9110 §15.2) is complete.
    private(set) var isComplete = false
    /// Whether the response is framed so oddly that its connection must not carry another one.
    private(set) var forbidsReuse = false
    /// The announced length of the body.
    private(set) var contentLength: Int64?

    private var heads = 0
    /// Whether a head has begun and its blank line has not come yet.
    private var isInHead = false
    private var lines = 0
    private var bytes = 0
    private var hasTransferEncoding = false

    /// Whether any complete line has arrived.
    var hasBegun: Bool { heads > 0 }

    /// Takes the next line, with or without its line break.
    mutating func read(_ line: UnsafeRawBufferPointer) throws(Violation) {
        lines += 1
        bytes += line.count
        guard lines <= Limits.fields, bytes <= Limits.bytes else { throw Violation(reason: "the head of the response is too long") }
        var line = line[...]
        if line.last == 0x0A { line = line.dropLast() }
        if line.last == 0x0D { line = line.dropLast() }
        if isComplete {
            // Trailers (RFC 9110 §6.5) may be discarded, and are.
            return
        }
        if line.isEmpty {
            try endHead()
        } else if line.starts(with: "HTTP/".utf8) {
            try beginHead(line)
        } else if line.first == 0x20 || line.first == 0x09 {
            try unfold(line)
        } else {
            try field(line)
        }
    }

    // MARK: Status line

    private mutating func beginHead(_ line: Slice<UnsafeRawBufferPointer>) throws(Violation) {
        // Which of two statuses counts is what two readers would not agree on.
        guard !isInHead else { throw Violation(reason: "there are two status lines") }
        heads += 1
        isInHead = true
        guard heads <= Limits.interimHeads else { throw Violation(reason: "too many interim responses") }
        headers = []
        forbidsReuse = false
        contentLength = nil
        hasTransferEncoding = false
        let parts = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, ["HTTP/1.1", "HTTP/1.0", "HTTP/2", "HTTP/3"].contains(String(decoding: parts[0], as: UTF8.self)) else {
            throw Violation(reason: "the status line is malformed")
        }
        guard parts[1].count == 3, let status = Int(String(decoding: parts[1], as: UTF8.self)), status >= 100 else {
            throw Violation(reason: "the status is not a number of three digits")
        }
        // The connection would belong to another protocol from here on, which nobody asked for (RFC 9110 §15.2.2).
        guard status != 101 else { throw Violation(reason: "the protocol was switched unasked") }
        self.status = status
    }

    private mutating func endHead() throws(Violation) {
        guard isInHead else { throw Violation(reason: "the status line is missing") }
        isInHead = false
        guard status >= 200 else { return }
        isComplete = true
        if hasTransferEncoding, contentLength != nil { forbidsReuse = true }
        if status == 204, hasTransferEncoding || (contentLength ?? 0) > 0 { forbidsReuse = true }
    }

    // MARK: Fields

    private mutating func field(_ line: Slice<UnsafeRawBufferPointer>) throws(Violation) {
        guard isInHead else { throw Violation(reason: "the status line is missing") }
        guard let colon = line.firstIndex(of: 0x3A) else { throw Violation(reason: "a header has no colon") }
        let name = String(decoding: line[..<colon], as: UTF8.self)
        guard HeaderRules.isToken(name) else { throw Violation(reason: "the name of a header is malformed") }
        let value = try Self.value(line[line.index(after: colon)...], isAddress: sameHeaderName(name, "Location"))
        headers.append(HTTPHeaders.Field(name: name, value: value))
        switch line[..<colon].count {
        case 14 where sameHeaderName(name, "Content-Length"): try length(value)
        case 17 where sameHeaderName(name, "Transfer-Encoding"): try encoding(value)
        default: break
        }
    }

    /// A line that continues the one before (RFC 9112 §5.2).
    private mutating func unfold(_ line: Slice<UnsafeRawBufferPointer>) throws(Violation) {
        guard let last = headers.popLast() else { throw Violation(reason: "a continued line continues nothing") }
        guard !sameHeaderName(last.name, "Content-Length"), !sameHeaderName(last.name, "Transfer-Encoding") else {
            throw Violation(reason: "a header that frames the body is broken over lines")
        }
        let parts = [last.value, try Self.value(line, isAddress: sameHeaderName(last.name, "Location"))]
        headers.append(HTTPHeaders.Field(name: last.name, value: parts.filter { !$0.isEmpty }.joined(separator: " ")))
    }

    private static func value(_ bytes: Slice<UnsafeRawBufferPointer>, isAddress: Bool = false) throws(Violation) -> String {
        var bytes = bytes
        while let first = bytes.first, first == 0x20 || first == 0x09 { bytes = bytes.dropFirst() }
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes = bytes.dropLast() }
        var isASCII = true
        for byte in bytes {
            if byte >= 0x80 { isASCII = false }
            guard byte >= 0x20 && byte != 0x7F || byte == 0x09 else { throw Violation(reason: "a header contains a control character") }
        }
        if isASCII { return String(decoding: bytes, as: UTF8.self) }
        if let text = String(wholeUTF8: bytes) { return text }
        // In an address the bytes themselves count: as characters they would be encoded to others.
        if isAddress { return percentEncoded(bytes) }
        // Names of files come in UTF-8 or in whatever the server's author had; Latin-1 gives every byte a character.
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// An address with its bytes beyond ASCII as an address may have them (RFC 3986 §2.1).
    private static func percentEncoded(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        var text = ""
        for byte in bytes {
            text += byte < 0x80 ? String(Unicode.Scalar(byte)) : "%" + String(byte, radix: 16, uppercase: true)
        }
        return text
    }

    private mutating func length(_ value: String) throws(Violation) {
        for part in value.split(separator: ",", omittingEmptySubsequences: false) {
            let digits = part.drop { $0 == " " }
            guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let length = Int64(digits) else {
                throw Violation(reason: "the Content-Length is not a number")
            }
            guard contentLength == nil || contentLength == length else { throw Violation(reason: "there are two Content-Lengths") }
            contentLength = length
        }
    }

    private mutating func encoding(_ value: String) throws(Violation) {
        guard !hasTransferEncoding, value.lowercased() == "chunked" else {
            throw Violation(reason: "the Transfer-Encoding is not just \"chunked\"")
        }
        hasTransferEncoding = true
    }
}
