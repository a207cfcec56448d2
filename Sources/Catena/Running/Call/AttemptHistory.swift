/// Records the progress of a call. Errors and responses take their details from it, also errors raised outside the pipeline.
///
/// Not copyable, because it is stored within its ``CallRun`` and would cost each call an allocation elsewhere.
package struct AttemptHistory: ~Copyable, Sendable {
    /// One of several attempts that run at the same time.
    struct ConcurrentAttempt: Sendable {
        var request: HTTPRequest?
        var attempt = 0
        /// Whether observers have received the beginning of the attempt and not its end.
        fileprivate var isUnderWay = false
        fileprivate var isSent = false
    }

    // Not private, because Swift 6.3 then fails to compile the file of the class that stores the history.
    struct State {
        var request: HTTPRequest?
        /// Boxed, because few calls have it and each call frees this state.
        var movedFrom: Box<HTTPAddress>?
        /// The highest attempt number, and the number of attempts that were sent.
        var attempt = 0
        var sent = 0
        /// Whether the latest attempt has received a success response.
        var isAnswered = false
        /// The attempts that run at the same time.
        var concurrentAttempts: [Int: ConcurrentAttempt] = [:]
        var lastIndex = 0
        /// The abandoned attempts, whose end the caller of `endAttempts(butFor:)` reports to observers.
        var lost: Set<Int> = []
        var failure: APIError?
        var stopped: APIError?
        var cacheKey: RequestKey?
        /// The latest response saying that the resource does not exist, which a cache may store.
        var absence: HTTPResponse?
        var keyMatch = KeyMatch.unsent
        var sender: CallIdentity?
        var hasEnded = false
        var isEndExpected = false
        var hasFailed = false
        var left: (any Error)?
        var isRepeated = false
        var wasCancelledByCode = false
    }

    private let tag: Tag?
    private let state = Mutex(State())

    init(tag: Tag?) {
        self.tag = tag
    }

    /// The number of times the request was sent or about to be sent; 0 if another source responded, such as a cache.
    var attempts: Int { state.withLock { $0.sent } }

    /// Whether an attempt was sent and the latest one has not succeeded.
    var isUnanswered: Bool { state.withLock { $0.sent > 0 && !$0.isAnswered } }

    func noteResponse() { state.withLock { $0.isAnswered = true } }

    /// The latest version of the request, and how many times it was sent.
    var last: (request: HTTPRequest?, attempts: Int) { state.withLock { ($0.request, $0.sent) } }

    /// The latest version of the request.
    var request: HTTPRequest? { state.withLock { $0.request } }

    /// The assembled address of the latest request that an interceptor has moved to another origin, or `nil` if it has moved none.
    var movedFrom: HTTPAddress? { state.withLock { $0.movedFrom }?.value }

    func note(movedFrom address: HTTPAddress) {
        let address = Box(address)
        state.withLock { $0.movedFrom = address }
    }

    /// Records the request of a call. Returns `false` if its attempt was abandoned meanwhile, or must not be sent beside another one.
    ///
    /// - Parameters:
    ///   - isSent: Whether the request is about to be sent.
    ///   - isAlone: Whether the request must not be sent while another attempt is in progress.
    @discardableResult
    func note(_ call: Call, isSent: Bool = false, isAlone: Bool = false) -> Bool {
        let request = call.prepared
        let (counts, former) = state.withLock { state -> (Bool, (HTTPRequest?, HTTPRequest?)) in
            var former: HTTPRequest?
            if let attemptIndex = call.attemptIndex {
                guard var known = state.concurrentAttempts[attemptIndex] else { return (false, (nil, nil)) }
                if isAlone, state.concurrentAttempts.contains(where: { $0.key != attemptIndex && $0.value.isSent }) {
                    return (false, (nil, nil))
                }
                known.isSent = known.isSent || isSent
                former = known.request.replace(with: request)
                known.attempt = call.attempt
                state.concurrentAttempts[attemptIndex] = known
            }
            state.attempt = max(state.attempt, call.attempt)
            if isSent { (state.sent, state.isAnswered) = (state.sent + 1, false) }
            return (true, (former, state.request.replace(with: request)))
        }
        // Freed after the lock, because a request may own objects of the caller, whose deinitializers must not run under it.
        withExtendedLifetime(former) {}
        return counts
    }

    /// Returns the number of a new attempt, which no other attempt has.
    func nextAttempt(after attempt: Int) -> Int {
        state.withLock { state in
            state.attempt = max(state.attempt, attempt) + 1
            return state.attempt
        }
    }

    /// Returns whether the call may be sent again without delay: `true` the first time only.
    func takeRepeat() -> Bool {
        state.withLock { state in
            defer { state.isRepeated = true }
            return !state.isRepeated
        }
    }

    /// Records that an interceptor or the transport has thrown a cancellation, although neither the call nor its attempt was cancelled.
    func noteCancelledByCode() { state.withLock { $0.wasCancelledByCode = true } }

    var wasCancelledByCode: Bool { state.withLock { $0.wasCancelledByCode } }

    func note(_ failure: APIError) {
        state.withLock { $0.failure = failure }
    }

    func note(stopped error: APIError) {
        state.withLock { $0.stopped = error }
    }

    /// Records the key under which the call's response may be cached.
    func note(cacheKey: RequestKey) {
        state.withLock { $0.cacheKey = cacheKey }
    }

    /// The key under which the call's response may be cached, or `nil` if the call did not use the cache.
    var cacheKey: RequestKey? { state.withLock { $0.cacheKey } }

    func note(absence response: HTTPResponse?) {
        var former = response
        state.withLock { swap(&$0.absence, &former) }
        // Freed after the lock, like the request above.
        withExtendedLifetime(former) {}
    }

    var absence: HTTPResponse? { state.withLock { $0.absence } }

    // MARK: Attempts that run at the same time

    /// Returns the latest request of the call's own attempt.
    func request(of call: Call) -> HTTPRequest? {
        state.withLock { state in call.attemptIndex.flatMap { state.concurrentAttempts[$0]?.request } ?? state.request }
    }

    /// Opens an attempt that runs beside others, and returns its index.
    func openAttempt() -> Int {
        state.withLock { state in
            state.lastIndex += 1
            state.concurrentAttempts[state.lastIndex] = ConcurrentAttempt()
            return state.lastIndex
        }
    }

    /// Records that observers have received the beginning of an attempt. Throws if the attempt was abandoned meanwhile.
    func begin(_ call: Call) throws {
        guard let attemptIndex = call.attemptIndex else { return }
        let counts = state.withLock { state in
            state.concurrentAttempts[attemptIndex]?.isUnderWay = true
            return state.concurrentAttempts[attemptIndex] != nil
        }
        if !counts { throw CancellationError() }
    }

    /// Records the end of an attempt. Returns whether observers still have to be notified.
    func end(_ call: Call) -> Bool {
        guard let attemptIndex = call.attemptIndex else { return true }
        return state.withLock { state in
            state.concurrentAttempts[attemptIndex]?.isUnderWay = false
            return !state.lost.contains(attemptIndex)
        }
    }

    /// Abandons all attempts except the winner, whose request becomes that of the call.
    ///
    /// - Returns: The abandoned attempts that were in progress. Observers have to be notified of their end.
    func endAttempts(butFor winner: Int?) -> [ConcurrentAttempt] {
        let (former, request) = state.withLock { state -> ([Int: ConcurrentAttempt], HTTPRequest?) in
            let concurrentAttempts = state.concurrentAttempts
            state.concurrentAttempts = [:]
            for (index, attempt) in concurrentAttempts where index != winner && attempt.isUnderWay { state.lost.insert(index) }
            let request = winner.flatMap { concurrentAttempts[$0]?.request }
            return (concurrentAttempts, request.flatMap { state.request.replace(with: $0) })
        }
        _ = consume request
        return former.filter { $0.key != winner && $0.value.isUnderWay }.valuesInOrder()
    }

    /// Records whether the sent request matches the request of the cache key. `different` is final.
    func note(_ keyMatch: KeyMatch) {
        state.withLock { if $0.keyMatch != .different { $0.keyMatch = keyMatch } }
    }

    var keyMatch: KeyMatch { state.withLock { $0.keyMatch } }

    func note(sender: CallIdentity) {
        state.withLock { $0.sender = sender }
    }

    /// The identity of the last attempt, or `nil` if it had no credential.
    var sender: CallIdentity? { state.withLock { $0.sender } }

    /// Marks the end of the call as expected. Returns whether the caller has to count it.
    func expectEnd() -> Bool {
        state.withLock { state in
            defer { state.isEndExpected = true }
            return !state.isEndExpected && !state.hasEnded
        }
    }

    /// Describes one end of a call, because the end may be reported more than once.
    struct End {
        let isFirst: Bool
        let isFirstFailure: Bool
        /// Whether `expectEnd` has counted this end.
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

    /// The error with which the call has ended, or `nil` if it is running or has a value.
    var left: (any Error)? { state.withLock { $0.left } }

    /// The error that a handler ended silently, so that the call ended as if it had been cancelled.
    package var stopped: APIError? { state.withLock { $0.stopped } }

    /// Returns the error with the request and the number of attempts.
    ///
    /// - Parameter described: A description of a request that could not be created.
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

    /// Returns an error that ends the call from outside, with the failure of the last attempt as its underlying error.
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
