import Foundation

extension HTTPAddress {
    /// Why a text is not an address.
    struct Fault: Error {
        let reason: String
    }

    /// Reads an absolute address; without a scheme it is taken for https.
    ///
    /// User information is refused: a password in an address ends up in logs, and `http://known@evil.example` misleads (RFC 3986
    /// §7.6). A fragment is dropped, since it is never sent (RFC 9110 §4.2.5).
    init(parsing text: String) throws(Fault) {
        var rest = text[...]
        if let fragment = rest.firstIndex(of: "#") { rest = rest[..<fragment] }
        let scheme = try Self.takeScheme(&rest)
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let (host, port) = try Self.authority(rest[..<end])
        rest = rest[end...]
        var query: String?
        if let mark = rest.firstIndex(of: "?") {
            query = PercentEncoding.queryText.encode(String(rest[rest.index(after: mark)...]))
            rest = rest[..<mark]
        }
        guard !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
            throw Fault(reason: "it contains a control character")
        }
        let path = rest.isEmpty ? "/" : PercentEncoding.path.encode(String(rest))
        self.init(scheme: scheme, host: host, port: port, path: path, query: query)
    }

    private static func takeScheme(_ rest: inout Substring) throws(Fault) -> String {
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            return "https"
        }
        guard let mark = rest.range(of: "://"), !rest[..<mark.lowerBound].contains(where: { "/?[".contains($0) }) else {
            if rest.hasPrefix("http:/") || rest.hasPrefix("https:/") { throw Fault(reason: "two slashes must follow the scheme") }
            return "https"
        }
        let scheme = rest[..<mark.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else {
            throw Fault(reason: "the scheme \"\(scheme)\" is neither http nor https")
        }
        rest = rest[mark.upperBound...]
        return scheme
    }

    private static func authority(_ text: Substring) throws(Fault) -> (host: String, port: Int?) {
        guard !text.contains("@") else { throw Fault(reason: "it contains user information") }
        if text.hasPrefix("[") {
            guard let close = text.firstIndex(of: "]") else { throw Fault(reason: "the bracket of the IPv6 address is not closed") }
            let address = text[text.index(after: text.startIndex)..<close]
            guard address.contains(":"), address.utf8.allSatisfy({ isHexDigit($0) || $0 == 0x3A || $0 == 0x2E }) else {
                throw Fault(reason: "\"\(address)\" is not an IPv6 address")
            }
            return ("[\(address.lowercased())]", try port(text[text.index(after: close)...]))
        }
        let end = text.firstIndex(of: ":") ?? text.endIndex
        return (try hostName(text[..<end]), try port(text[end...]))
    }

    private static func port(_ text: Substring) throws(Fault) -> Int? {
        guard let first = text.first else { return nil }
        let digits = text.dropFirst()
        guard first == ":" else { throw Fault(reason: "\"\(text)\" follows the host") }
        if digits.isEmpty { return nil }
        guard digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let port = Int(digits), (1...65535).contains(port) else {
            throw Fault(reason: "\"\(digits)\" is not a port")
        }
        return port
    }

    private static func hostName(_ text: Substring) throws(Fault) -> String {
        guard !text.isEmpty else { throw Fault(reason: "it has no host") }
        var name = text.lowercased()
        if !name.utf8.allSatisfy({ $0 < 0x80 }) {
            // Foundation knows the rules of internationalised names.
            guard let ascii = URL(string: "https://\(name)/")?.host(percentEncoded: true), ascii.utf8.allSatisfy({ $0 < 0x80 }) else {
                throw Fault(reason: "\"\(text)\" is not a host name")
            }
            name = ascii.lowercased()
        }
        guard name.utf8.allSatisfy(isHostByte), name.utf8.count <= 253,
            name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy({ $0.utf8.count <= 63 })
        else {
            throw Fault(reason: "\"\(text)\" is not a host name")
        }
        return name
    }

    /// Letters, digits, hyphen, dot and underscore: names that are really used, a subset of reg-name (RFC 3986 §3.2.2).
    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
    }
}
