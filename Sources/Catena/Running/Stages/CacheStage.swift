import CatenaPlatform

/// Uses stored responses by the policy, and stores new ones.
struct CacheStage: Stage {
    let cache: ResponseCache
    let rules: CacheRules

    var name: StageName { .cache }
    var explanation: String { "cache: \(rules.policy.name)" }

    @inline(__always)
    func run(_ call: Call, _ next: Next) async throws -> HTTPResponse {
        let request = call.prepared
        let identity = try call.run.keyIdentity()
        // A session ends with the process, so a lasting store must not contain its responses.
        let isKept = try identity == nil || call.run.identity().isLasting || !cache.storage.isLasting
        guard let use = call.sharing?.cacheUse, isKept, rules.applies(to: request) else {
            if !isKept { call.client.report(.unstoredCache, in: call.run) }
            if call.sharing == nil, ![nil, .never].contains(call.run.request.options[\.cachePolicy]) {
                call.client.report(.transfer("cache"), in: call.run)
            }
            call.run.inspected?.decided("cache", "nothing of this call is kept or taken from what is kept")
            if CacheRules.mustNotAsk(request) { throw Self.unsatisfiable }
            let response = try await next(call)
            try await invalidate(response, call)
            return response
        }
        let call = call.keyed()
        let key = RequestKey.caching(
            call.keyedRequest ?? request, tag: call.tag, identity: identity, rules: call.keyRules)
        call.run.history.note(cacheKey: key)
        let (cached, mark) = try await find(key, call)
        if cached == nil { call.noteUnfound(key) }
        let decision = rules.decide(request, cached, for: use, at: call.client.date())
        call.run.inspected?.note(decision, of: cached, at: call.client.date())
        switch decision {
        case .use(let cached, let freshness):
            return read(cached, freshness, call)
        case .useAndRefresh(let cached, _):
            // The caller already has a response. The background refresh reports its own errors; this call ignores them.
            if cache.renewals.begin(key) {
                call.client.expectedEnds.withLock { $0 += 1 }
                Task {
                    await renew(call, key, next)
                    call.client.expectedEnds.withLock { $0 -= 1 }
                }
            }
            return read(cached, .stale, call)
        case .validate(let cached, let conditional):
            return try await fetch(call, conditional, key, (cached, mark), next)
        case .fetch:
            return try await fetch(call, request, key, (cached, mark), next)
        case .unsatisfiable:
            throw Self.unsatisfiable
        }
    }

    private static var unsatisfiable: APIError {
        APIError(.status, message: "The cache has no response to this call, and the server must not be asked.", status: 504)
    }

    /// Refreshes a response in the background. Only one refresh runs at a time, but another one may have ended just before.
    private func renew(_ call: Call, _ key: RequestKey, _ next: Next) async {
        defer { cache.renewals.end(key) }
        let (kept, mark) = await cache.storage.find(key, call.client.diagnostics.outageHandler)
        guard case .useAndRefresh(let cached, let renewal) = rules.decide(call.prepared, kept, at: call.client.date())
        else { return }
        let call = call.inBackground()
        defer { call.run.stopper.end() }
        call.run.inspected?.begin(call.prepared, made: call.run.now)
        call.run.emit(.started, call)
        try? await call.run.concluding { ((), try await fetch(call, renewal, key, (cached, mark), next)) }
    }

    /// An exchange with the server whose response may be kept.
    private struct Exchange {
        let call: Call
        let key: RequestKey
        let requested: Date
        /// The state of the place when the exchange began.
        let start: CacheGenerations.Start
        /// The mark of the kept response, by which a shared store finds that another process has replaced it.
        let mark: String?

        var request: HTTPRequest { call.prepared }

        /// Whether the sent request matches the key.
        var isOfKey: Bool { call.run.history.keyMatch == .same }

        /// The address to which the request was sent.
        var address: HTTPAddress { call.run.history.request?.address ?? request.address }
    }

    /// - Parameter sent: The call's request, which may contain conditions.
    private func fetch(
        _ call: Call, _ sent: HTTPRequest, _ key: RequestKey, _ kept: (response: CachedResponse?, mark: String?), _ next: Next
    ) async throws -> HTTPResponse {
        let request = call.prepared
        let requested = call.client.date()
        let start = cache.generations.begin(key.place)
        defer { cache.generations.end(key.place) }
        let exchange = Exchange(call: call, key: key, requested: requested, start: start, mark: kept.mark)
        let confirmed: (response: CachedResponse, headers: HTTPHeaders)
        do {
            let response = try await next(call.asking(sent))
            guard response.status == 304, sent != request, let cached = kept.response else {
                try await keep(response, of: exchange)
                return response
            }
            // The envelope takes the status for a success.
            confirmed = (cached, response.headers)
        } catch let error as APIError {
            try await keepAbsence(of: exchange)
            guard let cached = kept.response else { throw error }
            guard error.status == 304, sent != request else {
                // If the request was sent under another identity meanwhile, the stored response must not replace its error.
                // A caller who waits for the server's response has the stored one already.
                guard call.run.history.keyMatch != .different, call.sharing?.cacheUse != .confirmed,
                    rules.mayReplace(error, with: cached, for: request, at: call.client.date())
                else { throw error }
                call.run.inspected?.decided("cache", "the kept response is used in place of the failure")
                return read(cached, .stale, call)
            }
            confirmed = (cached, Self.told(by: error))
        }
        return try await use(confirmed.response, confirmedBy: confirmed.headers, in: exchange, next)
    }

