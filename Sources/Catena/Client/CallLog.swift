/// How far a call has come, for errors, which may come from outside, and for the response.
final class CallLog: Sendable {
    /// One of several attempts that run at the same time.
    struct Lane: Sendable {
        var request: HTTPRequest?
        var attempt = 0
        /// Whether observers have been told of its beginning, and not of its end.
        fileprivate var isUnderWay = false
        fileprivate var isSent = false
    }

    private struct State {
        var request: HTTPRequest?
        /// How far the attempts have been counted, and how many of them came as far as to be sent.
        var attempt = 0
        var sent = 0
        /// Whether the last attempt has brought a response of success.
        var isAnswered = false
        /// The attempts that run at the same time.
        var lanes: [Int: Lane] = [:]
        var lastLane = 0
        /// Those of which observers have been told that they were given up.
        var lost: Set<Int> = []
        var failure: APIError?
        var stopped: APIError?
        var cacheKey: RequestKey?
        /// The last response that says that there is nothing, which a cache may keep.
        var absence: HTTPResponse?
        var likeness = KeyLikeness.unsent
        var sender: CallIdentity?
        var hasEnded = false
        var isEndExpected = false
        var hasFailed = false
        var left: (any Error)?
        var isRepeated = false
    }

    private let tag: Tag?
    private let state = Mutex(State())

    init(tag: Tag?) {
        self.tag = tag
    }

    /// How many times the request was sent or about to be sent: not at all where something else answered, such as a cache.
    var attempts: Int { state.withLock { $0.sent } }

    /// Whether an attempt is out, or has failed, and none has succeeded.
    var isUnanswered: Bool { state.withLock { $0.sent > 0 && !$0.isAnswered } }

    func noteAnswer() { state.withLock { $0.isAnswered = true } }

    /// The request as it stood last, and how many times it was sent.
    var last: (request: HTTPRequest?, attempts: Int) { state.withLock { ($0.request, $0.sent) } }

    /// The request as it stood last.
    var request: HTTPRequest? { state.withLock { $0.request } }

    /// Takes note of a call's request; gives `false` if its attempt has been given up meanwhile, or must not be sent beside another one.
    ///
    /// - Parameters:
    ///   - isSent: Whether it is about to be sent.
    ///   - isAlone: Whether it must not be sent while another attempt is under way.
    @discardableResult
    func note(_ call: Call, isSent: Bool = false, isAlone: Bool = false) -> Bool {
        let request = call.prepared
        let (counts, former) = state.withLock { state -> (Bool, (HTTPRequest?, HTTPRequest?)) in
            var former: HTTPRequest?
            if let lane = call.lane {
                guard var known = state.lanes[lane] else { return (false, (nil, nil)) }
                if isAlone, state.lanes.contains(where: { $0.key != lane && $0.value.isSent }) { return (false, (nil, nil)) }
                known.isSent = known.isSent || isSent
                former = known.request.replace(with: request)
                known.attempt = call.attempt
                state.lanes[lane] = known
            }
            state.attempt = max(state.attempt, call.attempt)
            if isSent { (state.sent, state.isAnswered) = (state.sent + 1, false) }
            return (true, (former, state.request.replace(with: request)))
        }
        // Freed after the lock: what hangs on a request may be the caller's.
        withExtendedLifetime(former) {}
        return counts
    }

    /// The number of an attempt that is about to be made, which no other one gets.
    func nextAttempt(after attempt: Int) -> Int {
        state.withLock { state in
            state.attempt = max(state.attempt, attempt) + 1
            return state.attempt
        }
    }

    /// Whether the call may be sent once more at once, which it may one time.
    func takeRepeat() -> Bool {
        state.withLock { state in
            defer { state.isRepeated = true }
            return !state.isRepeated
        }
    }

    func note(_ failure: APIError) {
        state.withLock { $0.failure = failure }
    }

    func note(stopped error: APIError) {
        state.withLock { $0.stopped = error }
    }

    /// Notes under which key the call's response may be kept.
    func note(cacheKey: RequestKey) {
        state.withLock { $0.cacheKey = cacheKey }
    }

    /// Under which key the call's response may be kept; `nil` if the cache had nothing to do with it.
    var cacheKey: RequestKey? { state.withLock { $0.cacheKey } }

    func note(absence response: HTTPResponse?) {
        let former = state.withLock { state in
            defer { state.absence = response }
            return state.absence
        }
        // Freed after the lock.
        withExtendedLifetime(former) {}
    }

    var absence: HTTPResponse? { state.withLock { $0.absence } }

