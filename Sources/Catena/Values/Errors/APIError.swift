public import CatenaPlatform

/// The error of a failed call, from the network to the decoding.
///
/// One type covers all failures of a call. ``kind`` is the kind of the failure. ``code`` and ``message`` come from the backend or, without a
/// response, from the transport.
///
/// ```swift
/// do {
///     let user = try await API.tag(.forum).get("/me").value(as: User.self)
/// } catch let error as APIError where error.kind == .timeout {
///     offerRetry()
/// }
/// ```
///
/// The ``request``, ``response`` and description of an error contain no secrets. Cancellation is not a failure: awaiting a cancelled call throws
/// `CancellationError`.
public struct APIError: Error, Sendable {
    /// The members, stored behind one reference because errors are copied in many places.
    private var storage: CopyOnWrite<APIErrorContents>

    var contents: APIErrorContents {
        _read { yield storage.value }
        _modify { yield &storage.value }
    }

    /// The kind of the failure, such as ``Kind/business`` or ``Kind/timeout``.
    public var kind: Kind {
        _read { yield contents.kind }
        _modify { yield &contents.kind }
    }
    /// The code of the failure: the business code unless it means success, otherwise an HTTP status that is not 2xx, otherwise the transport's code.
    /// The code of a timeout is ``ErrorCode/timeout``.
    public var code: ErrorCode {
        _read { yield contents.code }
        _modify { yield &contents.code }
    }
    /// The message of the backend or of the step that failed, or `""` if there is none.
    ///
    /// A step's message is in English and for developers. Use ``localizedDescription`` for the user of an app, and ``backendMessage`` for the
    /// backend's message only.
    public var message: String {
        get { contents.message.text }
        set { contents.message = .words(newValue) }
    }
    /// The HTTP status, if there was a response.
    public var status: Int? {
        _read { yield contents.status }
        _modify { yield &contents.status }
    }
    /// The request that failed, without its secrets.
    public var request: RequestSummary? {
        _read { yield contents.request }
        _modify { yield &contents.request }
    }
    /// The response, if there was one, without its body.
    public var response: ResponseSummary? {
        _read { yield contents.response }
        _modify { yield &contents.response }
    }
    /// The first 64 KiB of the response's body, if there was one.
    public var body: Data? {
        _read { yield contents.body }
        _modify { yield &contents.body }
    }
    /// The number of attempts, including one that failed before it was sent.
    public var attempts: Int {
        _read { yield contents.attempts }
        _modify { yield &contents.attempts }
    }
    /// The error that caused this one.
    public var underlying: (any Error)? {
        _read { yield contents.underlying }
        _modify { yield &contents.underlying }
    }
    /// The category that the ``Envelope`` of the backend assigns to the code, such as ``Category/authentication``.
    public var category: Category? {
        _read { yield contents.category }
        _modify { yield &contents.category }
    }
    /// The wait before another call, if the response states one in its envelope or headers, such as `Retry-After`, or a limit of this client refused
    /// the call. A retry observes the same wait.
    public var retryAfter: Duration? {
        _read { yield contents.retryAfter }
        _modify { yield &contents.retryAfter }
    }
    /// The id of the call in the backend's logs, if the response contains one.
    public var traceID: String? {
        _read { yield contents.traceID }
        _modify { yield &contents.traceID }
    }
    /// The durations of the last attempt's phases, as far as the transport measures them.
    public var timings: CallTimings? {
        _read { yield contents.timings }
        _modify { yield &contents.timings }
    }
    /// A description of how the response was read, if it could not be decoded; see ``Envelope/explain(_:)``. If a failure reads like a success, the
    /// step of the envelope that would make it one. It has a limited length and no secrets.
    public var explanation: String? {
        _read { yield contents.explanation }
        _modify { yield &contents.explanation }
    }

