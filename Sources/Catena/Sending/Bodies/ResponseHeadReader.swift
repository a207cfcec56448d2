import CatenaPlatform

/// Reads the lines of a response's head as they arrive, and enforces the rules of HTTP. Pure.
///
/// An ambiguous head is refused, because libcurl may be lenient. If two readers interpret a head differently, one client can receive the
/// response of another (RFC 9112 §6.3, §11).
struct ResponseHeadReader {
    /// The reason why a head is refused.
    struct Violation: Error, Equatable {
        let reason: String
    }

    /// The limits of a head.
    enum Limits {
        static let fields = 1_000
        static let bytes = 256 * 1024
        static let interimHeads = 32
    }

    private(set) var status = 0
    private(set) var headers: [HTTPHeaders.Field] = []
    /// Whether the final head (not an interim one, RFC 9110 §15.2) is complete.
    private(set) var isComplete = false
    /// Whether the framing of the response is so ambiguous that its connection must not carry another response.
    private(set) var forbidsReuse = false
    /// The announced length of the body, which a body in chunks does not have.
    private(set) var contentLength: Int64?
    /// Whether a header says that the body is encoded.
    private(set) var isEncoded = false
    /// Whether the connection carries other responses at the same time (HTTP/2 and HTTP/3).
    private(set) var isMultiplexed = false

    private var heads = 0
    /// Whether a head has begun and its blank line has not come yet.
    private var isInHead = false
    private var lines = 0
    private var bytes = 0
    private var hasTransferEncoding = false
    /// The number of types that the head has.
    private var types = 0
    /// The number of seconds for which the server keeps the connection open without a request, or `nil` if it does not say.
    private(set) var keptFor: Int64?

    /// Whether the body comes in chunks (RFC 9112 §7.1).
    var isChunked: Bool { hasTransferEncoding }

    var lineCount: Int { lines }

    var hasBegun: Bool { heads > 0 }

    /// Reads the next line, with or without its line break. Returns whether the line completes the head.
    @discardableResult
    mutating func read(_ line: UnsafeRawBufferPointer) throws(Violation) -> Bool {
        lines += 1
        bytes += line.count
        guard lines <= Limits.fields, bytes <= Limits.bytes else { throw Violation(reason: "the head of the response is too long") }
        // Discard trailers, as RFC 9110 §6.5 allows, because versions of libcurl differ in the trailers that they let through.
        if isComplete {
            guard !line.contains(0) else { throw Violation(reason: "a trailer contains a control character") }
            return false
        }
        var end = line.count
        if end > 0, line[end - 1] == 0x0A { end -= 1 }
        if end > 0, line[end - 1] == 0x0D { end -= 1 }
        let line = UnsafeRawBufferPointer(rebasing: line[..<end])
        if line.isEmpty {
            try endHead()
        } else if line.begins(with: "HTTP/") {
            try beginHead(line)
        } else if line.first == 0x20 || line.first == 0x09 {
            try unfold(line)
        } else {
            try field(line)
        }
        return isComplete
    }

    // MARK: Status line

