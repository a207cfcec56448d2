/// Lets identical calls in progress share one response.
struct DedupeStage: Stage {
    var name: StageName { .cache }
    var explanation: String { "joins identical calls under way" }

    func enter(_ call: inout Call) -> StageEntry { call.sharing == nil ? .passed : .waits }

    func run(_ call: Call, hasEntered: Bool, next: @escaping Next) async throws -> HTTPResponse {
        try call.checkDedupe()
        guard let sharing = call.sharing, let key = try DedupeKey(call, needsPayload: sharing.needsPayload) else {
            return try await next(call)
        }
        let flights = call.run.tagState.flights
        let call = call.keyed()
        let start = call.client.clock.now
        while true {
            let shared = try await flights.run(key) { try await SharedResponse(of: call, next) }
            if shared.sender == call.run.id { return try shared.result.get() }
            switch shared.use {
            case .everybody:
                call.run.inspected?.noteShared()
                return try shared.result.get()
            case .sender: return try await next(call)
            case .untilTimeout:
                // The sender timed out. A call that joined later has time left, so it joins the next flight or starts one.
                if call.client.clock.now - start >= call.configuration.timeout { return try shared.result.get() }
            }
        }
    }
}

extension SharedResponse {
    init(of call: Call, _ next: Next) async throws {
        sender = call.run.id
        do {
            let response = try await next(call)
            result = .success(response)
            // Share only a cached response or one that this call received for the request of the key. An interceptor may have returned another.
            let isAnswer = response.source == .cache || response.sender == call.run.id
            use = isAnswer && call.run.history.keyMatch != .different ? .everybody : .sender
        } catch let error as CancellationError {
            // A flight is cancelled only after its last call has left, so no call needs this result.
            guard !Task.isCancelled, call.run.history.wasCancelledByCode else { throw error }
            // An interceptor or the transport has cancelled this call, but not those that joined it.
            result = .failure(error)
            use = .sender
        } catch {
            result = .failure(error)
            let isTimeout = (error as? APIError).map { $0.kind == .timeout && $0.status == nil } ?? false
            use = call.run.history.keyMatch == .different ? .sender : isTimeout ? .untilTimeout : .everybody
        }
    }
}

extension Call {
    /// Throws if the call itself sets `dedupe` and its method is neither GET nor HEAD. With such a method, the setting of the tag is ignored.
    fileprivate func checkDedupe() throws {
        let method = prepared.method
        guard method != .get, method != .head, run.request.options[\.dedupe] == true else { return }
        throw APIError.invalid("dedupe", "only GET and HEAD share a response, and this is a \(method)")
    }
}

extension DedupeKey {
    /// Creates the key, or returns `nil` if the call cannot share. A call cannot share if its method is neither GET nor HEAD, or if it has a body,
    /// or its own envelope, interceptors or transport. A call whose progress is observed, or that can be suspended, cannot share either.
    init?(_ call: Call, needsPayload: Bool) throws {
        let prepared = call.prepared
        let run = call.run
        let configuration = run.configuration
        guard prepared.method == .get || prepared.method == .head, prepared.body == nil, !run.isWatched,
            run.request.options[\.envelope] == nil,
            run.request.interceptors.isEmpty, configuration.transport == nil
        else { return nil }
        request = RequestKey.sharing(
            prepared.adding(run.profile.cookieJar), tag: call.tag, identity: try run.keyIdentity(),
            rules: configuration.requestKeyRules)
        self.needsPayload = needsPayload
        unwrap = configuration.unwrap
        (cachePolicy, timeout, inactivity) = (configuration.cachePolicy, configuration.timeout, configuration.inactivity)
        (retry, hedge) = (configuration.retry, configuration.hedge)
        errorTypes = configuration.errorFinder?.types ?? []
    }
}
