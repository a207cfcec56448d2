import CatenaPlatform

/// Formats a request as a command for a POSIX shell that sends it with curl.
package struct CurlCommand: Sendable {
    /// The redaction to apply, or `nil` to show the secrets, so that the command works.
    var redaction: Redaction? = .standard

    package init(redaction: Redaction? = .standard) {
        self.redaction = redaction
    }

    package func text(_ request: HTTPRequest) -> String {
        var words = ["curl", "--globoff"]
        // curl would resolve `%2e%2e` as a step to the parent.
        if request.address.path.lowercased().contains("%2e") { words.append("--path-as-is") }
        if request.method == .head {
            words.append("--head")
        } else if request.method != .get || request.body != nil {
            words += ["--request", Self.quoted(request.method.name)]
        }
        words.append(Self.quoted(redaction?.redact(request.address) ?? request.address.text))
        for argument in headers(of: request) { words += ["--header", Self.quoted(argument)] }
        let (input, argument) = body(of: request)
        words += argument
        return (input.map { $0 + " | " } ?? "") + words.joined(separator: " ")
    }

    /// Quotes a word, so that the shell passes it on unchanged. A single quote in the word becomes `'\''`.
    static func quoted(_ text: String) -> String {
        // By bytes, like the shell: a quote and a following combining accent form one character, in which a search would not find the
        // quote.
        let parts = text.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
        return "'" + parts.map { Substring($0) }.joined(separator: #"'\''"#) + "'"
    }

    private static func steers(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isControl && scalar != "\n" && scalar != "\r" && scalar != "\t"
    }

    /// Returns the argument that makes curl read a file, or `nil` if its path cannot be shown.
    private func fromFile(_ path: String) -> [String]? {
        // A terminal would interpret some characters when the command is pasted.
        guard !path.unicodeScalars.contains(where: { Self.steers($0) || $0.value == 0x0A || $0.value == 0x0D }) else { return nil }
        if let redaction, redaction.redact(text: path) != path { return nil }
        return ["--data-binary", Self.quoted("@" + path)]
    }

    private func headers(of request: HTTPRequest) -> [String] {
        let fields = (redaction?.redact(request.headers) ?? request.headers).fields
        // An empty value is written with a semicolon, because a colon would remove the header.
        var arguments = fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        // Remove the headers that curl would add.
        var additions = ["User-Agent", "Accept"]
        if hasBody(request) { additions += ["Content-Type", "Expect"] }
        arguments += additions.filter { !request.headers.contains($0) }.map { "\($0):" }
        return arguments
    }

    /// Returns whether the command has a body. A method that usually has a body gets one, so that its length is sent as zero.
    private func hasBody(_ request: HTTPRequest) -> Bool {
        request.hasBody || request.method.expectsBody
    }

    /// Returns the body as an argument, or as curl's input if it is not text or is too long for an argument.
    private func body(of request: HTTPRequest) -> (input: String?, argument: [String]) {
        guard hasBody(request) else { return (nil, []) }
        let fromInput = ["--data-binary", "@-"]
        if let source = request.bodySource {
            // The user who runs the command has to provide the bytes of other sources.
            return (nil, source.wholeFile.flatMap(fromFile) ?? fromInput)
        }
        let body = request.body ?? Data()
        let (type, isEncoded) = (request.headers["Content-Type"], request.headers.hasContentCoding)
        switch ShownBody(body, contentType: type, isEncoded: isEncoded, hiding: redaction).content {
        // With redaction, bytes that contain a secret are omitted completely.
        case .hidden: return (nil, ["--data-raw", Self.quoted("(\(body.count) bytes)")])
        case .bytes(let bytes): return ("printf %s '\(bytes.base64EncodedString())' | base64 --decode", fromInput)
        // A terminal would interpret some characters when the command is pasted.
        case .text(let text) where text.unicodeScalars.contains(where: Self.steers):
            return ("printf %s '\(Data(text.utf8).base64EncodedString())' | base64 --decode", fromInput)
        case .text(let text):
            let shown = Self.quoted(text)
            // Linux allows no argument of 128 KiB. `printf` is a built-in command without this limit.
            return shown.utf8.count < 100_000 ? (nil, ["--data-raw", shown]) : ("printf %s \(shown)", fromInput)
        }
    }
}
