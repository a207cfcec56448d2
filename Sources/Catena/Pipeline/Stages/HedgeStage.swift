/// Starts a second attempt beside the first if that has no response after a while; the first response counts.
struct HedgeStage: Stage {
    let delay: Duration
    let policy: RetryPolicy

    var name: StageName { .retry }
    var explanation: String { "hedge: a second attempt if there is no response after \(delay)" }

    func enter(_ call: inout Call) -> StageEntry { call.sharing == nil ? .passed : .waits }

    func run(_ call: Call, hasEntered: Bool, next: @escaping Next) async throws -> HTTPResponse {
        guard call.sharing != nil else { return try await next(call) }
        // A stage for retries has added the call's share already.
        if policy.limit <= 0 { call.execution.account(for: policy)?.deposit() }
        // Code on the way may have made another request of it than the call had.
        guard call.hedgeFault == nil else { return try await next(call) }
        let log = call.execution.log
        let race = AttemptRace()
        let timer = call.client.clock.schedule(after: delay) { if !call.execution.task.isHeldUp { race.note(.due) } }
        var end: Failure?
        var winner: Int?
        defer {
            timer.cancel()
            // Before the call goes on, so that observers hear of the end of what is under way first.
            for lost in log.endLanes(butFor: winner ?? end?.lane) { call.execution.emit(.failed(CancellationError()), lost) }
            race.stop()
        }
        var running = 1
        start(call, in: log.openLane(), of: race, next)
        while true {
            switch try await race.next() {
            case .due:
                guard !race.hasResponse, let place = placeForSecond(beside: call.execution) else { continue }
                running += 1
                startSecond(after: call, in: log.openLane(), at: place, of: race, next)
            case .ended(let lane, .success(let response)):
                winner = lane
                return response
            case .ended(let lane, .failure(let error)):
                running -= 1
                let failure = Failure(lane: lane, error: error, asksToWait: asksToWait(error, call))
                // A response that another attempt would bring, too, is waited for no longer.
                if policy.isFinal(error) {
                    end = failure
                    throw error
                }
                if failure.replaces(end) { end = failure }
                if running == 0, let end { throw end.error }
            }
        }
    }

    private struct Failure {
        let lane: Int
        let error: any Error
        let asksToWait: Bool

        /// Whether this is the failure of the call, and not the one before: the last one is, unless only the one before says how long to
        /// wait, or this one says no more than that its attempt was given up.
        func replaces(_ former: Failure?) -> Bool {
            guard let former, !(former.error is CancellationError) else { return true }
            return !(error is CancellationError) && (!former.asksToWait || asksToWait)
        }
    }

    private func asksToWait(_ error: any Error, _ call: Call) -> Bool {
        (error as? APIError)?.askedWait(now: call.client.date()) != nil
    }

    private func start(_ call: Call, in lane: Int, of race: AttemptRace, _ next: @escaping Next) {
        race.start(lane) {
            try Task.checkCancellation()
            return try await next(call.inLane(lane))
        }
    }

    private func startSecond(after call: Call, in lane: Int, at place: Place, of race: AttemptRace, _ next: @escaping Next) {
        race.start(lane) {
            defer { place.place?.leave() }
            try Task.checkCancellation()
            return try await next(try await call.next().inLane(lane))
        }
    }

    /// What the second attempt takes up.
    private struct Place: Sendable {
        /// `nil` where there is no limit.
        let place: ConcurrencyPlace?
    }

    /// Room for a second attempt; `nil` if there is none, or nothing in the budget.
    private func placeForSecond(beside execution: Execution) -> Place? {
        let limiter = execution.profile.maxConcurrentCalls == nil || RefreshScope.isActive ? nil : execution.backend.concurrency
        let place = limiter?.enterIfFree()
        if limiter != nil, place == nil { return nil }
        guard execution.account(for: policy)?.withdraw() != false else {
            place?.leave()
            return nil
        }
        return Place(place: place)
    }
}

extension Call {
    /// Throws if the call asks for a second attempt that it must not have.
    ///
    /// - Parameter isWhole: Whether the call brings a whole response, and no stream or file.
    func checkHedge(isWhole: Bool) throws {
        guard let hedge = execution.settings.hedge, let delay = hedge.delay else { return }
        guard delay > .zero else { throw APIError.invalid(hedge.step, "the delay has to be longer than zero, and is \(delay)") }
        // What a tag says for all of its calls does not apply to those of which it could not be meant.
        guard hedge.isOwn else { return }
        let fault = isWhole ? hedgeFault : "a stream or a download has no second attempt beside the first"
        if let fault { throw APIError.invalid(hedge.step, fault) }
    }

    /// Why the request must not be sent twice at the same time; `nil` if it may. A key that does not come from the call itself may be another
    /// one each time.
    var hedgeFault: String? {
        if !prepared.method.isIdempotent, !execution.hasOwnIdempotencyKey || !prepared.headers.contains(IdempotencyKey.header) {
            return "\(prepared.method) is not idempotent, and the call has no idempotencyKey(), so that it might be carried out twice"
        }
        return prepared.isReplayable ? nil : "the body can be read only once"
    }

    fileprivate func inLane(_ lane: Int) -> Call {
        var call = self
        call.lane = lane
        return call
    }
}

extension Execution {
    /// How long the first attempt has before there is a second one; `nil` if there is none.
    var hedgeDelay: Duration? {
        guard let hedge = settings.hedge, let delay = hedge.delay else { return nil }
        return hedge.isOwn || method.isSafe || hasOwnIdempotencyKey ? delay : nil
    }

    /// Whether all attempts of the call have one key, by which the server knows them.
    fileprivate var hasOwnIdempotencyKey: Bool {
        idempotencyKey != nil || request.headerChanges.set.contains(IdempotencyKey.header)
    }
}