    // MARK: Attempts that run at the same time

    /// The request of a call as it stood last in the call's own attempt.
    func request(of call: Call) -> HTTPRequest? {
        state.withLock { state in call.lane.flatMap { state.lanes[$0]?.request } ?? state.request }
    }

    /// A place for an attempt beside others.
    func openLane() -> Int {
        state.withLock { state in
            state.lastLane += 1
            state.lanes[state.lastLane] = Lane()
            return state.lastLane
        }
    }

    /// Takes it that observers have been told that an attempt is being sent; throws if it has been given up meanwhile.
    func begin(_ call: Call) throws {
        guard let lane = call.lane else { return }
        let counts = state.withLock { state in
            state.lanes[lane]?.isUnderWay = true
            return state.lanes[lane] != nil
        }
        if !counts { throw CancellationError() }
    }

    /// Takes it that an attempt has ended; gives whether observers have still to be told.
    func end(_ call: Call) -> Bool {
        guard let lane = call.lane else { return true }
        return state.withLock { state in
            state.lanes[lane]?.isUnderWay = false
            return !state.lost.contains(lane)
        }
    }

    /// Gives all attempts up but the one whose outcome counts, which is what is known of the call from now on.
    ///
    /// - Returns: Those that are under way, of whose end observers are to be told.
    func endLanes(butFor winner: Int?) -> [Lane] {
        let (former, request) = state.withLock { state -> ([Int: Lane], HTTPRequest?) in
            let lanes = state.lanes
            state.lanes = [:]
            for (number, lane) in lanes where number != winner && lane.isUnderWay { state.lost.insert(number) }
            let request = winner.flatMap { lanes[$0]?.request }
            return (lanes, request.flatMap { state.request.replace(with: $0) })
        }
        _ = consume request
        return former.filter { $0.key != winner && $0.value.isUnderWay }.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Notes how what is sent is to the request that the key is made of. What was different once stays so.
    func note(_ likeness: KeyLikeness) {
        state.withLock { if $0.likeness != .different { $0.likeness = likeness } }
    }

    var likeness: KeyLikeness { state.withLock { $0.likeness } }

    func note(sender: CallIdentity) {
        state.withLock { $0.sender = sender }
    }

    /// In whose name the last attempt went out; `nil` if it had no credential.
    var sender: CallIdentity? { state.withLock { $0.sender } }

    /// Notes that it is counted how many ends are to come, and gives whether this one is new.
    func expectEnd() -> Bool {
        state.withLock { state in
            defer { state.isEndExpected = true }
            return !state.isEndExpected && !state.hasEnded
        }
    }

    /// What the end of a call is.
    struct End {
        let isFirst: Bool
        let isFirstFailure: Bool
        /// Whether it was counted among those that were to come.
        let wasExpected: Bool
    }

    func noteEnd(isFailure: Bool) -> End {
        state.withLock { state in
            defer {
                state.hasEnded = true
                state.hasFailed = state.hasFailed || isFailure
            }
            return End(
                isFirst: !state.hasEnded, isFirstFailure: isFailure && !state.hasFailed,
                wasExpected: !state.hasEnded && state.isEndExpected)
        }
    }

    func note(left error: any Error) {
        state.withLock { $0.left = error }
    }

    /// The error with which the call has ended; `nil` as long as it has not, or has a value.
    var left: (any Error)? { state.withLock { $0.left } }

    /// The error that a handler has dealt with, so that the call ended as if it had been cancelled.
    var stopped: APIError? { state.withLock { $0.stopped } }

    /// The error with what is known about the call.
    ///
    /// - Parameter described: What is known of a request that could not be made.
    func annotate(_ error: any Error, _ described: @autoclosure () -> RequestSummary? = nil) -> any Error {
        if error is CancellationError { return error }
        let (request, attempts) = state.withLock { ($0.request, $0.sent) }
        let described = request == nil ? described() : nil
        guard request != nil || described != nil else { return error }
        var error = APIError.wrapping(error)
        if error.request == nil { error.request = request.map { RequestSummary($0, tag: tag) } ?? described }
        error.attempts = attempts
        return error
    }

    /// An error that ends the call from outside, with the failure of the last attempt beneath it.
    func annotate(late error: APIError) -> APIError {
        var error = error
        error.underlying = state.withLock { $0.failure }
        return APIError.wrapping(annotate(error))
    }
}

extension Optional {
    fileprivate mutating func replace(with value: Wrapped) -> Wrapped? {
        let former = self
        self = value
        return former
    }
}
