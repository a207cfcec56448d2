/// Starts a second attempt beside the first if that has no response after a delay. The first response wins.
struct HedgeStage: Stage {
    let delay: Duration
    let policy: RetryPolicy

    var name: StageName { .retry }
    var explanation: String { "hedge: a second attempt if there is no response after \(delay)" }

    func run(_ call: Call, _ next: Next) async throws -> HTTPResponse {
        guard call.sharing != nil else { return try await next(call) }
        // Otherwise `RetryStage` has made the call's deposit already.
        if policy.limit <= 0 { call.run.account(for: policy)?.deposit() }
        // An interceptor may have changed the request into one that must not be sent twice.
        guard call.hedgeFault == nil else { return try await next(call) }
        let race = AttemptRace()
        if call.isOwn { call.run.watchDeadline() }
        call.stopper.add(race)
        let timer = call.client.clock.schedule(after: delay) { if !call.run.task.isHeldUp { race.note(.due) } }
        var end: Failure?
        var winner: Int?
        defer {
            timer.cancel()
            call.stopper.remove(race)
            // Before the call continues, so that observers first receive the end of attempts in progress.
            for lost in call.run.history.endAttempts(butFor: winner ?? end?.attemptIndex) {
                call.run.emit(.failed(CancellationError()), lost)
            }
            race.stop()
        }
        var running = 1
        start(call, in: call.run.history.openAttempt(), of: race, next)
        while true {
            switch try await race.next() {
            case .due:
                guard !race.hasResponse, let slot = slotForSecond(beside: call.run) else { continue }
                running += 1
                startSecond(after: call, in: call.run.history.openAttempt(), at: slot, of: race, next)
            case .ended(let attemptIndex, .success(let response)):
                winner = attemptIndex
                return response
            case .ended(let attemptIndex, .failure(let error)):
                running -= 1
                let failure = Failure(attemptIndex: attemptIndex, error: error, asksToWait: asksToWait(error, call))
                // Another attempt would bring this response too, so there is no need to wait for it.
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
        let attemptIndex: Int
        let error: any Error
        let asksToWait: Bool

        /// Returns whether this failure replaces the former one as that of the call. The last failure wins, unless only the former one contains
        /// a wait, or the last one is a cancellation.
        func replaces(_ former: Failure?) -> Bool {
            guard let former, !(former.error is CancellationError) else { return true }
            return !(error is CancellationError) && (!former.asksToWait || asksToWait)
        }
    }

    private func asksToWait(_ error: any Error, _ call: Call) -> Bool {
        (error as? APIError)?.askedWait(now: call.client.date()) != nil
    }

    private func start(_ call: Call, in attemptIndex: Int, of race: AttemptRace, _ next: Next) {
        race.start(attemptIndex) {
            try Task.checkCancellation()
            return try await next(call.asAttempt(attemptIndex))
        }
    }

    private func startSecond(after call: Call, in attemptIndex: Int, at slot: Slot, of race: AttemptRace, _ next: Next) {
        race.start(attemptIndex) {
            defer { slot.place?.leave() }
            try Task.checkCancellation()
            return try await next(try await call.next().asAttempt(attemptIndex))
        }
    }

    /// The concurrency place of the second attempt.
    private struct Slot: Sendable {
        /// The place, or `nil` if concurrency is unlimited.
        let place: ConcurrencyPlace?
    }

    /// Takes a place for a second attempt, or returns `nil` if none is free or the retry budget is empty.
    private func slotForSecond(beside run: CallRun) -> Slot? {
        let limiter = run.profile.maxConcurrentCalls == nil || run.isPartOfRefresh ? nil : run.tagState.concurrency
        let place = limiter?.enterIfFree()
        if limiter != nil, place == nil { return nil }
        guard run.account(for: policy)?.withdraw() != false else {
            place?.leave()
            return nil
        }
        return Slot(place: place)
    }
}

extension Call {
    /// Throws if the call requests a second attempt that it must not have.
    ///
    /// - Parameter isWhole: Whether the call receives a whole response, and not a stream or a file.
    @inline(never)
    func checkHedge(isWhole: Bool) throws {
        guard let hedge = run.configuration.hedge, let delay = hedge.delay else { return }
        guard delay > .zero else { throw APIError.invalid("hedgeDelay", "the delay has to be longer than zero, and is \(delay)") }
        // The setting of a tag does not apply to calls that must not be hedged.
        guard hedge.isOwn else { return }
        let fault = isWhole ? hedgeFault : "a stream or a download has no second attempt beside the first"
        if let fault { throw APIError.invalid("hedgeDelay", fault) }
    }

    /// The reason why the request must not be sent twice at the same time, or `nil` if it may. A key that is not the call's own may differ
    /// between attempts.
    var hedgeFault: String? {
        if !prepared.method.isIdempotent, !run.hasOwnIdempotencyKey || !prepared.headers.contains(IdempotencyKey.header) {
            return "\(prepared.method) is not idempotent, and the call has no idempotencyKey, so that it might be carried out twice"
        }
        return prepared.isReplayable ? nil : "the body can be read only once"
    }

    fileprivate func asAttempt(_ attemptIndex: Int) -> Call {
        var call = self
        call.attemptIndex = attemptIndex
        return call
    }
}

extension CallRun {
    /// The delay of the second attempt, or `nil` if there is none.
    var hedgeDelay: Duration? {
        guard let hedge = configuration.hedge, let delay = hedge.delay else { return nil }
        return hedge.isOwn || method.isSafe || hasOwnIdempotencyKey ? delay : nil
    }

    /// Whether all attempts of the call have the same idempotency key, by which the server recognizes them.
    fileprivate var hasOwnIdempotencyKey: Bool {
        idempotencyKey != nil || request.headerChanges.set.contains(IdempotencyKey.header)
    }
}
