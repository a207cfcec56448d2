/// Who watches the calls of a client while they run. It is told in the way of each call, so it only takes note.
package protocol CallWatcher: AnyObject, Sendable {
    /// A call has begun.
    func began(_ trace: CallTrace)
    /// A call is over; nothing is noted of it any more.
    func ended(_ trace: CallTrace)
}

/// What is noted of one call while it runs, for those who watch. Where nobody does, there is none.
///
/// The call writes it, others read it. Nothing is copied, hidden or put into words before somebody looks.
package final class CallTrace: Sendable {
    private struct State: Sendable {
        var contents = Contents()
        var hasBegun = false
    }

    /// Tells calls apart.
    package let callID: UInt64
    package let tag: Tag?
    /// By the clock of the client, as all times here.
    package let start: Duration
    /// How the responses of the call are read.
    package let envelope: Envelope
    /// What the tag hides; `nil` if it is what all hide.
    package let redaction: Redaction?
    private let watchers: [any CallWatcher]
    private let state = Mutex(State())

    init(
        _ callID: UInt64, _ tag: Tag?, start: Duration, _ settings: CallSettings, _ profile: ResolvedProfile,
        for watchers: [any CallWatcher]
    ) {
        (self.callID, self.tag, self.start, self.watchers) = (callID, tag, start, watchers)
        envelope = settings.envelope
        redaction = profile.redaction
    }

    /// What is known of the call now.
    package var contents: Contents { state.withLock { $0.contents } }

    /// Counts the changes, for those who look again and again.
    package var revision: Int { state.withLock { $0.contents.revision } }

    package var isOver: Bool { state.withLock { $0.contents.end != nil } }

    /// Changes what is known of the call, such as to let go of bodies.
    package func change<Result: Sendable>(_ change: @Sendable (inout Contents) -> Result) -> Result {
        state.withLock { state in
            state.contents.revision += 1
            return change(&state.contents)
        }
    }
}

extension CallTrace {
    /// What is known of a call.
    package struct Contents: Sendable {
        package fileprivate(set) var revision = 0
        /// When the request had been made.
        package fileprivate(set) var made: Duration?
        /// What the steps of the request say, if it took time to make it.
        package fileprivate(set) var described: RequestSummary?
        /// The request as it was made, before sign-in and signature.
        package var request: HTTPRequest?
        /// The first and the last ones, if there have been very many.
        package var attempts: [Attempt] = []
        package fileprivate(set) var attemptCount = 0
        package fileprivate(set) var spans: [Span] = []
        package fileprivate(set) var decisions: [Decision] = []
        /// The names of what an inspector does to the call.
        package fileprivate(set) var effects: [String] = []
        /// Whether the call has the response of another one.
        package fileprivate(set) var isShared = false
        /// Whether the body of the response is read piece by piece.
        package fileprivate(set) var isStream = false
        /// How far the bodies are; 0 where nobody tells.
        package fileprivate(set) var sent: Int64 = 0
        package fileprivate(set) var received: Int64 = 0
        package fileprivate(set) var expected: Int64?
        package var end: End?
        /// The code of the envelope that was read last, if it had one.
        package fileprivate(set) var code: ErrorCode?
        /// Whether bodies have been let go.
        package var isWithoutBodies = false
    }

    /// One sending of the request, or what took its place.
    package struct Attempt: Sendable {
        package enum Outcome: Sendable {
            case running, succeeded
            case failed(any Error)
        }

        package let number: Int
        package let start: Duration
        package fileprivate(set) var end: Duration?
        package var request: HTTPRequest
        /// How long the body of the request was, if it is not there any more.
        package var requestSize: Int?
        /// What has come back, redirects and all: the last one is the response.
        package var responses: [Answer] = []
        package fileprivate(set) var outcome = Outcome.running

        fileprivate init(number: Int, start: Duration, request: HTTPRequest) {
            (self.number, self.start, self.request) = (number, start, request)
        }

        /// What came in place of an attempt, such as a response that was kept.
        package init(inPlaceOfOne request: HTTPRequest, from start: Duration, to end: Duration, _ response: HTTPResponse) {
            self.init(number: 1, start: start, request: request)
            self.end = end
            responses = [Answer(time: end, address: request.address, response: response)]
            outcome = .succeeded
        }
    }

    /// A response to what was sent.
    package struct Answer: Sendable {
        package let time: Duration
        /// Where the request went to which it belongs.
        package let address: HTTPAddress
        package var response: HTTPResponse
        /// How long the body was, if it is not there any more.
        package var size: Int?
    }

    /// What a stage, or a part of the call, was at work for.
    package struct Span: Sendable {
        package let name: String
        package let start: Duration
        package let end: Duration

        package init(_ name: String, from start: Duration, to end: Duration) {
            (self.name, self.start, self.end) = (name, start, end)
        }
    }

    /// What a part of Catena has decided about the call, and why.
    package struct Decision: Sendable {
        package let part: String
        package let words: String
    }

    /// How the call has ended.
    package struct End: Sendable {
        package let time: Duration
        package var result: Result<HTTPResponse, any Error>
    }
}

// MARK: Taking note

extension CallTrace {
    /// How many attempts are kept of a call, and how many notes of each sort.
    private static let mostAttempts = 40
    private static let mostNotes = 200

