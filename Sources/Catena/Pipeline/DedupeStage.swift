/// Lets identical calls that are under way at the same time share one answer.
struct DedupeStage: Stage {
    let flights: SingleFlight<SharedCall, HTTPResponse>
    /// Whether the body has to be one that has a payload.
    let needsPayload: Bool

    var name: StageName { .cache }
    var explanation: String { "joins identical calls under way" }

    func run(_ call: Call, next: @escaping Next) async throws -> HTTPResponse {
        guard let key = try SharedCall(call, needsPayload: needsPayload) else { return try await next(call) }
        return try await flights.run(key) { try await next(call) }
    }
}

/// Tells calls apart that must not share one answer.
struct SharedCall: Hashable, Sendable {
    private let request: RequestKey
    /// What becomes of the answer before it is shared; a type need not be the same, for it is decoded afterwards.
    private let needsPayload: Bool
    private let unwrap: Unwrap?
    private let cachePolicy: CachePolicy
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
            prepared.adding(execution.profile.cookieJar), tag: call.tag, identity: try execution.identity(),
            rules: execution.profile.requestKeyRules)
        self.needsPayload = needsPayload
        unwrap = options.unwrap
        cachePolicy = options.cachePolicy ?? execution.profile.cachePolicy
        errorTypes = options.ownErrors?.types ?? []
    }
}
