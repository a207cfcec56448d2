import CatenaPlatform

/// Hides secrets wherever a request is shown or recorded: in errors, logs, archives, commands and descriptions.
///
/// `RedactionPass` reads a document by its form. The rules for text apply to everything else.
package final class Redaction: Sendable {
    /// The default redaction, without the additions of a tag.
    package static let standard = Redaction()

    /// The redaction of the tag whose call the current task runs, if any.
    @TaskLocal static var ofCall: Redaction?

    /// The redaction that applies to the current task.
    package static var current: Redaction { ofCall ?? standard }

    package static let mark = "***"

    private let headers: Set<String>
    private let params: Set<String>
    private let allowed: Set<String>
    /// The keys that lead to the secret places of JSON.
    private let paths: [[String]]
    /// The last key of each path, which is secret by name where only a part of the JSON is available.
    private let lastKeys: Set<String>
    /// Whether names or places are secret, or harmless, that are not for every tag.
    let hasOwnNames: Bool

    /// The secrets that are hidden by their value, or `nil` if none are known.
    package let known: KnownSecrets?
    /// The redaction without paths, or `nil` if there are no paths.
    private let namesOnly: Redaction?

    /// Creates a redaction from names.
    ///
    /// - Parameters:
    ///   - added: Names that are secret in addition to the default ones.
    ///   - harmless: Names that are not secret.
    package init(adding added: Set<String> = [], without harmless: Set<String> = []) {
        headers = Set(added.map { SecretNames.plain($0) })
        params = headers
        allowed = Set(harmless.map { SecretNames.plain($0) })
        (paths, lastKeys, namesOnly, known) = ([], [], nil, nil)
        hasOwnNames = !added.isEmpty || !harmless.isEmpty
    }

    /// Creates the standard redaction, which also hides known secrets.
    convenience init(known: KnownSecrets?) {
        self.init(Secrets(), hasOwnNames: false, known: known)
    }

    /// Creates a redaction from a tag's secrets.
    ///
    /// - Parameters:
    ///   - hasOwnNames: Whether the names and places differ from the default ones.
    ///   - known: The secrets that the library knows by their value.
    init(_ secrets: Secrets, hasOwnNames: Bool, known: KnownSecrets?) {
        (self.hasOwnNames, self.known) = (hasOwnNames, known)
        headers = Set(secrets.headers.map { SecretNames.plain($0) })
        params = Set(secrets.params.map { SecretNames.plain($0) })
        allowed = Set(secrets.allowed.map { SecretNames.plain($0) })
        paths = secrets.paths.map { $0.split { ".[]".contains($0) }.filter { Int($0) == nil }.map { SecretNames.plain($0) } }.filter {
            !$0.isEmpty
        }
        lastKeys = Set(paths.compactMap(\.last))
        var names = secrets
        names.removePaths()
        namesOnly = paths.isEmpty ? nil : Redaction(names, hasOwnNames: hasOwnNames, known: known)
    }

    /// Returns whether the value of a header, a param or a member is secret by its name: `token`, `user[pwd]`, `X-Api-Key`.
    package func isSecret(name: String) -> Bool {
        isSecret(name) { headers.contains($0) || params.contains($0) || lastKeys.contains($0) }
    }

    func isSecret(header name: String) -> Bool { isSecret(name, or: headers.contains) }

    func isSecret(param name: String) -> Bool { isSecret(name, or: params.contains) }

    private func isSecret(_ name: String, or isAdded: (String) -> Bool) -> Bool {
        SecretNames.isSecret(name, isAdded: isAdded, isAllowed: allowed.contains)
    }

    /// The redaction by names alone, for text whose secret places are hidden already. It shows other members with the same key.
    var byName: Redaction { namesOnly ?? self }

    /// Returns whether a place of a JSON document is secret, given the keys and array indices that lead to it, or `nil` if no place is.
    var secretPlaces: (([String]) -> Bool)? {
        if paths.isEmpty { return nil }
        return { [paths] path in
            let keys = path.filter { Int($0) == nil }.map { SecretNames.plain($0) }
            return paths.contains { keys.starts(with: $0) }
        }
    }

    /// Hides the secrets of any text. JSON and XML are read by their form.
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

    /// Returns a text on one line of bounded length, because a line break in a message could forge a log line.
    package func line(_ text: String) -> String {
        let shown = text.prefix(Self.longestLine)
        return redact(text: Self.unbroken(shown)) + (shown.endIndex < text.endIndex ? "…" : "")
    }

    /// Replaces everything that ends a line, or that a reader does not see, with a space.
    package static func unbroken(_ text: some StringProtocol) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isControl ? " " : $0 }))
    }

    /// The maximum number of characters of a text on a line.
    static let longestLine = 2000
}

extension Unicode.Scalar {
    /// Whether a terminal or an editor would obey this scalar, or show nothing for it, in place of showing it. This includes ends of lines, changes of
    /// text direction and spaces without width, which would disguise the text. The inspector's page has the same list (`unseen.js`).
    ///
    /// Two joiners are shown, because scripts and emoji need them.
    package var isControl: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: value != 0x200C && value != 0x200D
        default: false
        }
    }
}
