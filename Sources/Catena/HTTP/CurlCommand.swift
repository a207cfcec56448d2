import Foundation

/// Writes a request as a command for a POSIX shell that sends the same one with curl.
package struct CurlCommand: Sendable {
    /// What hides the secrets; `nil` shows them, so that the command works.
    var redaction: Redaction? = .standard

    package init(redaction: Redaction? = .standard) {
        self.redaction = redaction
    }

    package func text(_ request: HTTPRequest) -> String {
        var words = ["curl", "--globoff"]
        // curl would take `%2e%2e` for a step back.
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

    /// A word that the shell hands on as it is: nothing means anything to it within single quotes, and a quote is written outside.
    static func quoted(_ text: String) -> String {
        // By bytes, as the shell reads it: a quote and an accent behind it are one character, in which a search would find no quote.
        let parts = text.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
        return "'" + parts.map { Substring($0) }.joined(separator: #"'\''"#) + "'"
    }

    private static func steers(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isControl && scalar != "\n" && scalar != "\r" && scalar != "\t" || scalar == "\u{2028}" || scalar == "\u{2029}"
    }

    private func headers(of request: HTTPRequest) -> [String] {
        let fields = (redaction?.redact(request.headers) ?? request.headers).fields
        // An empty value is written with a semicolon; with a colon it would take the header out.
        var arguments = fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        // What curl would add by itself.
        var additions = ["User-Agent", "Accept"]
        if hasBody(request) { additions += ["Content-Type", "Expect"] }
        arguments += additions.filter { !request.headers.contains($0) }.map { "\($0):" }
        return arguments
    }

    /// A method that usually has a body gets one, so that its length is said to be zero.
    private func hasBody(_ request: HTTPRequest) -> Bool {
        request.hasBody || [.post, .put, .patch].contains(request.method)
    }

    /// A body as an argument, or as what is put into curl's input if it is no text or too long for an argument.
    private func body(of request: HTTPRequest) -> (input: String?, argument: [String]) {
        guard hasBody(request) else { return (nil, []) }
        let fromInput = ["--data-binary", "@-"]
        // Whoever runs the command puts in what only the source knows.
        if request.bodySource != nil { return (nil, fromInput) }
        let body = request.body ?? Data()
        switch ShownBody(body, contentType: request.headers["Content-Type"], hiding: redaction).content {
        // Where secrets are hidden, bytes in which one shows are left out whole.
        case .hidden: return (nil, ["--data-raw", Self.quoted("(\(body.count) bytes)")])
        case .bytes(let bytes): return ("printf %s '\(bytes.base64EncodedString())' | base64 --decode", fromInput)
        // A terminal would obey some characters when the command is pasted.
        case .text(let text) where text.unicodeScalars.contains(where: Self.steers):
            return ("printf %s '\(Data(text.utf8).base64EncodedString())' | base64 --decode", fromInput)
        case .text(let text):
            let shown = Self.quoted(text)
            // Linux takes no argument of 128 KiB; `printf` is no program of its own and has no such limit.
            return shown.utf8.count < 100_000 ? (nil, ["--data-raw", shown]) : ("printf %s \(shown)", fromInput)
        }
    }
}
