/// Lets identical calls that are under way at the same time share one answer.
struct DedupeStage: Stage {
    let flights: SingleFlight<SharedCall, SharedAnswer>
    /// Whether the body has to be one that has a payload.
    let needsPayload: Bool

    var name: StageName { .cache }
    var explanation: String { "joins identical calls under way" }

    func run(_ call: Call, next: @escaping Next) async throws -> HTTPResponse {
        guard let key = try SharedCall(call, needsPayload: needsPayload) else { return try await next(call) }
        let call = call.keyed()
        let start = call.client.clock.now
        while true {
            let answer = try await flights.run(key) { try await SharedAnswer(of: call, next) }
            if answer.sender == call.execution.id { return try answer.result.get() }
            switch answer.use {
            case .everybody: return try answer.result.get()
            case .sender: return try await next(call)
            case .untilTimeout:
                // Whoever joined late has not had its time yet.
                if call.client.clock.now - start >= call.execution.settings.timeout { return try answer.result.get() }
            }
        }
    }
}

/// What came of a call that others have joined.
struct SharedAnswer: Sendable {
    /// Whose it is.
    enum Use: Sendable {
        case everybody
        /// What was sent is not what the calls have in common: something on the way has put in what may be about this one call.
        case sender
        /// It says that the sender has run out of time, not the ones who joined.
        case untilTimeout
    }

    let result: Result<HTTPResponse, any Error>
    let sender: UInt64
    let use: Use

    init(of call: Call, _ next: Next) async throws {
        sender = call.execution.id
        do {
            let response = try await next(call)
            result = .success(response)
            switch call.execution.log.likeness {
            case .same: use = .everybody
            case .unsent: use = response.source == .cache ? .everybody : .sender
            case .different: use = .sender
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            result = .failure(error)
            let isTimeout = (error as? APIError).map { $0.kind == .timeout && $0.status == nil } ?? false
            use = call.execution.log.likeness == .different ? .sender : isTimeout ? .untilTimeout : .everybody
        }
    }
}

/// Tells calls apart that must not share one answer.
struct SharedCall: Hashable, Sendable {
    private let request: RequestKey
    /// What becomes of the answer before it is shared; a type need not be the same, for it is decoded afterwards.
    private let needsPayload: Bool
    private let unwrap: Unwrap?
    private let cachePolicy: CachePolicy
    /// How long the one who sends waits and how often it tries, for all who join.
    private let timeout: Duration
    private let silence: Silence.Limits
    private let retry: RetryPolicy
    /// The types whose errors are looked for before the answer is shared.
    private let errorTypes: [ObjectIdentifier]

    /// `nil` if the call cannot share: it may change something, has parts of its own on the way, or is watched on it.
    init?(_ call: Call, needsPayload: Bool) throws {
        let prepared = call.prepared
        let execution = call.execution
        let options = execution.request.options
        guard prepared.method == .get || prepared.method == .head, prepared.body == nil, !execution.isWatched, options.envelope == nil,
            options.interceptors.isEmpty, options.transport == nil
        else { return nil }
        request = RequestKey.sharing(
            prepared.adding(execution.profile.cookieJar), tag: call.tag, identity: try execution.keyIdentity(),
            rules: execution.profile.requestKeyRules)
        self.needsPayload = needsPayload
        unwrap = options.unwrap
        let settings = execution.settings
        (cachePolicy, timeout, silence, retry) = (settings.cachePolicy, settings.timeout, settings.silence, settings.retry)
        errorTypes = options.ownErrors?.types ?? []
    }
}