    // Not inlined, because it is used in hundreds of places and none needs to be fast.
    /// Creates an error.
    ///
    /// - Parameters:
    ///   - kind: The kind of the failure.
    ///   - code: The code. `nil` stands for the HTTP status if it is not 2xx and the kind is not `timeout`, otherwise for the kind's own code.
    ///   - message: The message of the backend or of the step that failed, or `""` if there is none.
    ///   - status: The HTTP status, if there was a response.
    ///   - underlying: The error that caused this one.
    @inline(never)
    public init(
        _ kind: Kind,
        code: ErrorCode? = nil,
        message: String = "",
        status: Int? = nil,
        underlying: (any Error)? = nil
    ) {
        storage = CopyOnWrite(
            APIErrorContents(
                kind: kind, code: code ?? Self.code(of: kind, status: status), message: .words(message), status: status,
                underlying: underlying))
    }

    /// Wraps an error of another type and uses its message.
    private init(_ kind: Kind, around error: any Error) {
        self.init(kind, underlying: error)
        // An aggregate computes its message now, because the message depends on the current redaction.
        let words = ForeignWords(of: error, redaction: .current)
        contents.message = error is AggregateError ? .words(words.text) : .foreign(words)
    }

    /// The limit of time whose error this is, and the phase in which it has struck; `nil` for other errors.
    var limit: (limit: TimeLimit, phase: TransferPhase?)? {
        if case .late(let limit, let phase) = contents.message { (limit, phase) } else { nil }
    }

    mutating func setLimit(_ limit: TimeLimit, _ phase: TransferPhase?) { contents.message = .late(limit, phase) }

    private static func code(of kind: Kind, status: Int?) -> ErrorCode {
        // A timeout keeps its own code, even if a status had arrived.
        if let status, kind != .timeout, !HTTPResponse.isSuccess(status) { return .integer(status) }
        return kind.code
    }

    /// The maximum number of bytes of a body that an error stores.
    static let bodyLimit = 64 * 1024
}

extension APIError {
    /// Adds the timings of an attempt to an `APIError`. Returns other errors unchanged.
    package static func adding(_ timings: CallTimings?, to error: any Error) -> any Error {
        guard var error = error as? APIError, error.timings == nil else { return error }
        error.timings = timings
        return error
    }

    /// Returns the error as an `APIError`: unchanged, or wrapped with the original as ``underlying``.
    package static func wrapping(_ error: any Error) -> APIError {
        if let error = error as? APIError { return error }
        if error.isCancellation { return APIError(.cancelled, message: "The call was cancelled.", underlying: error) }
        return APIError(error as? PromiseError == .timedOut ? .timeout : .other, around: error)
    }

    /// Returns the message of an error that was written to be shown, or `nil` if it has none.
    static func words(of error: any Error) -> String? {
        if let words = (error as? any LocalizedError)?.errorDescription, !words.isEmpty { return words }
        #if !canImport(Darwin)
        // The messages of Foundation's own errors are in full Foundation.
        return nil
        #else
        // Any error casts to `NSError`, but only real ones have a meaningful message. The messages of Foundation's errors contain no URL, unlike
        // their descriptions.
        guard error is any CustomNSError || type(of: error) is NSError.Type, !error.localizedDescription.isEmpty else { return nil }
        return error.localizedDescription
        #endif
    }

    /// Creates an error for an invalid request, with a message that names the step.
    package static func invalid(_ step: String, _ reason: String, underlying: (any Error)? = nil) -> APIError {
        APIError(.invalidRequest, message: "\(step): \(reason)", underlying: underlying)
    }
}

extension APIError {
    /// Returns the error with a message and an explanation that lack the known secrets of a redaction. Its code is hidden where it is shown.
    func hiding(_ redaction: Redaction) -> APIError {
        guard let known = redaction.known else { return self }
        var error = self
        error.contents.redaction = redaction
        if let message = known.hidden(in: message) { error.message = message }
        if let explanation = explanation.flatMap({ known.hidden(in: $0) }) { error.explanation = explanation }
        return error
    }
}

extension APIError: ErrorCarrier {
    /// The error that awaiting throws: the backend's own error if there is one, otherwise this error.
    package var thrown: any Error { contents.own ?? self }
}

