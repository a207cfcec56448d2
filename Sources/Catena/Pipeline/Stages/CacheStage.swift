import Foundation

/// Uses stored responses by the policy, and stores new ones.
struct CacheStage: Stage {
    let cache: ResponseCache
    let rules: CacheRules

    var name: StageName { .cache }
    var explanation: String { "cache: \(rules.policy.name)" }

    func run(_ call: Call, hasEntered: Bool, next: @escaping Next) async throws -> HTTPResponse {
        let request = call.prepared
        let identity = try call.run.keyIdentity()
        // A session ends with the process, so a lasting store must not contain its responses.
        let isKept = try identity == nil || call.run.identity().isLasting || !cache.storage.isLasting
        guard let use = call.sharing?.cacheUse, isKept, rules.applies(to: request) else {
            call.run.inspected?.decided("cache", "nothing of this call is kept or taken from what is kept")
            if CacheRules.mustNotAsk(request) { throw Self.unsatisfiable }
            let response = try await next(call)
            await invalidate(response, call)
            return response
        }
        let call = call.keyed()
        let key = RequestKey.caching(
            call.keyedRequest ?? request, tag: call.tag, identity: identity, rules: call.configuration.requestKeyRules)
        call.run.history.note(cacheKey: key)
        let (cached, mark) = await cache.storage.find(key, call.client.diagnostics.outageHandler)
        let decision = rules.decide(request, cached, for: use, at: call.client.date())
        call.run.inspected?.note(decision, of: cached, at: call.client.date())
        switch decision {
        case .use(let cached):
            return read(cached, call)
        case .useAndRefresh(let cached, _):
            // The caller already has a response. The background refresh reports its own errors; this call ignores them.
            if cache.renewals.begin(key) {
                call.client.expectedEnds.withLock { $0 += 1 }
                Task {
                    await renew(call, key, next)
                    call.client.expectedEnds.withLock { $0 -= 1 }
                }
            }
            return read(cached, call)
        case .validate(let cached, let conditional):
            return try await fetch(call, conditional, key, cached, mark, next)
        case .fetch:
            return try await fetch(call, request, key, cached, mark, next)
        case .unsatisfiable:
            throw Self.unsatisfiable
        }
    }

    private static var unsatisfiable: APIError {
        APIError(.status, message: "The cache has no response to this call, and the server must not be asked.", status: 504)
    }

    /// Refreshes a response in the background. Only one refresh runs at a time, but another one may have ended just before.
    private func renew(_ call: Call, _ key: RequestKey, _ next: @escaping Next) async {
        defer { cache.renewals.end(key) }
        let (kept, mark) = await cache.storage.find(key, call.client.diagnostics.outageHandler)
        guard case .useAndRefresh(let cached, let renewal) = rules.decide(call.prepared, kept, at: call.client.date())
        else { return }
        let call = call.inBackground()
        call.run.inspected?.begin(call.prepared, made: call.run.now)
        call.run.emit(.started, call)
        try? await call.run.concluding { ((), try await fetch(call, renewal, key, cached, mark, next)) }
    }

