import Foundation

/// Hides secrets: what is shown of a request in errors, logs, archives, commands and descriptions goes through here, and so does what
/// is recorded.
///
/// What says what it is, is read as that (`RedactionPass`); rules for text are for the rest.
package final class Redaction: Sendable {
    /// What is hidden whoever is called.
    package static let standard = Redaction()

    /// What the tag hides whose call the present task runs.
    @TaskLocal static var ofCall: Redaction?

    /// What is hidden here and now.
    static var current: Redaction { ofCall ?? standard }

    package static let mark = "***"

    private let headers: Set<String>
    private let params: Set<String>
    private let allowed: Set<String>
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
        headers = Set(added.map { SecretNames.plain($0) })
        params = headers
        allowed = Set(harmless.map { SecretNames.plain($0) })
        (paths, lastKeys, namesOnly) = ([], [], nil)
    }

    /// - Parameter secrets: What is hidden here, too.
    init(_ secrets: Secrets) {
        headers = Set(secrets.headers.map { SecretNames.plain($0) })
        params = Set(secrets.params.map { SecretNames.plain($0) })
        allowed = Set(secrets.allowed.map { SecretNames.plain($0) })
        paths = secrets.paths.map { $0.split { ".[]".contains($0) }.filter { Int($0) == nil }.map { SecretNames.plain($0) } }.filter {
            !$0.isEmpty
        }
        lastKeys = Set(paths.compactMap(\.last))
        var names = secrets
        names.removePaths()
        namesOnly = paths.isEmpty ? nil : Redaction(names)
    }

    /// Whether the value of a header, of a param or of a member of an object is a secret, going by its name: `token`,
    /// `user[pwd]`, `X-Api-Key`.
    package func isSecret(name: String) -> Bool {
        isSecret(name) { headers.contains($0) || params.contains($0) || lastKeys.contains($0) }
    }

    func isSecret(header name: String) -> Bool { isSecret(name, or: headers.contains) }

    func isSecret(param name: String) -> Bool { isSecret(name, or: params.contains) }

    private func isSecret(_ name: String, or isAdded: (String) -> Bool) -> Bool {
        SecretNames.isSecret(name, isAdded: isAdded, isAllowed: allowed.contains)
    }

    /// For text in which the secret places are hidden already, and others of the same key are to stay.
    var byName: Redaction { namesOnly ?? self }

    /// Whether a place of a JSON document is secret, by the keys and places of elements on the way to it; `nil` if none is.
    var secretPlaces: (([String]) -> Bool)? {
        if paths.isEmpty { return nil }
        return { [paths] path in
            let keys = path.filter { Int($0) == nil }.map { SecretNames.plain($0) }
            return paths.contains { keys.starts(with: $0) }
        }
    }

    /// Hides the secrets of text of any kind; what is JSON or XML is read as that.
    package func redact(text: String) -> String {
        var pass = RedactionPass(hiding: self)
        return pass.redact(text: text)
    }

    func redact(path: String) -> String {
        var pass = RedactionPass(hiding: self)
        return pass.redact(path: path)
    }

    func redact(query: String) -> String {
        var pass = RedactionPass(hiding: self)
        return pass.redact(query: query)
    }

    /// The text on one line of bounded length: a line break in a message must not look like the next line of a log.
    package func line(_ text: String) -> String {
        let shown = text.prefix(Self.longestLine)
        return redact(text: Self.unbroken(shown)) + (shown.endIndex < text.endIndex ? "…" : "")
    }

    /// The text without anything that ends a line.
    static func unbroken(_ text: some StringProtocol) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { breaksLine($0) ? " " : $0 }))
    }

    /// How many characters of a text are shown on a line.
    static let longestLine = 2000

    private static func breaksLine(_ scalar: Unicode.Scalar) -> Bool { scalar.isControl || scalar == "\u{2028}" || scalar == "\u{2029}" }
}

extension Unicode.Scalar {
    /// Whether a terminal or an editor obeys it in place of showing it: control characters, and those that turn the direction of text, so that what
    /// is shown is not what is there.
    package var isControl: Bool {
        switch value {
        case 0x202A...0x202E, 0x2066...0x2069: true
        default: properties.generalCategory == .control
        }
    }
}
