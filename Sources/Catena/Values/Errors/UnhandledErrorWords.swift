import CatenaPlatform

/// The default text of an unhandled error report.
enum UnhandledErrorWords {
    /// Installs the redacting description in `PromiseDiagnostics`, once per process, because promises know nothing about secrets.
    static let areKnown: Void = PromiseDiagnostics.describeErrors { words(of: $0) }

    /// Returns one line without secrets. An error without a description or message of its own is reduced to its type and case, because its
    /// values may be secret.
    static func words(of error: any Error) -> String {
        if let error = error as? APIError { return error.description }
        if let error = error as? AggregateError { return words(of: error) }
        let isOfFoundation = error.isOfFoundation
        let isDescribed = !isOfFoundation && type(of: error) is any CustomStringConvertible.Type
        guard let words = APIError.words(of: error) ?? (isDescribed ? String(describing: error) : nil) else {
            return line(isOfFoundation ? error.domainAndCode : name(of: error))
        }
        return line("\(error.domainAndCode): \(words)")
    }

    /// Returns a text on one line without secrets. The error belongs to no call, so those of all clients are searched for.
    private static func line(_ text: String) -> String {
        guard let known = KnownSecrets.ofProcess else { return Redaction.standard.line(text) }
        // Search before line breaks are replaced, which may be part of a secret. The line itself recognizes one that it cuts.
        let text = String(text.prefix(2 * Redaction.longestLine))
        return Redaction(known: known).line(known.hidden(in: text) ?? text)
    }

    private static func words(of error: AggregateError) -> String {
        let summary = "none of \(error.errors.count) succeeded"
        // Do not describe a nested aggregate, because aggregates can be nested to any depth.
        guard let first = error.errors.first, !(first is AggregateError) else { return summary }
        return "\(summary), the first for this: \(words(of: first))"
    }

    /// Returns the name of the type, and of the case of an enumeration.
    private static func name(of error: any Error) -> String {
        let type = String(reflecting: type(of: error))
        let mirror = Mirror(reflecting: error)
        guard mirror.displayStyle == .enum else { return type }
        return "\(type).\(mirror.children.first?.label ?? String(describing: error))"
    }
}
