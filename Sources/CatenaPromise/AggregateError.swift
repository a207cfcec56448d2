/// The errors of all promises of an ``Promise/any(_:file:line:)``, none of which has a value.
///
/// Its description lists the first eight errors, in a bounded number of characters at any depth.
public struct AggregateError: Error, Sendable, CustomStringConvertible {
    private let failures: Failures

    /// The errors, in the order of the promises.
    public var errors: [any Error] { failures.errors }

    init(errors: [any Error]) {
        failures = Failures(errors)
    }

    public var description: String {
        guard !errors.isEmpty else { return "There was no promise to choose from." }
        let summary = "None of \(errors.count) succeeded"
        // A nested aggregate only states its count, because full descriptions would recurse as deep as the errors are nested.
        let thread = Trampoline.current
        guard !thread.isDescribing else { return summary }
        thread.isDescribing = true
        defer { thread.isDescribing = false }
        let told = errors.prefix(Self.toldErrors).map(Self.words)
        let rest = errors.count > told.count ? ["and \(errors.count - told.count) more"] : []
        return "\(summary): \((told + rest).joined(separator: "; "))"
    }

    private static let toldErrors = 8
    private static let toldCharacters = 200

    private static func words(of error: any Error) -> String {
        let words = "\(error)"
        return words.utf8.count <= toldCharacters ? words : "\(words.prefix(toldCharacters))…"
    }
}

/// Stores errors and frees them level by level, because the errors of nested `any` promises are nested as deep as the promises.
private final class Failures: Sendable {
    /// Behind a lock only so that `deinit` can take the errors.
    private let content: Mutex<[any Error]>

    init(_ errors: [any Error]) {
        content = Mutex(errors)
    }

    var errors: [any Error] { content.withLock { $0 } }

    deinit {
        // The errors are moved out, so that the trampoline frees them and not this object.
        Trampoline.current.release(
            content.withLock { content in
                var taken: [any Error] = []
                swap(&content, &taken)
                return taken
            })
    }
}