    /// Stores a response if the rules allow it, the sent request matches the key, and this call sent it.
    private func keep(_ response: HTTPResponse, of exchange: Exchange) async throws {
        let run = exchange.call.run
        guard exchange.isOfKey, response.sender == run.id, rules.mayStore(response, to: exchange.request, sentTo: exchange.address) else {
            run.inspected?.decided("cache", "the response is not kept, as its headers or the policy say")
            return
        }
        try await store(response, of: exchange)
        run.inspected?.decided("cache", "the response is kept")
    }

    /// Stores a response saying that the resource does not exist, if it is the reason for the failure.
    private func keepAbsence(of exchange: Exchange) async throws {
        let run = exchange.call.run
        guard let absence = run.history.absence, exchange.isOfKey,
            rules.mayStore(absence: absence, to: exchange.request, sentTo: exchange.address)
        else { return }
        try await store(absence, of: exchange)
        run.inspected?.decided("cache", "the response is kept, which says that there is nothing")
    }

    /// Uses a kept response that the server has confirmed, and stores it with the headers of the confirmation if they allow that.
    private func use(
        _ cached: CachedResponse, confirmedBy headers: HTTPHeaders, in exchange: Exchange, _ next: Next
    ) async throws -> HTTPResponse {
        let (call, request) = (exchange.call, exchange.request)
        // A 304 may be about another request's response unless the sent request matches the key.
        guard exchange.isOfKey else { return try await next(try await call.next()) }
        let notModified = HTTPResponse(status: 304, headers: headers, address: request.address)
        let renewed = cached.updated(by: notModified, to: request, requested: exchange.requested, received: call.client.date())
        call.run.inspected?.decided("cache", "the server says that the kept response still holds: it is used")
        guard let renewed else { return read(cached, .revalidated, call) }
        if rules.mayStore(renewed.response(to: request, at: call.client.date()), to: request, sentTo: request.address) {
            try await store(renewed, of: exchange)
        } else {
            cache.storage.remove(exchange.key)
        }
        return read(renewed, .revalidated, call)
    }

    private func store(_ response: HTTPResponse, of exchange: Exchange) async throws {
        let received = exchange.call.client.date()
        try await store(CachedResponse(response, to: exchange.request, requested: exchange.requested, received: received), of: exchange)
    }

    private func store(_ response: CachedResponse, of exchange: Exchange) async throws {
        let handler = exchange.call.client.diagnostics.outageHandler
        try await access(exchange.call) {
            await cache.keep(response, for: exchange.key, asOf: exchange.start, mark: exchange.mark, handler)
        }
    }

    private func find(_ key: RequestKey, _ call: Call) async throws -> (response: CachedResponse?, mark: String?) {
        try await access(call) { await cache.storage.find(key, call.client.diagnostics.outageHandler) }
    }

    /// Accesses the storage. Only one that machines share takes its time.
    private func access<Value: Sendable>(_ call: Call, _ work: @escaping @Sendable () async -> Value) async throws -> Value {
        cache.storage.isShared ? try await call.wait(for: work) : await work()
    }

    /// Returns the headers of a 304, without those that the error hides.
    private static func told(by error: APIError) -> HTTPHeaders {
        HTTPHeaders((error.response?.headers ?? [:]).fields.filter { !$0.value.contains(Redaction.mark) })
    }

    /// Returns a stored response, whose envelope is read like that of any other.
    private func read(_ cached: CachedResponse, _ freshness: ResponseFreshness, _ call: Call) -> HTTPResponse {
        var response = cached.response(to: call.prepared, at: call.client.date())
        (response.source, response.freshness) = (.cache, freshness)
        response.take(from: call.run)
        return response
    }

    private func invalidate(_ response: HTTPResponse, _ call: Call) async throws {
        // Both before the first `await`: each part of the function that follows one would contain a copy.
        let groups = CacheRules.invalidatedGroups(by: response, to: call.prepared)
        for address in CacheRules.invalidated(by: response, to: call.prepared) {
            try await access(call) {
                await cache.forget(RequestKey.place(address, call.keyRules), call.client.diagnostics.outageHandler)
            }
        }
        if !groups.isEmpty { await call.invalidate(groups) }
    }
}

extension InspectedCall {
    fileprivate func note(_ decision: CacheDecision, of cached: CachedResponse?, at now: Date) {
        let age = cached.map { "\(Int(max(now.timeIntervalSince($0.head.received), 0))) s old" } ?? ""
        switch decision {
        case .use(_, let freshness): decided("cache", "the kept response is used, \(age) and \(freshness)")
        case .useAndRefresh: decided("cache", "the kept response is used, \(age) and stale, and is renewed in the background")
        case .validate: decided("cache", "the server is asked whether the kept response, \(age), still holds")
        case .fetch where cached == nil: decided("cache", "nothing is kept for this request: the server is asked")
        case .fetch: decided("cache", "what is kept, \(age), cannot be used: the server is asked")
        case .unsatisfiable: decided("cache", "nothing is kept for this request, and the server must not be asked")
        }
    }
}