    private static func words(_ error: APIError) -> String {
        error.status.map { "status \($0)" + (error.code == .integer($0) ? "" : " and code \(error.code)") } ?? "\(error.kind)"
    }

    /// Takes it that the call has begun, of which watchers are told once.
    func begin(as described: RequestSummary? = nil, _ request: HTTPRequest? = nil) {
        let isFirst = state.withLock { state in
            if let described { state.contents.described = described }
            if let request { state.contents.request = request }
            state.contents.revision += 1
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        if isFirst { for watcher in watchers { watcher.began(self) } }
    }

    func note(_ kind: CallEvent.Kind, _ request: HTTPRequest?, attempt: Int, at time: Duration) {
        switch kind {
        case .started:
            begin(request)
            change { $0.made = $0.made ?? time }
        case .attempt:
            guard let request else { return }
            let former = change { contents in
                contents.attempts.append(Attempt(number: attempt, start: time, request: request))
                contents.attemptCount += 1
                return contents.attempts.count > Self.mostAttempts ? contents.attempts.remove(at: Self.mostAttempts / 2) : nil
            }
            withExtendedLifetime(former) {}
        case .answered: end(attempt, .succeeded, at: time)
        case .failed(let error): end(attempt, .failed(error), at: time)
        case .retrying(let wait, let error):
            decided("retry", "another attempt after \(wait.milliseconds), since \(Self.words(error))")
        case .finished(let result): finish(result, at: time)
        }
    }

    private func begin(_ request: HTTPRequest?) { begin(as: nil, request) }

    private func end(_ number: Int, _ outcome: Attempt.Outcome, at time: Duration) {
        change { contents in
            guard let index = contents.attempts.lastIndex(where: { $0.number == number }) else { return }
            contents.attempts[index].end = time
            contents.attempts[index].outcome = outcome
        }
    }

    /// Notes what has come back to what was sent.
    func note(_ response: HTTPResponse, to request: HTTPRequest, attempt: Int, at time: Duration) {
        change { contents in
            guard let index = contents.attempts.lastIndex(where: { $0.number == attempt }) else { return }
            // With the cookies, which are the last to come.
            if contents.attempts[index].responses.isEmpty { contents.attempts[index].request = request }
            contents.attempts[index].responses.append(
                Answer(time: time, address: request.address, response: response.withoutBaggage))
        }
    }

    /// Notes how the call has ended; a stream, of which only the head has come, when that has ended.
    private func finish(_ result: Result<HTTPResponse, any Error>, at time: Duration) {
        begin()
        let isOver = state.withLock { state in
            if state.contents.end != nil { return false }
            if case .success = result, state.contents.isStream { return false }
            state.contents.end = End(time: time, result: result)
            state.contents.revision += 1
            return true
        }
        if isOver { for watcher in watchers { watcher.ended(self) } }
    }

    // MARK: Bodies on their way

    /// Takes it that the body of the response is read piece by piece, after the call has succeeded for others.
    func beginStream() { change { $0.isStream = true } }

    /// Takes it that nothing more is read of the response.
    func endStream(_ error: (any Error)?, at time: Duration) {
        let answer = state.withLock { state in
            state.contents.isStream ? state.contents.attempts.last?.responses.last?.response : nil
        }
        guard let answer else { return }
        change { $0.isStream = false }
        finish(error.map { .failure($0) } ?? .success(answer), at: time)
    }

    func note(received count: Int64, of expected: Int64?) {
        change { contents in
            contents.received += count
            contents.expected = expected ?? contents.expected
        }
    }

    func note(sent count: Int64) { change { $0.sent = count } }

    // MARK: What stages tell

    /// Notes what a part of Catena has decided about the call, and why.
    func decided(_ part: String, _ words: String) {
        change { if $0.decisions.count < Self.mostNotes { $0.decisions.append(Decision(part: part, words: words)) } }
    }

    func note(_ name: String, from start: Duration, to end: Duration) {
        change { if $0.spans.count < Self.mostNotes { $0.spans.append(Span(name, from: start, to: end)) } }
    }

    func note(_ code: ErrorCode?) {
        if let code { change { $0.code = code } }
    }

    func noteShared() {
        change { $0.isShared = true }
        decided("cache", "took the response of an identical call that was under way")
    }

    /// Notes what an inspector does to the call.
    package func note(effect name: String) {
        change { if !$0.effects.contains(name) { $0.effects.append(name) } }
    }
}

/// Measures how long a stage is at work itself, and not those that follow it.
final class StageWork: Sendable {
    private let name: String
    private let trace: CallTrace
    private let clock: any TimerClock
    /// `nil` while the stages that follow are at work.
    private let start: Mutex<Duration?>

    init(_ name: String, _ trace: CallTrace, _ clock: any TimerClock) {
        (self.name, self.trace, self.clock) = (name, trace, clock)
        start = Mutex(clock.now)
    }

    func rest() {
        let start = start.withLock { start in
            defer { start = nil }
            return start
        }
        guard let start else { return }
        let now = clock.now
        // What only hands the call on is not worth a word.
        if now - start >= .microseconds(20) { trace.note(name, from: start, to: now) }
    }

    func resume() {
        let now = clock.now
        start.withLock { $0 = now }
    }
}