    /// - Parameter sent: The call's request, which may contain conditions.
    private func fetch(
        _ call: Call,
        _ sent: HTTPRequest,
        _ key: RequestKey,
        _ cached: CachedResponse?,
        _ mark: String?,
        _ next: @escaping Next
    ) async throws -> HTTPResponse {
        let request = call.prepared
        let requested = call.client.date()
        let generation = cache.generations.begin(key.place)
        defer { cache.generations.end(key.place) }
        do {
            let response = try await next(call.asking(sent))
            // Store the response only if the sent request matches the key, and only if this call sent it.
            if call.run.history.keyMatch == .same, response.sender == call.run.id,
                rules.mayStore(response, to: request, sentTo: call.run.history.request?.address ?? request.address)
            {
                let kept = CachedResponse(response, to: request, requested: requested, received: call.client.date())
                await cache.keep(kept, for: key, asOf: generation, mark: mark, call.client.diagnostics.outageHandler)
                call.run.inspected?.decided("cache", "the response is kept")
            } else {
                call.run.inspected?.decided("cache", "the response is not kept, as its headers or the policy say")
            }
            return response
        } catch let error as APIError {
            await keepAbsence(call, request, key, requested, generation, mark)
            guard let cached else { throw error }
            if error.status == 304, sent != request {
                // A 304 may be about another request's response unless the sent request matches the key.
                guard call.run.history.keyMatch == .same else { return try await next(try await call.next()) }
                let notModified = HTTPResponse(status: 304, headers: Self.told(by: error), address: request.address)
                let renewed = cached.updated(by: notModified, to: request, requested: requested, received: call.client.date())
                call.run.inspected?.decided("cache", "the server says that the kept response still holds: it is used")
                if let renewed {
                    await cache.keep(renewed, for: key, asOf: generation, mark: mark, call.client.diagnostics.outageHandler)
                }
                return read(renewed ?? cached, call)
            }
            // If the request was sent under another identity meanwhile, the stored response must not replace its error.
            // A caller who waits for the server's response has the stored one already.
            guard call.run.history.keyMatch != .different, call.sharing?.cacheUse != .confirmed,
                rules.mayReplace(error, with: cached, for: request, at: call.client.date())
            else { throw error }
            call.run.inspected?.decided("cache", "the kept response is used in place of the failure")
            return read(cached, call)
        }
    }

    /// Stores a response saying that the resource does not exist, if it is the reason for the failure.
    private func keepAbsence(_ call: Call, _ request: HTTPRequest, _ key: RequestKey, _ requested: Date, _ generation: Int, _ mark: String?)
        async
    {
        guard let absence = call.run.history.absence, call.run.history.keyMatch == .same,
            rules.mayStore(absence: absence, to: request, sentTo: call.run.history.request?.address ?? request.address)
        else { return }
        let kept = CachedResponse(absence, to: request, requested: requested, received: call.client.date())
        await cache.keep(kept, for: key, asOf: generation, mark: mark, call.client.diagnostics.outageHandler)
        call.run.inspected?.decided("cache", "the response is kept, which says that there is nothing")
    }

    /// Returns the headers of a 304, without those that the error hides.
    private static func told(by error: APIError) -> HTTPHeaders {
        HTTPHeaders((error.response?.headers ?? [:]).fields.filter { !$0.value.contains(Redaction.mark) })
    }

    /// Returns a stored response, whose envelope is read like that of any other.
    private func read(_ cached: CachedResponse, _ call: Call) -> HTTPResponse {
        var response = cached.response(to: call.prepared, at: call.client.date())
        response.source = .cache
        response.take(from: call.run)
        return response
    }

    private func invalidate(_ response: HTTPResponse, _ call: Call) async {
        for address in CacheRules.invalidated(by: response, to: call.prepared) {
            await cache.forget(RequestKey.place(address, call.configuration.requestKeyRules), call.client.diagnostics.outageHandler)
        }
    }
}

extension InspectedCall {
    fileprivate func note(_ decision: CacheDecision, of cached: CachedResponse?, at now: Date) {
        let age = cached.map { "\(Int(max(now.timeIntervalSince($0.head.received), 0))) s old" } ?? ""
        switch decision {
        case .use: decided("cache", "the kept response is used, \(age)")
        case .useAndRefresh: decided("cache", "the kept response is used, \(age) and stale, and is renewed in the background")
        case .validate: decided("cache", "the server is asked whether the kept response, \(age), still holds")
        case .fetch where cached == nil: decided("cache", "nothing is kept for this request: the server is asked")
        case .fetch: decided("cache", "what is kept, \(age), cannot be used: the server is asked")
        case .unsatisfiable: decided("cache", "nothing is kept for this request, and the server must not be asked")
        }
    }
}
