import Foundation

/// Hides secrets: what is shown of a request in errors, logs and descriptions goes through here.
package final class Redaction: Sendable {
    /// What is hidden whoever is called.
    package static let standard = Redaction()

    /// What the tag hides whose call the present task runs.
    @TaskLocal static var ofCall: Redaction?

    /// What is hidden here and now.
    static var current: Redaction { ofCall ?? standard }

    package static let mark = "***"

    /// Parts of a name, in lower case without separators, that make its value a secret.
    private static let secretParts = [
        "authorization", "authentication", "cookie", "token", "secret", "password", "passwd", "passphrase", "passcode", "apikey",
        "accesskey", "privatekey", "signature", "ticket", "credential", "session", "codeverifier",
    ]

    /// Names that are too short to be looked for within others.
    private static let secretNames: Set<String> = ["sign", "sig", "pwd", "key", "auth", "jwt", "pin", "otp", "xauth", "xsign"]

    private let headers: Set<String>
    private let params: Set<String>
    private let harmless: Set<String>
    /// The keys on the way to what is secret in JSON.
    private let paths: [[String]]
    /// Where only a part of the JSON is there, the last key of its way stands for a place.
    private let lastKeys: Set<String>
    /// For text whose secret places are hidden already.
    private let namesOnly: Redaction?

    /// - Parameters:
    ///   - added: Names that mean a secret here, too.
    ///   - harmless: Names that mean none here, whatever is in them.
    package init(adding added: Set<String> = [], without harmless: Set<String> = []) {
        headers = Set(added.map { Self.joined($0) })
        params = headers
        self.harmless = Set(harmless.map(Self.joined))
        (paths, lastKeys, namesOnly) = ([], [], nil)
    }

    /// - Parameter secrets: What is hidden here, too.
    init(_ secrets: Secrets) {
        headers = Set(secrets.headers.map { Self.joined($0) })
        params = Set(secrets.params.map { Self.joined($0) })
        harmless = []
        paths = secrets.paths.map { $0.split { ".[]".contains($0) }.filter { Int($0) == nil }.map { Self.joined($0) } }.filter {
            !$0.isEmpty
        }
        lastKeys = Set(paths.compactMap(\.last))
        var names = secrets
        names.removePaths()
        namesOnly = paths.isEmpty ? nil : Redaction(names)
    }

    private static func joined(_ name: some StringProtocol) -> String {
        name.lowercased().filter { $0 != "_" && $0 != "-" }
    }

    /// Whether the value of a header, of a param or of a member of an object is a secret, going by its name: `token`,
    /// `user[pwd]`, `X-Api-Key`.
    package func isSecret(name: String) -> Bool {
        isSecret(name) { headers.contains($0) || params.contains($0) || lastKeys.contains($0) }
    }

    func isSecret(header name: String) -> Bool { isSecret(name, or: headers.contains) }

    func isSecret(param name: String) -> Bool { isSecret(name, or: params.contains) }

    private func isSecret(_ name: String, or isAdded: (String) -> Bool) -> Bool {
        let joined = Self.joined(name)
        if harmless.contains(joined) { return false }
        return Self.secretParts.contains { joined.contains($0) } || isAdded(joined)
            || joined.split(whereSeparator: { $0 == "[" || $0 == "]" || $0 == "." }).contains { part in
                Self.secretNames.contains(String(part)) || isAdded(String(part))
            }
    }

    /// For text in which the secret places are hidden already, and others of the same key are to stay.
    var byName: Redaction { namesOnly ?? self }

    /// Hides the secrets of a body that is text.
    func redact(body text: String) -> String {
        if let parts = MultipartText(text) {
            return parts.changed { name, content in isSecret(param: name) ? Self.mark : redact(text: content) }
        }
        guard let namesOnly else { return redact(text: text) }
        guard let value = try? JSON(parsing: Data(text.utf8)) else { return redact(text: text) }
        let shown = value.replacingScalars { path, _ in
            let keys = path.filter { Int($0) == nil }.map { Self.joined($0) }
            // JSON takes a `nil` for a null of its own.
            return paths.contains { keys.starts(with: $0) } ? .some(JSON(.string(Self.mark))) : .none
        }
        return namesOnly.redact(text: shown?.text ?? text)
    }

    func redact(_ address: HTTPAddress) -> String {
        if address.query == nil, address.shown.secretParts.isEmpty { return address.text }
        var shown = address
        for part in address.shown.secretParts { shown.path = shown.path.replacing(part, with: Self.mark) }
        shown.query = shown.query.map(redact(query:))
        return shown.text
    }

    func redact(query: String) -> String {
        query.split(separator: "&", omittingEmptySubsequences: false).map { pair -> String in
            guard let equals = pair.firstIndex(of: "=") else { return String(pair) }
            let name = PercentDecoding.decode(pair[..<equals], plusIsSpace: true)
            let value = PercentDecoding.decode(pair[pair.index(after: equals)...], plusIsSpace: true)
            // A value may be an address or an object with secrets of its own.
            return isSecret(param: name) || redact(text: value) != value ? pair[...equals] + Self.mark : String(pair)
        }.joined(separator: "&")
    }

    func redact(_ headers: HTTPHeaders) -> HTTPHeaders {
        HTTPHeaders(
            headers.fields.map { field in
                .init(name: field.name, value: isSecret(header: field.name) ? Self.mark : redact(text: field.value))
            })
    }

    /// The text on one line of bounded length: a line break in a message must not look like the next line of a log.
    func line(_ text: String) -> String {
        let shown = text.prefix(Self.longestLine)
        return redact(text: Self.unbroken(shown)) + (shown.endIndex < text.endIndex ? "…" : "")
    }

    /// The text without anything that ends a line.
    static func unbroken(_ text: some StringProtocol) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { breaksLine($0) ? " " : $0 }))
    }

    private static let longestLine = 2000

    private static func breaksLine(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || scalar == "\u{2028}" || scalar == "\u{2029}"
    }
}
