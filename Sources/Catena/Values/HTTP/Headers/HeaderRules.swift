/// The characters allowed in header fields and request lines (RFC 9110 §5.1, §5.5, §9.1).
///
/// The layers below do not check this, and a line break in a name or a method would start a second request.
package enum HeaderRules {
    /// The headers, in lower case, that may go to another origin: properties of the client and the requested range. All other headers,
    /// secret or not, are bound to their origin.
    static let portable: Set<String> = ["accept", "accept-encoding", "accept-language", "user-agent", "range", "if-range"]

    /// The reason why a field is rejected. It never contains the value, which may be secret.
    package struct Fault: Error {
        package let name: String
        package let reason: String

        /// The name, escaped so that it cannot break a line of a log.
        var printableName: String {
            String(name.unicodeScalars.prefix(40).map { $0.isASCII && $0.value >= 0x20 && $0.value != 0x7F ? Character($0) : "?" })
        }
    }

    /// Returns whether a header describes the message itself and is derived from the body and the connection.
    private static func isReserved(_ name: String) -> Bool {
        // The length alone rules out nearly every name.
        switch name.utf8.count {
        case 2: sameHeaderName(name, "TE")
        case 4: sameHeaderName(name, "Host")
        case 6: sameHeaderName(name, "Expect")
        case 7: sameHeaderName(name, "Trailer") || sameHeaderName(name, "Upgrade")
        case 10: sameHeaderName(name, "Connection") || sameHeaderName(name, "Keep-Alive")
        case 14: sameHeaderName(name, "Content-Length")
        case 16: sameHeaderName(name, "Proxy-Connection")
        case 17: sameHeaderName(name, "Transfer-Encoding")
        default: false
        }
    }

    /// Returns whether a header has only one value. With two, different readers could see different requests.
    private static func isSingle(_ name: String) -> Bool {
        switch name.utf8.count {
        case 12: sameHeaderName(name, "Content-Type")
        case 13: sameHeaderName(name, "Authorization")
        case 19: sameHeaderName(name, "Proxy-Authorization")
        default: false
        }
    }

    /// Returns the field in its wire form, without white space around the value.
    package static func checked(_ field: HTTPHeaders.Field) throws(Fault) -> HTTPHeaders.Field {
        guard isToken(field.name) else {
            throw Fault(name: field.name, reason: "the name is not a token (RFC 9110 §5.1)")
        }
        if isReserved(field.name) {
            throw Fault(name: field.name, reason: "it is set from the body and the connection and cannot be set by hand")
        }
        return HTTPHeaders.Field(name: field.name, value: try checkedValue(field))
    }

    /// Rejects a second value of a single-valued header.
    static func checkSingle(_ headers: HTTPHeaders) throws(Fault) {
        for (index, field) in headers.fields.enumerated() where isSingle(field.name) {
            if headers.fields[..<index].contains(where: { sameHeaderName($0.name, field.name) }) {
                throw Fault(name: field.name, reason: "it is set twice")
            }
        }
    }

    /// Returns the value in its wire form. Only `Last-Event-ID` may contain non-ASCII characters, because the server's id is returned
    /// unchanged, in UTF-8 (WHATWG HTML §9.2.6).
    private static func checkedValue(_ field: HTTPHeaders.Field) throws(Fault) -> String {
        var value = field.value
        if let first = value.utf8.first, let last = value.utf8.last, isSpace(first) || isSpace(last) {
            value = value.trimmed(of: " \t\r\n")
        }
        for byte in value.utf8 {
            switch byte {
            case 0x20...0x7E, 0x09: continue
            case 0x0A, 0x0D: throw Fault(name: field.name, reason: "the value contains a line break")
            case 0x80... where sameHeaderName(field.name, "Last-Event-ID"): continue
            case 0x80...: throw Fault(name: field.name, reason: Self.foreignCharacter)
            default: throw Fault(name: field.name, reason: "the value contains a control character")
            }
        }
        return value
    }

    /// Servers interpret such bytes differently (RFC 9110 §5.5), so the caller has to choose an encoding.
    static let foreignCharacter =
        "the value contains a character outside ASCII; percent-encode it, as addingPercentEncoding(withAllowedCharacters:) does"

    package static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
    }

    static func isToken(_ bytes: UnsafeRawBufferPointer) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy(isTokenByte)
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
        default: false
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
