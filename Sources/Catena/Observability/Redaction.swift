/// Hides secrets: what is shown of a request in errors, logs and descriptions goes through here.
package struct Redaction: Sendable {
    package static let standard = Redaction()
    package static let mark = "***"

    /// Parts of a name, in lower case without separators, that make its value a secret.
    private static let secretParts = [
        "authorization", "authentication", "cookie", "token", "secret", "password", "passwd", "passphrase", "passcode", "apikey",
        "accesskey", "privatekey", "signature", "ticket", "credential", "session", "codeverifier",
    ]

    /// Names that are too short to be looked for within others.
    private static let secretNames: Set<String> = ["sign", "sig", "pwd", "key", "auth", "jwt", "pin", "otp", "xauth", "xsign"]

    private let added: Set<String>
    private let harmless: Set<String>

    /// - Parameters:
    ///   - added: Names that mean a secret here, too.
    ///   - harmless: Names that mean none here, whatever is in them.
    package init(adding added: Set<String> = [], without harmless: Set<String> = []) {
        self.added = Set(added.map(Self.joined))
        self.harmless = Set(harmless.map(Self.joined))
    }

    private static func joined(_ name: String) -> String {
        name.lowercased().filter { $0 != "_" && $0 != "-" }
    }

    /// Whether the value of a header, of a param or of a member of an object is a secret, going by its name: `token`,
    /// `user[pwd]`, `X-Api-Key`.
    package func isSecret(name: String) -> Bool {
        let joined = Self.joined(name)
        if harmless.contains(joined) { return false }
        return Self.secretParts.contains { joined.contains($0) }
            || joined.split(whereSeparator: { $0 == "[" || $0 == "]" || $0 == "." }).contains { part in
                Self.secretNames.contains(String(part)) || added.contains(String(part))
            }
    }

    func redact(_ address: HTTPAddress) -> String {
        guard let query = address.query else { return address.text }
        var shown = address
        shown.query = redact(query: query)
        return shown.text
    }

    func redact(query: String) -> String {
        query.split(separator: "&", omittingEmptySubsequences: false).map { pair -> String in
            guard let equals = pair.firstIndex(of: "=") else { return String(pair) }
            let name = PercentDecoding.decode(pair[..<equals], plusIsSpace: true)
            let value = PercentDecoding.decode(pair[pair.index(after: equals)...], plusIsSpace: true)
            // A value may be an address or an object with secrets of its own.
            return isSecret(name: name) || redact(text: value) != value ? pair[...equals] + Self.mark : String(pair)
        }.joined(separator: "&")
    }

    func redact(_ headers: HTTPHeaders) -> HTTPHeaders {
        HTTPHeaders(
            headers.fields.map { field in
                .init(name: field.name, value: isSecret(name: field.name) ? Self.mark : redact(text: field.value))
            })
    }

    /// The text on one line of bounded length: a line break in a message must not look like the next line of a log.
    func line(_ text: String) -> String {
        let shown = text.prefix(Self.longestLine)
        let line = String(String.UnicodeScalarView(shown.unicodeScalars.map { Self.breaksLine($0) ? " " : $0 }))
        return redact(text: line) + (shown.endIndex < text.endIndex ? "…" : "")
    }

    private static let longestLine = 2000

    private static func breaksLine(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || scalar == "\u{2028}" || scalar == "\u{2029}"
    }
}
