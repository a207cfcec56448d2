/// The message of an error: its own text, or that of an error of another type, which is computed when it is first read.
enum ErrorMessage: Sendable {
    case words(String)
    case foreign(ForeignWords)
    /// A limit of time, and the phase in which it has struck.
    case late(TimeLimit, TransferPhase?)

    var text: String {
        switch self {
        case .words(let words): words
        case .foreign(let foreign): foreign.text
        case .late(let limit, let phase): limit.words(in: phase)
        }
    }
}

/// The message of an error of another type. It is computed lazily, because finding and redacting it takes as long as the rest of a `catch`.
final class ForeignWords: Sendable {
    let error: any Error
    /// The redaction at the place where the error was caught.
    private let redaction: Redaction
    private let made = Mutex<String?>(nil)

    init(of error: any Error, redaction: Redaction) {
        self.error = error
        self.redaction = redaction
    }

    var text: String {
        if let text = made.withLock({ $0 }) { return text }
        // Computed outside the lock, because it runs user code. A description that was not written to be shown is redacted, because that of a struct
        // lists its members.
        let text = Redaction.$ofCall.withValue(redaction) {
            APIError.words(of: error) ?? redaction.redact(text: String(describing: error))
        }
        return made.withLock { made in
            if let first = made { return first }
            made = text
            return text
        }
    }
}
