import CatenaPlatform

/// The stored members of an ``APIError``.
struct APIErrorContents: Sendable {
    var kind: APIError.Kind
    var code: ErrorCode
    var message: ErrorMessage
    var status: Int?
    var request: RequestSummary?
    var response: ResponseSummary?
    var body: Data?
    var attempts = 0
    var underlying: (any Error)?
    /// The backend's own error, decoded by its ``ResponseFamily`` or ``Endpoint/error(in:)``, which this error wraps.
    var own: (any Error)?
    /// The origin that answered, after redirects.
    var origin: String?
    /// The redirects that the call had followed, or `nil` for none.
    var redirection: Redirection?
    /// Whether the error means only that a body stopped arriving.
    var isInactivity = false
    /// The reason to repeat the request at once, or `nil` if there is none.
    var repeatReason: RepeatReason?
    /// The text for the app's user from ``Profile/errorMessages``, if there is one.
    var text: String?
    var category: APIError.Category?
    var retryAfter: Duration?
    var traceID: String?
    var timings: CallTimings?
    var explanation: String?
    /// The redaction of the call, while the error has no request with one.
    var redaction: Redaction?
    /// The values of `WWW-Authenticate` of a response with status 401, as sent, or `nil` for other errors. Unlike ``response`` they are not
    /// redacted, because an answer contains them.
    var challenges: [String]?
}

/// The reason to repeat a request at once, regardless of the retry policy.
enum RepeatReason: Sendable {
    /// The server has stated that it did not process the request (RFC 9113 §8.7), or that it requires HTTP/1.1.
    case notProcessed
    /// A reused connection was dead and delivered no response. An idempotent request may be repeated even if it has arrived.
    case deadConnection
}

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
            APIError.words(of: error) ?? (error.isOfFoundation ? error.domainAndCode : redaction.redact(text: String(describing: error)))
        }
        return made.withLock { made in
            if let first = made { return first }
            made = text
            return text
        }
    }
}
