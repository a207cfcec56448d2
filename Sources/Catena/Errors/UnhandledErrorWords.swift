import Foundation

/// What is written of an error that nobody looked at, unless a handler does something else with it.
enum UnhandledErrorWords {
    /// Lets the promises know, which know nothing of secrets; once for the process.
    static let areKnown: Void = PromiseDiagnostics.describeErrors { words(of: $0) }

    /// One line without secrets. Of an error that was not written to be shown it is only the name: its values may be anything.
    static func words(of error: any Error) -> String {
        if let error = error as? APIError { return error.description }
        if let error = error as? AggregateError { return words(of: error) }
        let shown = type(of: error) is any CustomStringConvertible.Type ? String(describing: error) : nil
        guard let words = APIError.words(of: error) ?? shown else { return Redaction.standard.line(name(of: error)) }
        let foreign = error as NSError
        return Redaction.standard.line("\(foreign.domain) \(foreign.code): \(words)")
    }

    private static func words(of error: AggregateError) -> String {
        let summary = "none of \(error.errors.count) succeeded"
        // One that is part of another is not told of, or words would be nested as deep as errors are.
        guard let first = error.errors.first, !(first is AggregateError) else { return summary }
        return "\(summary), the first for this: \(words(of: first))"
    }

    /// The type, and of an enumeration the case.
    private static func name(of error: any Error) -> String {
        let type = String(reflecting: type(of: error))
        let mirror = Mirror(reflecting: error)
        guard mirror.displayStyle == .enum else { return type }
        return "\(type).\(mirror.children.first?.label ?? String(describing: error))"
    }
}
