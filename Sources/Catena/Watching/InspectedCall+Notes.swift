// The functions by which a call records its progress for watchers. The call runs them synchronously, so they only store values.

extension InspectedCall {
    /// The maximum number of attempts stored for a call, and of notes of each kind.
    private static let mostAttempts = 40
    private static let mostNotes = 200

    private static func words(_ error: APIError) -> String {
        error.status.map { "status \($0)" + (error.code == .integer($0) ? "" : " and code \(error.code)") } ?? "\(error.kind)"
    }

    /// Records that the call has begun, and notifies the watchers the first time.
    ///
    /// - Parameter made: The time at which the request was assembled, if stages follow.
    func begin(_ request: HTTPRequest?, made: Duration? = nil) {
        let isFirst = state.withLock { state in
            if let request { state.contents.request = request }
            if let made { state.contents.note { $0.made = made } }
            state.contents.revision += 1
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        if isFirst { for watcher in watchers { watcher.began(self) } }
    }

    /// Records that a call has begun whose request takes time to assemble.
    func begin(as described: RequestSummary) {
        change { $0.note { $0.described = described } }
        begin(nil)
    }

    func beginAttempt(_ number: Int, _ request: HTTPRequest, at time: Duration) {
        let former = change { contents -> [Attempt]? in
            var former: [Attempt]?
            if let latest = contents.latest { former = contents.pass(latest, most: Self.mostAttempts) }
            contents.latest = Attempt(number: number, start: time, request: request)
            contents.attemptCount += 1
            return former
        }
        withExtendedLifetime(former) {}
    }

    func failAttempt(_ number: Int, _ error: any Error, at time: Duration) {
        change { contents in
            contents.change(number) { attempt in
                attempt.end = attempt.end ?? time
                attempt.failure = error
            }
        }
    }

    /// Records a response.
    ///
    /// - Parameter sent: The request that was sent, if it differs from that of the attempt: cookies are added last.
    func note(_ response: HTTPResponse, to sent: HTTPRequest?, attempt number: Int, at time: Duration) {
        change { contents in
            contents.change(number) { attempt in
                if let sent, attempt.response == nil { attempt.request = sent }
                if let former = attempt.response { attempt.redirects = (attempt.redirects ?? []) + [former] }
                attempt.response = response
                attempt.end = time
            }
        }
    }

    /// Records the outcome of the call. The trace of a stream ends later, with its body.
    func finish(_ result: Result<HTTPResponse, any Error>, at time: Duration) {
        let (isFirst, isOver) = state.withLock { state -> (Bool, Bool) in
            let isFirst = !state.hasBegun
            state.hasBegun = true
            if state.contents.end != nil { return (isFirst, false) }
            if case .success = result, state.contents.isStream { return (isFirst, false) }
            state.contents.end = End(time: time, result: result)
            state.contents.complete(with: result)
            state.contents.revision += 1
            return (isFirst, true)
        }
        for watcher in watchers {
            if isFirst { watcher.began(self) }
            if isOver { watcher.ended(self) }
        }
    }

    // MARK: Streamed bodies

    /// Records that the body of the response is read piece by piece after the head has arrived.
    func beginStream() { change { $0.note { $0.isStream = true } } }

    /// Records that reading the response has ended.
    func endStream(_ error: (any Error)?, at time: Duration) {
        let response = state.withLock { $0.contents.isStream ? $0.contents.latest?.response : nil }
        guard let response else { return }
        change { $0.note { $0.isStream = false } }
        finish(error.map { .failure($0) } ?? .success(response), at: time)
    }

    /// Records that the reader of a streamed body has received more bytes.
    func note(received count: Int64, of expected: Int64?) {
        change { $0.note { ($0.received, $0.expected) = ($0.received + count, expected ?? $0.expected) } }
    }

    // MARK: Notes of stages

    func retries(after wait: Duration, _ error: APIError) {
        decided("retry", "another attempt after \(wait.milliseconds), since \(Self.words(error))")
    }

    /// Records a decision of a part of Catena, and its reason.
    func decided(_ part: String, _ words: String) {
        change { $0.note { if $0.decisions.count < Self.mostNotes { $0.decisions.append(Decision(part: part, words: words)) } } }
    }

    func note(_ name: String, from start: Duration, to end: Duration) {
        change { $0.note { if $0.spans.count < Self.mostNotes { $0.spans.append(Span(name, from: start, to: end)) } } }
    }

    /// Notes the code of a response, and the type that the call decodes from it.
    func note(_ code: ErrorCode?, as type: Any.Type?) {
        guard code != nil || type != nil else { return }
        change { contents in
            contents.code = code ?? contents.code
            contents.type = type
        }
    }

    func noteShared() {
        change { contents in contents.note { $0.isShared = true } }
        decided("cache", "took the response of an identical call that was under way")
    }

    /// Records an effect that an inspector has on the call.
    package func note(effect name: String) {
        change { contents in contents.note { if !$0.effects.contains(name) { $0.effects.append(name) } } }
    }
}

extension InspectedCall: TransferMeter {
    package func noteSent(_ count: Int64) {
        change { contents in contents.note { $0.sent = count } }
    }

    package func noteReceived(_ count: Int64, of expected: Int64?) {
        change { contents in contents.note { ($0.received, $0.expected) = (count, expected) } }
    }
}
