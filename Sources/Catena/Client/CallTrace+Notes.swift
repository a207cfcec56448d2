// How a call tells what it does to those who watch. In the way of the call: it is noted, and nothing more.

extension CallTrace {
    /// How many attempts are kept of a call, and how many notes of each sort.
    private static let mostAttempts = 40
    private static let mostNotes = 200

    private static func words(_ error: APIError) -> String {
        error.status.map { "status \($0)" + (error.code == .integer($0) ? "" : " and code \(error.code)") } ?? "\(error.kind)"
    }

    /// Takes it that the call has begun, of which watchers are told once.
    ///
    /// - Parameter made: When the request had been made, if stages come now.
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

    /// Takes it that the call has begun, and that it takes time to make its request.
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

    /// Notes what has come back to what was sent.
    ///
    /// - Parameter sent: What was sent, if that is not what the attempt has begun with: the cookies are the last to come.
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

    /// Notes how the call has ended; a stream, of which only the head has come, when that has ended.
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

    // MARK: Bodies on their way

    /// Takes it that the body of the response is read piece by piece, after the call has succeeded for others.
    func beginStream() { change { $0.note { $0.isStream = true } } }

    /// Takes it that nothing more is read of the response.
    func endStream(_ error: (any Error)?, at time: Duration) {
        let response = state.withLock { $0.contents.isStream ? $0.contents.latest?.response : nil }
        guard let response else { return }
        change { $0.note { $0.isStream = false } }
        finish(error.map { .failure($0) } ?? .success(response), at: time)
    }

    /// Takes it that so many more bytes have come to whoever reads them piece by piece.
    func note(received count: Int64, of expected: Int64?) {
        change { contents in
            contents.note { notes in
                notes.received += count
                notes.expected = expected ?? notes.expected
            }
        }
    }

    // MARK: What stages tell

    func retries(after wait: Duration, _ error: APIError) {
        decided("retry", "another attempt after \(wait.milliseconds), since \(Self.words(error))")
    }

    /// Notes what a part of Catena has decided about the call, and why.
    func decided(_ part: String, _ words: String) {
        change { contents in
            contents.note { if $0.decisions.count < Self.mostNotes { $0.decisions.append(Decision(part: part, words: words)) } }
        }
    }

    func note(_ name: String, from start: Duration, to end: Duration) {
        change { contents in
            contents.note { if $0.spans.count < Self.mostNotes { $0.spans.append(Span(name, from: start, to: end)) } }
        }
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
        change { contents in
            contents.note { notes in
                notes.isShared = true
                notes.decisions.append(Decision(part: "cache", words: "took the response of an identical call that was under way"))
            }
        }
    }

    /// Notes what an inspector does to the call.
    package func note(effect name: String) {
        change { contents in contents.note { if !$0.effects.contains(name) { $0.effects.append(name) } } }
    }
}

extension CallTrace: TransferMeter {
    func noteSent(_ count: Int64) {
        change { contents in contents.note { $0.sent = count } }
    }

    func noteReceived(_ count: Int64, of expected: Int64?) {
        change { contents in contents.note { ($0.received, $0.expected) = (count, expected) } }
    }
}
