/// Lets identical active calls share one response.
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
                // A call that joined late has not used its own time limit yet.
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
            let isAnswer = response.source == .cache || response.sender == call.run.id
            use = isAnswer && call.run.history.keyMatch != .different ? .everybody : .sender
        } catch let error as CancellationError {
            throw error
        } catch {
            result = .failure(error)
            let isTimeout = (error as? APIError).map { $0.kind == .timeout && $0.status == nil } ?? false
            use = call.run.history.keyMatch == .different ? .sender : isTimeout ? .untilTimeout : .everybody
        }
    }
}

extension Call {
    /// Throws if the call itself requests sharing although its method changes something. The setting of a tag does not apply to such methods.
    fileprivate func checkDedupe() throws {
        let method = prepared.method
        guard method != .get, method != .head, run.request.options[\.dedupe] == true else { return }
        throw APIError.invalid("dedupe", "only GET and HEAD share a response, and this is a \(method)")
    }
}

extension DedupeKey {
    /// Returns `nil` if the call cannot share. It may change something, have an envelope, interceptors or a transport of its own, or its transfer
    /// may be observed or suspended.
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
