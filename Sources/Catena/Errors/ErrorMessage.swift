/// What an error says: words that are there, or those of an error of another type, which are looked for when somebody reads them.
enum ErrorMessage: Sendable {
    case words(String)
    case foreign(ForeignWords)

    var text: String {
        switch self {
        case .words(let words): words
        case .foreign(let foreign): foreign.text
        }
    }
}

/// The words of an error of another type, made once and only for who reads them: to find and redact them takes as long as all the
/// rest that a `catch` does.
final class ForeignWords: Sendable {
    private let error: any Error
    /// What was hidden where the error was caught.
    private let redaction: Redaction
    private let made = Mutex<String?>(nil)

    init(of error: any Error, redaction: Redaction) {
        self.error = error
        self.redaction = redaction
    }

    var text: String {
        if let text = made.withLock({ $0 }) { return text }
        // Code of a user, and so not under the lock. What was not written to be shown may tell secrets: the description of a struct
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

extension APIError {
    static func late(attempt limit: Duration) -> APIError {
        APIError(.timeout, message: "The attempt took longer than its limit of \(limit).")
    }

    static func late(_ deadline: Duration) -> APIError {
        APIError(.timeout, message: "The call took longer than its deadline of \(deadline).")
    }
}
