public import Foundation

/// The error of a failed call, from the network to the decoding.
///
/// There is one error type for everything that can go wrong with a call: ``kind`` is the kind of the failure, ``code`` and ``message`` are
/// those of the backend or, without a response, of the transport.
///
/// ```swift
/// do {
///     let user = try await API.tag(.forum).get("/me").value(as: User.self)
/// } catch let error as APIError where error.kind == .timeout {
///     offerRetry()
/// }
/// ```
///
/// An error has no secrets in its ``request``, ``response`` and description. A cancelled call is no failure: awaiting it throws a
/// `CancellationError`.
public struct APIError: Error, Sendable {
    /// Everything is in here: errors are kept and handed on everywhere, by code that would otherwise copy all the members.
    private var contents: CopyOnWrite<APIErrorContents>

    /// The kind of the failure, such as ``Kind/business`` or ``Kind/timeout``.
    public var kind: Kind {
        _read { yield contents.value.kind }
        _modify { yield &contents.value.kind }
    }
    /// The code of the failure: the business code, unless it means success; else the HTTP status, unless it is 2xx; else the code of the
    /// transport. For a timeout it is ``ErrorCode/timeout``.
    public var code: ErrorCode {
        _read { yield contents.value.code }
        _modify { yield &contents.value.code }
    }
    /// The message of the backend or of the step that failed; `""` if there is none.
    ///
    /// That of a step is for developers and in English. The text for an app's user is ``localizedDescription``, and ``backendMessage`` is the
    /// backend's alone.
    public var message: String {
        get { contents.value.message.text }
        set { contents.value.message = .words(newValue) }
    }
    /// The HTTP status, if there was a response.
    public var status: Int? {
        _read { yield contents.value.status }
        _modify { yield &contents.value.status }
    }
    /// The request that failed, without its secrets.
    public var request: RequestSummary? {
        _read { yield contents.value.request }
        _modify { yield &contents.value.request }
    }
    /// The response, if there was one, without its body.
    public var response: ResponseSummary? {
        _read { yield contents.value.response }
        _modify { yield &contents.value.response }
    }
    /// The first 64 KiB of the response's body, if there was one.
    public var body: Data? {
        _read { yield contents.value.body }
        _modify { yield &contents.value.body }
    }
    /// The number of attempts that were made, the one that failed before it was sent included.
    public var attempts: Int {
        _read { yield contents.value.attempts }
        _modify { yield &contents.value.attempts }
    }
    /// The error that caused this one.
    public var underlying: (any Error)? {
        _read { yield contents.value.underlying }
        _modify { yield &contents.value.underlying }
    }
    /// The backend's own error around which this one is, by its ``ResponseFamily`` or ``Endpoint/error(in:)``.
    var own: (any Error)? {
        _read { yield contents.value.own }
        _modify { yield &contents.value.own }
    }
    /// Who answered, after redirects.
    var origin: String? {
        _read { yield contents.value.origin }
        _modify { yield &contents.value.origin }
    }
    /// Whether a body that was being read has stopped to arrive, and that is all.
    var repeatReason: RepeatReason? {
        _read { yield contents.value.repeatReason }
        _modify { yield &contents.value.repeatReason }
    }
    var isSilence: Bool {
        _read { yield contents.value.isSilence }
        _modify { yield &contents.value.isSilence }
    }
    /// What the client's own texts have to say to the app's user.
    var text: String? {
        _read { yield contents.value.text }
        _modify { yield &contents.value.text }
    }
    /// The category that the ``Envelope`` of the backend assigns to the code, such as ``Category/authentication``.
    public var category: Category? {
        _read { yield contents.value.category }
        _modify { yield &contents.value.category }
    }
    /// How long to wait before another call, if the backend, or the limit of this client that refused the call, says so.
    public var retryAfter: Duration? {
        _read { yield contents.value.retryAfter }
        _modify { yield &contents.value.retryAfter }
    }
    /// The id by which the backend finds the call in its logs, if the response has one.
    public var traceID: String? {
        _read { yield contents.value.traceID }
        _modify { yield &contents.value.traceID }
    }
    /// How long each phase of the last attempt took, as far as the transport measures it.
    public var timings: CallTimings? {
        _read { yield contents.value.timings }
        _modify { yield &contents.value.timings }
    }
    /// How the response was read, if it could not be decoded; see ``Envelope/explain(_:)``. It is bounded and has no secrets.
    public var explanation: String? {
        _read { yield contents.value.explanation }
        _modify { yield &contents.value.explanation }
    }

