/// The stages of a call, in running order: the only place that knows it.
///
/// deadline → before → prepare → start → cache → limits → retry → hedge → (common, from the second attempt on) → authentication → signing →
/// transport, which is guards, redirects, sending and the envelope
enum Stages {
    /// - Parameter answer: The whole response that the call brings, which others could use too; `nil` if it streams it.
    /// - Parameter first: The attempt that was made before the stages came into it, if there was one.
    static func all(for execution: Execution, bringing answer: WholeResponse?, after first: FirstAttempt? = nil) -> [any Stage] {
        let stages = own(of: execution, bringing: answer, after: first)
        let interceptors = execution.interceptors
        if interceptors.isEmpty { return stages }
        let own = stages.map { (order: $0.name.order * 3, stage: $0) }
        let users = interceptors.map { (order: $0.position.order, stage: InterceptorStage(interceptor: $0) as any Stage) }
        // Stable, so that interceptors in the same place run in the order in which they were added.
        return (own + users).enumerated().sorted { ($0.element.order, $0.offset) < ($1.element.order, $1.offset) }.map(\.element.stage)
    }

    /// Those that the configuration asks for; none costs anything that is not asked for.
    private static func own(of execution: Execution, bringing answer: WholeResponse?, after first: FirstAttempt?) -> [any Stage] {
        let profile = execution.profile
        let (retry, dedupes) = (execution.settings.retry, execution.settings.dedupe)
        var stages: [any Stage] = []
        let hasLimits =
            (profile.circuitBreaker != nil || profile.maxConcurrentCalls != nil || !profile.rateLimits.isEmpty) && !RefreshScope.isActive
        let hedgeDelay = answer == nil ? nil : execution.hedgeDelay
        let backend = retry.limit > 0 || hedgeDelay != nil || dedupes || hasLimits ? execution.backend : nil
        if dedupes, let backend, let answer {
            stages.append(DedupeStage(flights: backend.flights, needsPayload: answer.needsPayload))
        }
        if let cache = profile.cache {
            let rules = CacheRules(policy: execution.settings.cachePolicy)
            stages.append(CacheStage(cache: cache, rules: rules, keepsAnswers: answer != nil))
        }
        if hasLimits, let backend { stages += limits(of: backend, profile) }
        let account = backend?.account(for: retry)
        if retry.limit > 0 { stages.append(RetryStage(policy: retry, account: account, deposits: first == nil)) }
        if let hedgeDelay {
            stages.append(
                HedgeStage(
                    delay: hedgeDelay, policy: retry, account: account, deposits: retry.limit <= 0,
                    limiter: hasLimits ? backend?.concurrency : nil))
        }
        if let authentication = execution.authentication {
            stages.append(AuthenticationStage(authentication: authentication, first: first))
        }
        if profile.sendsTraceparent, execution.destination.takesCommon() {
            var generator = SystemRandomNumberGenerator()
            stages.append(TraceStage(context: .random(using: &generator)))
        }
        if let signer = execution.signer { stages.append(SigningStage(signer: signer)) }
        return stages
    }

    private static func limits(of backend: BackendState, _ profile: ResolvedProfile) -> [any Stage] {
        var stages: [any Stage] = []
        if let breaker = backend.breaker, let policy = profile.circuitBreaker {
            stages.append(BreakerStage(breaker: breaker, shared: backend.sharedBreaker, policy: policy))
        }
        if let rate = backend.rate { stages.append(RateStage(limiter: rate, shared: backend.sharedRate, limits: profile.rateLimits)) }
        if let limiter = backend.concurrency, let limit = profile.maxConcurrentCalls {
            stages.append(ConcurrencyStage(limiter: limiter, limit: limit))
        }
        return stages
    }
}

extension Execution {
    /// The client's interceptors, then the tag's, then the call's own.
    var interceptors: [Interceptor] {
        let (all, tagged, own) = (snapshot.settings.interceptors, profile.interceptors, request.interceptors)
        if all.isEmpty, tagged.isEmpty, own.isEmpty { return [] }
        return all + tagged + own
    }
}

extension Execution {
    /// The request as it would go out, with the credential that there is.
    func preview() async throws -> HTTPRequest {
        var call = try await Call.prepare(self)
        if let authentication {
            var context = try call.authenticationContext
            context.mayRefresh = false
            (call, _) = try await call.authenticated(by: authentication, context)
        }
        if let signer { call = try await call.signed(by: signer) }
        return call.prepared.adding(profile.cookieJar)
    }

    /// The stages that the call would pass.
    var explanation: String {
        var lines = ["tag: \(request.tag?.name ?? "none")"]
        if let deadline = settings.deadline { lines.append("deadline: \(deadline)") }
        if !request.options.before.isEmpty { lines.append("before: \(request.options.before.count)") }
        let omittedForOrigin = omittedForOrigin
        if !omittedForOrigin.isEmpty {
            lines.append("goes to another origin than its tag's host, so without " + omittedForOrigin.joined(separator: ", "))
        }
        let sources = [
            snapshot.settings.commonParams == nil || omittedForOrigin.contains("common params") ? nil : "params",
            snapshot.settings.commonHeaders == nil || omittedForOrigin.contains("common headers") ? nil : "headers",
        ].compactMap { $0 }
        if !sources.isEmpty { lines.append("common: " + sources.joined(separator: ", ") + ", for every attempt") }
        lines += Stages.all(for: self, bringing: WholeResponse(needsPayload: false)).map(\.explanation)
        lines.append("timeout: \(settings.timeout) for each attempt")
        lines.append("redirects: up to \(profile.redirectLimit)")
        lines.append("body limit: \(profile.bodyLimit) bytes")
        lines.append("transport: \(type(of: client.transport))")
        return lines.enumerated().map { "\($0.offset + 1). \($0.element)" }.joined(separator: "\n")
    }
}