    private mutating func beginHead(_ line: UnsafeRawBufferPointer) throws(Violation) {
        // Two readers could use different statuses.
        guard !isInHead else { throw Violation(reason: "there are two status lines") }
        heads += 1
        isInHead = true
        guard heads <= Limits.interimHeads else { throw Violation(reason: "too many interim responses") }
        headers = []
        headers.reserveCapacity(12)
        types = 0
        forbidsReuse = false
        contentLength = nil
        isEncoded = false
        hasTransferEncoding = false
        keptFor = nil
        let version = line.firstIndex(of: 0x20) ?? line.count
        let isKnown =
            switch version {
            case 8: line.begins(with: "HTTP/1.1") || line.begins(with: "HTTP/1.0")
            case 6: line.begins(with: "HTTP/2") || line.begins(with: "HTTP/3")
            default: false
            }
        guard isKnown, version < line.count else { throw Violation(reason: "the status line is malformed") }
        isMultiplexed = version == 6
        let rest = UnsafeRawBufferPointer(rebasing: line[(version + 1)...])
        let digits = rest.prefix { $0 != 0x20 }
        guard digits.count == 3, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), digits.first != 0x30 else {
            throw Violation(reason: "the status is not a number of three digits")
        }
        // Some readers end the line at a CR (RFC 9112 §2.2) and the text at a NUL.
        guard !rest.dropFirst(3).contains(where: { $0 == 0x0D || $0 == 0x0A || $0 == 0 }) else {
            throw Violation(reason: "the reason of the status has a control character")
        }
        let status = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        // Catena never requests an upgrade, and the connection would belong to another protocol from here on (RFC 9110 §15.2.2).
        guard status != 101 else { throw Violation(reason: "the protocol was switched unasked") }
        self.status = status
    }

    private mutating func endHead() throws(Violation) {
        guard isInHead else { throw Violation(reason: "the status line is missing") }
        isInHead = false
        guard status >= 200 else { return }
        isComplete = true
        if types > 1 { dropRepeatedTypes() }
        if status == 204, hasTransferEncoding || (contentLength ?? 0) > 0 { forbidsReuse = true }
        guard hasTransferEncoding, contentLength != nil else { return }
        forbidsReuse = true
        // The chunks override the length (RFC 9112 §6.3).
        contentLength = nil
    }

    /// Keeps a repeated identical type only once. At the end of the head, because a continued line belongs to the last field.
    private mutating func dropRepeatedTypes() {
        var known: Set<String> = []
        headers.removeAll { sameHeaderName($0.name, "Content-Type") && !known.insert($0.value).inserted }
    }

    // MARK: Fields

    private mutating func field(_ line: UnsafeRawBufferPointer) throws(Violation) {
        guard isInHead else { throw Violation(reason: "the status line is missing") }
        guard let colon = line.firstIndex(of: 0x3A) else { throw Violation(reason: "a header has no colon") }
        let bytes = UnsafeRawBufferPointer(rebasing: line[..<colon])
        guard HeaderRules.isToken(bytes) else { throw Violation(reason: "the name of a header is malformed") }
        let name = String(decoding: bytes, as: UTF8.self)
        let isLocation = colon == 8 && sameHeaderName(name, "Location")
        let value = try Self.value(UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]), isAddress: isLocation)
        headers.append(HTTPHeaders.Field(name: name, value: value))
        switch colon {
        case 12 where sameHeaderName(name, "Content-Type"): types += 1
        case 10 where sameHeaderName(name, "Keep-Alive"): keptFor = Self.timeout(value)
        case 14 where sameHeaderName(name, "Content-Length"): try length(value)
        case 16 where sameHeaderName(name, "Content-Encoding"): isEncoded = true
        case 17 where sameHeaderName(name, "Transfer-Encoding"): try encoding(value)
        default: break
        }
    }

    /// Appends a line that continues the previous one (RFC 9112 §5.2).
    private mutating func unfold(_ line: UnsafeRawBufferPointer) throws(Violation) {
        guard let last = headers.popLast() else { throw Violation(reason: "a continued line continues nothing") }
        guard !sameHeaderName(last.name, "Content-Length"), !sameHeaderName(last.name, "Transfer-Encoding") else {
            throw Violation(reason: "a header that frames the body is broken over lines")
        }
        let parts = [last.value, try Self.value(line, isAddress: sameHeaderName(last.name, "Location"))]
        headers.append(HTTPHeaders.Field(name: last.name, value: parts.filter { !$0.isEmpty }.joined(separator: " ")))
    }

    private static func value(_ line: UnsafeRawBufferPointer, isAddress: Bool = false) throws(Violation) -> String {
        var (start, end) = (0, line.count)
        while start < end, line[start] == 0x20 || line[start] == 0x09 { start += 1 }
        while end > start, line[end - 1] == 0x20 || line[end - 1] == 0x09 { end -= 1 }
        let bytes = UnsafeRawBufferPointer(rebasing: line[start..<end])
        var isASCII = true
        for byte in bytes {
            if byte >= 0x80 { isASCII = false }
            guard byte >= 0x20 && byte != 0x7F || byte == 0x09 else { throw Violation(reason: "a header contains a control character") }
        }
        if isASCII { return String(decoding: bytes, as: UTF8.self) }
        if let text = String(wholeUTF8: bytes[...]) { return text }
        // Keep the bytes of an address, because characters would be percent-encoded as other bytes.
        if isAddress { return percentEncoded(bytes) }
        // Servers write file names in UTF-8 or in another encoding. Latin-1 has a character for every byte.
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// Returns an address with its non-ASCII bytes percent-encoded (RFC 3986 §2.1).
    private static func percentEncoded(_ bytes: UnsafeRawBufferPointer) -> String {
        var text = ""
        for byte in bytes {
            text += byte < 0x80 ? String(Unicode.Scalar(byte)) : "%" + String(byte, radix: 16, uppercase: true)
        }
        return text
    }

    private mutating func length(_ value: String) throws(Violation) {
        if contentLength == nil, let length = Self.plainNumber(value) { return contentLength = length }
        for part in value.split(separator: ",", omittingEmptySubsequences: false) {
            let digits = part.drop { $0 == " " }
            guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let length = Int64(digits) else {
                throw Violation(reason: "the Content-Length is not a number")
            }
            guard contentLength == nil || contentLength == length else { throw Violation(reason: "there are two Content-Lengths") }
            contentLength = length
        }
    }

    /// Returns the number if the text is 1 to 18 digits. This is cheaper than the general parser of comma-separated lists.
    private static func plainNumber(_ text: String) -> Int64? {
        guard (1...18).contains(text.utf8.count) else { return nil }
        var number: Int64 = 0
        for digit in text.utf8 {
            guard digit >= 0x30, digit <= 0x39 else { return nil }
            number = number * 10 + Int64(digit - 0x30)
        }
        return number
    }

    /// Returns the seconds of a value such as `timeout=5, max=100`.
    private static func timeout(_ value: String) -> Int64? {
        for part in value.split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmed() }
            if pair.count == 2, pair[0].lowercased() == "timeout" { return plainNumber(pair[1]).map { min($0, 86_400) } }
        }
        return nil
    }

    private mutating func encoding(_ value: String) throws(Violation) {
        guard !hasTransferEncoding, value.lowercased() == "chunked" else {
            throw Violation(reason: "the Transfer-Encoding is not just \"chunked\"")
        }
        hasTransferEncoding = true
    }
}