    // Not inlined: there are hundreds of places that make one, of which none has to be fast.
    /// Makes an error.
    ///
    /// - Parameters:
    ///   - kind: The kind of the failure.
    ///   - code: The code. `nil` is the HTTP status, if there is one that is not 2xx and the kind is no timeout, else the kind's own code.
    ///   - message: The message of the backend or of the step that failed; `""` if there is none.
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
        contents = CopyOnWrite(
            APIErrorContents(
                kind: kind, code: code ?? Self.code(of: kind, status: status), message: .words(message), status: status,
                underlying: underlying))
    }

    /// An error around one of another type, whose words it has.
    private init(_ kind: Kind, around error: any Error) {
        self.init(kind, underlying: error)
        // How much an error that is made of others tells depends on where it is told.
        let words = ForeignWords(of: error, redaction: .current)
        contents.value.message = error is AggregateError ? .words(words.text) : .foreign(words)
    }

    private static func code(of kind: Kind, status: Int?) -> ErrorCode {
        // A timeout is one, whatever had arrived by then.
        if let status, kind != .timeout, !(200..<300).contains(status) { return .integer(status) }
        return kind.code
    }

    /// How much of a body an error keeps, in bytes.
    static let bodyLimit = 64 * 1024
}

extension APIError {
    /// Notes how far an attempt came; other errors have no place for that.
    static func adding(_ timings: CallTimings?, to error: any Error) -> any Error {
        guard var error = error as? APIError, error.timings == nil else { return error }
        error.timings = timings
        return error
    }

    /// The error as an `APIError`: itself, or wrapped with the original as ``underlying``.
    static func wrapping(_ error: any Error) -> APIError {
        if let error = error as? APIError { return error }
        if error is CancellationError { return APIError(.cancelled, message: "The call was cancelled.", underlying: error) }
        return APIError(error as? PromiseError == .timedOut ? .timeout : .other, around: error)
    }

    /// What an error was written to say, if it was.
    static func words(of error: any Error) -> String? {
        if let words = (error as? any LocalizedError)?.errorDescription { return words }
        // Anything casts to NSError, and the words of what is none otherwise are made up; those of Foundation's own errors have no
        // address in them, as their descriptions do.
        return error is any CustomNSError || type(of: error) is NSError.Type ? error.localizedDescription : nil
    }

    /// A mistake in the description of a request, told by the step that made it.
    static func invalid(_ step: String, _ reason: String, underlying: (any Error)? = nil) -> APIError {
        APIError(.invalidRequest, message: "\(step): \(reason)", underlying: underlying)
    }
}

extension APIError: ErrorCarrier {
    /// What awaiting throws: a backend's own error as it is.
    package var thrown: any Error { own ?? self }
}

extension APIError: Equatable {
    /// Whether two errors say the same of the same request: kind, code, message, status, method and URL.
    ///
    /// What differs from one time to the next, such as timings, attempts and the response's headers, does not count.
    public static func == (left: APIError, right: APIError) -> Bool {
        left.kind == right.kind && left.code == right.code && left.message == right.message && left.status == right.status
            && left.request?.method == right.request?.method && left.request?.url == right.request?.url
    }
}

extension APIError: LocalizedError, CustomNSError, CustomStringConvertible {
    public static var errorDomain: String { "Catena.APIError" }

    public var errorCode: Int { code.integer ?? -1 }

    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: errorDescription ?? "", NSDebugDescriptionErrorKey: description]
        // Whoever logs an NSError logs its user info too, so the cause comes without its own: Foundation's has the address in it.
        if let cause = underlying as NSError? { info[NSUnderlyingErrorKey] = NSError(domain: cause.domain, code: cause.code) }
        return info
    }

    /// A text for the user of an app, which is never empty: that of `Client.errorMessages(_:)`, else the message of the backend, else a
    /// sentence of the app's main bundle, else one in the language that the user prefers.
    public var errorDescription: String? { text ?? preferredWords }

    /// A text for the user of an app, which is never empty; ``errorDescription``.
    ///
    /// ```swift
    /// .catch { error in self.alert(error.localizedDescription) }
    /// ```
    public var localizedDescription: String { errorDescription ?? "" }

    /// The message that the backend wrote; `""` where it said nothing, and for a failure without a response, such as a timeout.
    public var backendMessage: String { (kind == .business || kind == .status) && status != nil ? message : "" }

    /// One line for a log, without secrets.
    public var description: String {
        let redaction = request?.headers.shown.current ?? .current
        var parts = ["\(kind) \(code)"]
        if let status, code != .integer(status) { parts.append("status \(status)") }
        if !message.isEmpty { parts.append(redaction.line(message)) }
        if let request { parts.append(request.description) }
        if attempts > 1 { parts.append("after \(attempts) attempts") }
        // Only domain and code: Foundation's errors carry the whole address, secrets included.
        if let cause = underlying as NSError? { parts.append("caused by \(cause.domain) \(cause.code)") }
        return parts.map(redaction.byName.line).joined(separator: " · ")
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
