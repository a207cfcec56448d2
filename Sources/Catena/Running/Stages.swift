/// The stages of a call, in running order, which only this type defines.
///
/// deadline → debounce → before → prepare → start → cache → limits → retry → hedge → (common, from the second attempt on) → authentication → signing →
/// transport, which is guards, redirects, sending and the envelope
enum Stages {
    /// Returns the plan of a call. Calls without options and destinations of their own, which are most calls, share that of their tag.
    static func plan(of run: CallRun) -> [any Stage] {
        guard !run.saysHowItGoes else { return made(for: run) }
        return run.profile.plan.value { made(for: run) }
    }

    private static func made(for run: CallRun) -> [any Stage] {
        var stages = own(of: run)
        run.snapshot.settings.addStages?(&stages)
        let interceptors = run.interceptors
        if interceptors.isEmpty { return stages }
        let own = stages.map { (order: $0.name.order * 3, stage: $0) }
        let users = interceptors.map { (order: $0.position.order, stage: InterceptorStage(interceptor: $0) as any Stage) }
        // Stable, so that interceptors in the same place run in the order in which they were added.
        return (own + users).enumerated().sorted { ($0.element.order, $0.offset) < ($1.element.order, $1.offset) }.map(\.element.stage)
    }

    /// Returns the stages that the configuration requires. Features that are not configured cost nothing.
    private static func own(of run: CallRun) -> [any Stage] {
        let (profile, options) = (run.profile, run.configuration)
        var stages: [any Stage] = []
        if !options.invalidates.isEmpty { stages.append(InvalidationStage(paths: options.invalidates)) }
        if options.dedupe || options.isOnce { stages.append(DedupeStage(isOnce: options.isOnce)) }
        if let cache = profile.cache { stages.append(CacheStage(cache: cache, rules: CacheRules(policy: options.cachePolicy))) }
        if let policy = profile.circuitBreaker { stages.append(BreakerStage(policy: policy)) }
        if !profile.rateLimits.isEmpty { stages.append(RateStage(limits: profile.rateLimits)) }
        if let limit = profile.maxConcurrentCalls { stages.append(ConcurrencyStage(limit: limit)) }
        if options.retry.limit > 0 { stages.append(RetryStage(policy: options.retry)) }
        if let delay = run.hedgeDelay { stages.append(HedgeStage(delay: delay, policy: options.retry)) }
        stages.append(RepeatStage())
        if let authentication = run.authentication { stages.append(AuthenticationStage(authentication: authentication)) }
        if options.sendsTraceparent, run.destination.takesCommon() { stages.append(TraceStage()) }
        if let signer = run.signer { stages.append(SigningStage(signer: signer)) }
        return stages
    }
}

extension CallRun {
    /// Whether the call has settings that may change its plan.
    fileprivate var saysHowItGoes: Bool {
        // A hedge of the tag changes the plan too, because it does not apply to every method.
        request.hasOptions || configuration.hedge != nil || request.location.host != nil || request.location.absolute != nil
            || !request.interceptors.isEmpty || isWithinClosure
    }
}

extension CallRun {
    /// The client's interceptors, then the tag's, then the call's own.
    var interceptors: [Interceptor] {
        let (all, tagged, own) = (snapshot.settings.interceptors, profile.interceptors, request.interceptors)
        if all.isEmpty, tagged.isEmpty, own.isEmpty { return [] }
        let interceptors = all + tagged + own
        return isWithinClosure ? interceptors.filter { !isWithin(.interceptor($0.name)) } : interceptors
    }
}

extension CallRun {
    /// Returns the request that would be sent now, with the present credential.
    func preview() async throws -> HTTPRequest {
        var call = try await Preparation.call(of: self)
        if let authentication {
            var context = try call.authenticationContext
            context.mayRefresh = false
            call = try await call.authenticated(by: authentication, context)
        }
        if let signer { call = try await call.signed(by: signer) }
        var request = call.prepared.adding(profile.cookieJar)
        call.finish(&request)
        return request
    }

    /// The stages that the call would pass, as text.
    var explanation: String {
        var lines = ["tag: \(request.tag?.name ?? "none")"]
        if profile.circuitBreaker?.scope == .route { lines.append("route: \(Redaction.current.redact(place: request.location.route))") }
        if let deadline = configuration.deadline { lines.append("deadline: \(deadline)") }
        if let debounce = configuration.debounce { lines.append("debounce: \(debounce)") }
        if !configuration.before.isEmpty { lines.append("before: \(configuration.before.count)") }
        let omittedForOrigin = omittedForOrigin
        if !omittedForOrigin.isEmpty {
            lines.append("goes to another origin than its tag's host, so without " + omittedForOrigin.joined(separator: ", "))
        }
        let sources = [
            snapshot.settings.commonParams == nil || omittedForOrigin.contains("common params") ? nil : "params",
            snapshot.settings.commonHeaders == nil || omittedForOrigin.contains("common headers") ? nil : "headers",
        ].compactMap { $0 }
        if !sources.isEmpty { lines.append("common: " + sources.joined(separator: ", ") + ", for every attempt") }
        lines += Stages.plan(of: self).map(\.explanation).filter { !$0.isEmpty }
        if storesNothing { lines.append("responses of this user are not stored: \(IneffectiveStep.unstoredCache.reason)") }
        lines.append("timeout: \(configuration.timeout) for each attempt")
        lines.append("redirects: up to \(configuration.redirectLimit)")
        lines.append("body limit: \(configuration.bodyLimit) bytes")
        lines.append("transport: \(type(of: client.ownCarrier.transport))")
        return lines.enumerated().map { "\($0.offset + 1). \($0.element)" }.joined(separator: "\n")
    }
}
