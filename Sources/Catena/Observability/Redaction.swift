/// Hides secrets: what is shown of a request in errors, logs and descriptions goes through here.
struct Redaction: Sendable {
    static let standard = Redaction()
    static let mark = "***"

    /// Header names, in lower case, whose values are never shown.
    private static let secretHeaders: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "api-key", "authentication",
    ]

    /// Parts of a name, in lower case without separators, that make its value a secret.
    private static let secretParts = [
        "token", "secret", "password", "passwd", "apikey", "accesskey", "privatekey", "signature", "ticket", "credential", "session",
    ]

    private static let secretNames: Set<String> = ["sign", "sig", "pwd", "key", "auth", "jwt", "pin", "otp", "code_verifier"]

    func isSecret(header name: String) -> Bool {
        Self.secretHeaders.contains(name.lowercased()) || isSecret(name: name)
    }

    /// Whether the value of a param or of a member of an object is a secret, going by its name.
    func isSecret(name: String) -> Bool {
        let lowercased = name.lowercased()
        if Self.secretNames.contains(lowercased) { return true }
        let joined = lowercased.filter { $0 != "_" && $0 != "-" }
        return Self.secretParts.contains { joined.contains($0) }
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
            let name = PercentEncoding.decode(pair[..<equals])
            return isSecret(name: name) ? pair[...equals] + Self.mark : String(pair)
        }.joined(separator: "&")
    }

    func redact(_ headers: HTTPHeaders) -> HTTPHeaders {
        HTTPHeaders(headers.fields.map { isSecret(header: $0.name) ? .init(name: $0.name, value: Self.mark) : $0 })
    }
}
