/// Lets identical calls in progress share one response.
struct DedupeStage: Stage {
    /// Whether calls of any method join, and share the response or failure of the first one with its settings.
    let isOnce: Bool

    var name: StageName { .cache }
    var explanation: String {
        isOnce ? "joins an identical call under way, whatever its method" : "joins identical calls under way"
    }

    func run(_ call: Call, _ next: Next) async throws -> HTTPResponse {
        if isOnce { try call.checkOnce() } else { try call.checkDedupe() }
        if call.sharing == nil, call.run.request.options[\.dedupe] == true { call.client.report(.transfer("dedupe"), in: call.run) }
        guard let sharing = call.sharing, sharing.cacheUse == .byPolicy,
            let key = try isOnce ? DedupeKey(once: call) : DedupeKey(call, needsPayload: sharing.needsPayload)
        else { return try await next(call) }
        let flights = call.run.tagState.flights
        let call = call.keyed()
        let start = call.client.clock.now
        while true {
            let shared = try await call.wait {
                try await flights.run(key) {
                    // A cache takes note itself.
                    if !call.profile.hasCache || !call.prepared.method.isCacheable { call.noteUnfound(key.request) }
                    return try await SharedResponse(of: call.joinable { flights.waiters(of: key) == 1 }, next)
                }
            }
            if shared.sender == call.run.id {
                if isOnce, shared.use == .changed { call.reportSharing() }
                return try shared.result.get()
            }
            switch shared.use {
            // The response may be a success for the type of this call. It is sent by itself, because the next flight may be for another type again.
            case .everybody where !isOnce && shared.isFailure(onlyFor: sharing.judge): return try await next(call)
            case .everybody: return try joined(shared, call)
            case .changed where isOnce && !call.prepared.method.isSafe:
                // The sender itself may have been cancelled.
                call.reportSharing()
                throw APIError.invalid("once", Call.secondSending)
            case .sender, .changed: return try await next(call)
            case .untilTimeout where isOnce: return try joined(shared, call)
            case .untilTimeout:
                // The sender timed out. A call that joined later has time left, so it joins the next flight or starts one.
                if call.client.clock.now - start >= call.configuration.timeout { return try shared.result.get() }
            }
        }
    }

    private func joined(_ shared: SharedResponse, _ call: Call) throws -> HTTPResponse {
        call.run.inspected?.noteShared()
        let response = try shared.result.get()
        // The envelope judges by the type. Calls that join once may also have an envelope of their own.
        return isOnce || shared.judge != call.sharing?.judge ? response.withoutReceivedPayload : response
    }
}

extension SharedResponse {
    init(of call: Call, _ next: Next) async throws {
        sender = call.run.id
        judge = call.sharing?.judge
        do {
            let response = try await next(call)
            result = .success(response)
            // Share only a cached response or one that this call received for the request of the key. An interceptor may have returned another.
            let isAnswer = response.source == .cache || response.sender == call.run.id
            use = call.run.history.keyMatch != .different && isAnswer ? .everybody : call.lonelyUse
        } catch let error as CancellationError {
            // A flight is cancelled only after its last call has left, so no call needs this result.
            guard !Task.isCancelled, call.run.history.wasCancelledByCode else { throw error }
            // An interceptor or the transport has cancelled this call, but not those that joined it.
            result = .failure(error)
            use = call.lonelyUse
        } catch {
            result = .failure(error)
            let isTimeout = (error as? APIError).map { $0.kind == .timeout && $0.status == nil } ?? false
            use = call.run.history.keyMatch == .different ? .changed : isTimeout ? .untilTimeout : .everybody
        }
    }
}

extension Call {
    /// Throws if the call itself sets `dedupe` and its method changes something. With such a method, the setting of the tag is ignored.
    fileprivate func checkDedupe() throws {
        let method = prepared.method
        guard !method.isRead, run.request.options[\.dedupe] == true else { return }
        throw APIError.invalid(
            "dedupe", "only GET, HEAD and QUERY share a response, and this is a \(method); once() joins calls of any method")
    }

    /// Throws if the call sets `once` and cannot be joined.
    fileprivate func checkOnce() throws {
        if sharing == nil { throw APIError.invalid("once", "a call with stream(), lines(), events() or download(to:) cannot be joined") }
        if prepared.bodySource != nil {
            let step = run.request.body?.step ?? "body"
            throw APIError.invalid("once", "the body of \(step) is read while it is sent, so that it cannot be compared with another one")
        }
        if configuration.replacement != nil {
            throw APIError.invalid("once", "id(_:replacing:) cancels the call that this one would join")
        }
        if configuration.control != nil { throw APIError.invalid("once", "control suspends this call, and not those that join it") }
    }

    /// The call with a stopper of its own, so that the end of its run does not end it for the calls that have joined it.
    fileprivate func joinable(isAlone: @escaping @Sendable () -> Bool) -> Call {
        var call = self
        call.stopper = CallStopper(isAlone: isAlone)
        return call
    }

    /// The use of a result that no other call may have.
    fileprivate var lonelyUse: SharedResponse.Use { run.history.keyMatch == .unsent ? .sender : .changed }

    private static let remedy = "place the interceptor .before(.cache), or name the field in requestKeyRules"

    /// The reason why a call is not sent that has joined one whose request or response was then changed.
    fileprivate static let secondSending =
        "an interceptor, a signer or a common closure changes the request or the response of the first call, so that this call would be a "
        + "second one; " + remedy

    /// Reports that no call can join this one, because its request was changed after it was compared, or its response.
    fileprivate func reportSharing() {
        client.report(
            IneffectiveStep(
                name: "once",
                reason: "an interceptor, a signer or a common closure changes the request or the response, so that no other call joins it; "
                    + Self.remedy),
            in: run)
    }
}

extension DedupeKey {
    /// Creates the key, or returns `nil` if the call cannot share. Only GET, HEAD and QUERY can share, without a body that is
    /// read from a source. A call with its own envelope, interceptors or transport cannot. A call whose progress is observed, or that can be suspended, cannot share either.
    init?(_ call: Call, needsPayload: Bool) throws {
        let prepared = call.prepared
        let run = call.run
        let configuration = run.configuration
        guard prepared.method.isRead, prepared.bodySource == nil, !run.isWatched,
            run.request.options[\.envelope] == nil, run.request.interceptors.isEmpty, configuration.carrier == nil
        else { return nil }
        request = try call.sharingKey(prepared)
        invalidations = call.invalidations
        settings = Settings(
            needsPayload: needsPayload, unwrap: configuration.unwrap, cachePolicy: configuration.cachePolicy,
            timeout: configuration.timeout, inactivity: configuration.inactivity, retry: configuration.retry, hedge: configuration.hedge,
            errorTypes: configuration.errorFinder?.types ?? [])
    }

    /// Creates the key of a call that joins others whatever its method and settings, or returns `nil` if the call has a transport of its own.
    init?(once call: Call) throws {
        guard call.configuration.carrier == nil else { return nil }
        request = try call.sharingKey(call.prepared.withComparableBody)
        // A change must not cause a second order.
        invalidations = call.prepared.method.isSafe ? call.invalidations : 0
        settings = nil
    }
}

extension Call {
    fileprivate var invalidations: Int { client.invalidations.withLock { $0.number } }

    fileprivate func sharingKey(_ request: HTTPRequest) throws -> RequestKey {
        RequestKey.sharing(
            request.adding(run.profile.cookieJar), tag: tag, identity: try run.keyIdentity(), rules: keyRules)
    }
}
