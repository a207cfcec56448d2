/// What may stand in a header section and in a request line (RFC 9110 §5.1, §5.5, §9.1).
///
/// Nothing below checks this: a line break in a name or in a method would start a second request.
enum HeaderRules {
    /// The headers, in lower case, that may go to another origin: plain facts about the client, and which part of a file it lacks.
    /// Everything else, secret or not, is bound to the origin that it was made for.
    static let portable: Set<String> = ["accept", "accept-encoding", "accept-language", "user-agent", "range", "if-range"]

    /// Why a field is refused; never contains the value, which may be a secret.
    struct Fault: Error {
        let name: String
        let reason: String

        /// The name in a form that cannot break a line of a log.
        var printableName: String {
            String(name.unicodeScalars.prefix(40).map { $0.isASCII && $0.value >= 0x20 && $0.value != 0x7F ? Character($0) : "?" })
        }
    }

    /// Headers that describe the message itself and are set from the body and the connection.
    private static func isReserved(_ name: String) -> Bool {
        // Nearly every name is told apart by its length already.
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

    /// Headers that have one value: a second one would let two readers see two requests.
    private static func isSingle(_ name: String) -> Bool {
        switch name.utf8.count {
        case 12: sameHeaderName(name, "Content-Type")
        case 13: sameHeaderName(name, "Authorization")
        case 19: sameHeaderName(name, "Proxy-Authorization")
        default: false
        }
    }

    /// The field in the form in which it is sent: white space around the value is not part of it.
    static func checked(_ field: HTTPHeaders.Field) throws(Fault) -> HTTPHeaders.Field {
        guard isToken(field.name) else {
            throw Fault(name: field.name, reason: "the name is not a token (RFC 9110 §5.1)")
        }
        if isReserved(field.name) {
            throw Fault(name: field.name, reason: "it is set from the body and the connection and cannot be set by hand")
        }
        return HTTPHeaders.Field(name: field.name, value: try checkedValue(field))
    }

    /// Refuses a second value of a header that has one.
    static func checkSingle(_ headers: HTTPHeaders) throws(Fault) {
        for (index, field) in headers.fields.enumerated() where isSingle(field.name) {
            if headers.fields[..<index].contains(where: { sameHeaderName($0.name, field.name) }) {
                throw Fault(name: field.name, reason: "it is set twice")
            }
        }
    }

    /// The last id of an event stream goes back as the server gave it, in UTF-8 (WHATWG HTML §9.2.6); no other value has more than ASCII.
    private static func checkedValue(_ field: HTTPHeaders.Field) throws(Fault) -> String {
        var isTrimmed = true
        var value = field.value
        if let first = value.utf8.first, let last = value.utf8.last, isSpace(first) || isSpace(last) {
            isTrimmed = false
        }
        if !isTrimmed {
            var bytes = value.utf8[...]
            while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
            while let last = bytes.last, isSpace(last) { bytes.removeLast() }
            value = String(Substring(bytes))
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

    /// What such bytes mean servers do not agree on (RFC 9110 §5.5), so that it is the caller's to say.
    static let foreignCharacter =
        "the value contains a character outside ASCII; percent-encode it, as addingPercentEncoding(withAllowedCharacters:) does"

    static func isToken(_ text: String) -> Bool {
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