extension APIError: PossibleCancellation {
    package var meansCancellation: Bool { kind == .cancelled }
}

extension APIError: Equatable {
    /// Whether two errors have the same kind, code, message, status, method and URL.
    ///
    /// Properties that vary between calls, such as timings, attempts and the response's headers, are ignored.
    public static func == (left: APIError, right: APIError) -> Bool {
        left.kind == right.kind && left.code == right.code && left.message == right.message && left.status == right.status
            && left.request?.method == right.request?.method && left.request?.url == right.request?.url
    }
}

extension APIError: LocalizedError, CustomStringConvertible {
    /// The domain that an `NSError` made of an error has.
    public static var errorDomain: String { "Catena.APIError" }

    /// The code as an integer, or -1 if it is none or is a secret of the tag. Code of the system shows it.
    public var errorCode: Int {
        guard let integer = code.integer, "\(integer)" == codeDescription else { return -1 }
        return integer
    }

    /// A text for the user of an app, never empty. It is the text of ``Profile/errorMessages``, otherwise the backend's message, otherwise on
    /// Apple platforms a sentence from the app's main bundle, otherwise one in the user's preferred language.
    public var errorDescription: String? { contents.text ?? preferredWords }

    /// A text for the user of an app, never empty. See ``errorDescription``.
    ///
    /// ```swift
    /// .catch { error in self.alert(error.localizedDescription) }
    /// ```
    public var localizedDescription: String { errorDescription ?? "" }

    /// The backend's message, or `""` if there is none, as after a failure without a response.
    public var backendMessage: String { (kind == .business || kind == .status) && status != nil ? message : "" }

    /// The code on one line without secrets, for logs, spans and metrics. A server may repeat a secret in ``code``.
    public var codeDescription: String { redaction.line("\(code)") }

    /// One line for a log, without secrets.
    public var description: String {
        let redaction = redaction
        var parts = ["\(kind) \(codeDescription)"]
        if let status, code != .integer(status) { parts.append("status \(status)") }
        if !message.isEmpty { parts.append(redaction.line(message)) }
        if let request { parts.append(request.description) }
        if attempts > 1 { parts.append("after \(attempts) attempts") }
        if let words = wordsOfCause { parts.append("caused by \(redaction.line(words))") }
        return parts.map(redaction.byName.line).joined(separator: " · ")
    }
}

#if !canImport(Darwin)
// The domain and code that `as NSError` shows in an app with full Foundation, which asks the error itself.
extension APIError {
    public var _domain: String { Self.errorDomain }
    public var _code: Int { errorCode }
}
#else
extension APIError: CustomNSError {
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: errorDescription ?? "", NSDebugDescriptionErrorKey: description]
        // Loggers print the user info of an `NSError`, so add the cause without its own user info, which may contain a URL.
        if let cause = underlying as NSError? { info[NSUnderlyingErrorKey] = NSError(domain: cause.domain, code: cause.code) }
        return info
    }
}
#endif

extension APIError {
    private var redaction: Redaction { request?.headers.shown.current ?? contents.redaction ?? .current }

    /// The words for the underlying error in the description, or `nil` if there is none.
    private var wordsOfCause: String? {
        // The words of an error that wraps the error of a refresh are its message already.
        if let refresh = underlying as? RefreshError, !isWrappingRefresh { return "\(refresh)" }
        // Only domain and code, because Foundation's errors contain the whole URL with its secrets.
        return underlying?.domainAndCode
    }

    private var isWrappingRefresh: Bool {
        if case .foreign(let words) = contents.message { words.error is RefreshError } else { false }
    }
}

extension APIError: CustomReflectable {
    public var customMirror: Mirror {
        var children: [(label: String?, value: Any)] = [("description", description)]
        if let response { children.append(("response", response)) }
        if let body { children.append(("body", "\(body.count) bytes")) }
        return Mirror(self, children: children)
    }
}
