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
        let flights = call.execution.backend.flights
        let call = call.keyed()
        let start = call.client.clock.now
        while true {
            let answer = try await flights.run(key) { try await SharedResponse(of: call, next) }
            if answer.sender == call.execution.id { return try answer.result.get() }
            switch answer.use {
            case .everybody:
                call.execution.trace?.noteShared()
                return try answer.result.get()
            case .sender: return try await next(call)
            case .untilTimeout:
                // A call that joined late has not used its own time limit yet.
                if call.client.clock.now - start >= call.configuration.timeout { return try answer.result.get() }
            }
        }
    }
}

extension SharedResponse {
    init(of call: Call, _ next: Next) async throws {
        sender = call.execution.id
        do {
            let response = try await next(call)
            result = .success(response)
            let isAnswer = response.source == .cache || response.sender == call.execution.id
            use = isAnswer && call.execution.log.likeness != .different ? .everybody : .sender
        } catch let error as CancellationError {
            throw error
        } catch {
            result = .failure(error)
            let isTimeout = (error as? APIError).map { $0.kind == .timeout && $0.status == nil } ?? false
            use = call.execution.log.likeness == .different ? .sender : isTimeout ? .untilTimeout : .everybody
        }
    }
}

extension Call {
    /// Throws if the call itself requests sharing although its method changes something. The setting of a tag does not apply to such methods.
    fileprivate func checkDedupe() throws {
        let method = prepared.method
        guard method != .get, method != .head, execution.request.options[\.dedupe] == true else { return }
        throw APIError.invalid("dedupe", "only GET and HEAD share a response, and this is a \(method)")
    }
}

extension DedupeKey {
    /// Returns `nil` if the call cannot share. It may change something, have an envelope, interceptors or a transport of its own, or its transfer
    /// may be observed or suspended.
    init?(_ call: Call, needsPayload: Bool) throws {
        let prepared = call.prepared
        let execution = call.execution
        let configuration = execution.configuration
        guard prepared.method == .get || prepared.method == .head, prepared.body == nil, !execution.isWatched,
            execution.request.options[\.envelope] == nil,
            execution.request.interceptors.isEmpty, configuration.transport == nil
        else { return nil }
        request = RequestKey.sharing(
            prepared.adding(execution.profile.cookieJar), tag: call.tag, identity: try execution.keyIdentity(),
            rules: configuration.requestKeyRules)
        self.needsPayload = needsPayload
        unwrap = configuration.unwrap
        (cachePolicy, timeout, silence) = (configuration.cachePolicy, configuration.timeout, configuration.silence)
        (retry, hedge) = (configuration.retry, configuration.hedge)
        errorTypes = configuration.errorFinder?.types ?? []
    }
}
