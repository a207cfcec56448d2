import CatenaPlatform

/// The cached value of a request and the values that the server sends. See ``Request/values(of:)``.
public struct CachedValues<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value

    let request: Request
    let target: ResultDecoder<Value>
    /// Whether the sequence waits for changes after the server's value.
    private(set) var isWatching = false

    /// Returns a sequence that does not end after the server's value: it waits until a call with ``CallOptions/invalidates`` has changed the value, and
    /// asks the server again.
    ///
    /// ```swift
    /// for try await rooms in API.tag(.forum).get("/rooms").values(of: [Room].self).watching() { self.show(rooms) }
    /// ```
    ///
    /// The sequence ends when its task is cancelled, or when its user signs out. Each further call has a deadline of its own. If it fails, the sequence
    /// waits for the next change.
    public func watching() -> CachedValues {
        var sequence = self
        sequence.isWatching = true
        return sequence
    }

    public func makeAsyncIterator() -> Iterator { Iterator(request.aged, target, isWatching: isWatching) }

    /// Begins the call when the first value is requested. Releasing the iterator stops the call.
    public struct Iterator: AsyncIteratorProtocol {
        /// Indirect, because code that copies and releases each case would otherwise follow every use.
        private indirect enum State {
            /// The next call has not begun.
            case ready(Request, after: ValuesRound<Value>?)
            /// The cached value has been given, if there is one.
            case begun(CachedValuesCall<Value>)
            /// All values of the call have been given.
            case ended(ValuesRound<Value>)
            case over
        }

        private let target: ResultDecoder<Value>
        private let isWatching: Bool
        private var state: State

        fileprivate init(_ request: Request, _ target: ResultDecoder<Value>, isWatching: Bool) {
            (self.target, self.isWatching) = (target, isWatching)
            state = .ready(request, after: nil)
        }

        /// Returns the cached value or one of the server's, or `nil` at the end.
        public mutating func next() async throws -> Value? {
            while true {
                let present = state
                // An error is the end.
                state = .over
                switch present {
                case .ready(let request, let former):
                    let call = CachedValuesCall(request, target, after: former, isWatching: isWatching)
                    // Releasing the call would stop it.
                    defer { withExtendedLifetime(call) {} }
                    let cached = try await call.cached.value
                    state = .begun(call)
                    if let cached { return cached }
                case .begun(let call):
                    defer { withExtendedLifetime(call) {} }
                    let round = try await call.last.value
                    state = .ended(round)
                    if let value = round.value { return value }
                case .ended(let round):
                    if isWatching { try await round.change() }
                    if let request = round.nextRequest { state = .ready(request, after: round) } else { return nil }
                case .over: return nil
                }
            }
        }
    }
}

/// The end of a call of a loop, which determines whether another one follows.
private struct ValuesRound<Value: Sendable>: Sendable {
    /// The value from the server, or `nil` if it is not new.
    let value: Value?
    /// The body of the latest value, or `nil` if it is not known.
    let body: Data?
    /// The names of the response.
    let names: [String]
    /// The number of the client's ``InvalidationLog`` when the call began.
    let number: Int
    let client: Client
    /// The request of the next call, or `nil` if there must be none.
    let request: Request?

    /// The request of the next call if the value has been changed since this call began.
    var nextRequest: Request? { log.makesStale(names, since: number) ? request : nil }

    /// Waits until the value is changed.
    func change() async throws {
        guard request != nil else { return }
        var (log, seen) = (log, number)
        // The names are compared outside the lock, and with each change once.
        while !log.makesStale(names, since: seen) {
            seen = log.number
            await client.invalidations.wait { [seen] in $0.number > seen }
            try Task.checkCancellation()
            log = self.log
        }
    }

    private var log: InvalidationLog { client.invalidations.withLock { $0 } }
}

/// A call of a loop. A class, so that releasing it stops the call.
private final class CachedValuesCall<Value: Sendable>: Sendable {
    /// The value from the cache, or `nil` if there is none.
    let cached: Promise<Value?>
    let last: Promise<ValuesRound<Value>>

    init(_ request: Request, _ target: ResultDecoder<Value>, after former: ValuesRound<Value>?, isWatching: Bool) {
        let run = CallRun(request.asking(for: target))
        let number = run.client.invalidations.withLock { $0.number }
        let (cached, resolver) = Promise<Value?>.pending()
        self.cached = cached
        last = run.promise {
            let result = try await Pipeline.values(target, of: run, after: former) { resolver.fulfill($0) }
            let address = run.history.movedFrom ?? run.history.request?.address
            var next = request
            next.client = run.client
            // A deadline limits the loop, but not the wait for changes.
            next.origin = isWatching ? CallOrigin(caller: run.loopCaller) : CallOrigin(after: run, isOneTask: false)
            return ValuesRound(
                value: result.value, body: result.response?.body ?? former?.body,
                names: address.map { ResponseNames.of($0, result.response?.headers ?? [:]) } ?? former?.names ?? [],
                number: number, client: run.client, request: result.isLast ? nil : next)
        }
        last.core.whenSettled { resolver.fulfill(nil) }
    }

    deinit { last.cancel() }
}

extension Pipeline {
    /// Passes the cached value to `give`, if there is one, and returns the server's value, or `nil` if it is not new.
    ///
    /// - Parameter former: The end of the call before this one in its loop. Its value replaces the cached one.
    fileprivate static func values<Value: Sendable>(
        _ target: ResultDecoder<Value>, of run: CallRun, after former: ValuesRound<Value>?, give: @escaping @Sendable (Value) -> Void
    ) async throws -> (value: Value?, response: HTTPResponse?, isLast: Bool) {
        let hasGiven = AtomicFlag(former != nil)
        do {
            let result = try await run.concluding {
                try run.checkValues()
                let mode = WholeBodyAttempt(decoded: target.decoded, cacheUse: former == nil ? .anyAge : .confirmed)
                var (call, response) = try await first(of: run, by: mode)
                var given = former?.body
                if former == nil, response.source == .cache, run.history.attempts == 0 {
                    if run.isUserPresent, let value = target.value(ofCached: response, for: run) {
                        hasGiven.set()
                        given = response.body
                        give(value)
                    }
                    call.sharing?.cacheUse = .confirmed
                    response = try await self.response(to: call, by: mode)
                }
                let value: Value? = given == response.body ? nil : try target.value(of: response, for: run)
                return ((value: value, response: response), response)
            }
            return (result.value, result.response, false)
        } catch {
            guard hasGiven.isSet, !run.isCancelled else { throw error }
            run.client.report(unrefreshed: error, in: run)
            // Nothing more is sent for a user who has signed out.
            return (nil, nil, (error as? APIError)?.kind == .missingCredential)
        }
    }
}

extension CallRun {
    /// Throws if the call can have no cached value.
    fileprivate func checkValues() throws {
        guard method.isCacheable else {
            throw APIError.invalid("values(of:)", "only responses to GET and QUERY are cached, and this is a \(method); use value(as:)")
        }
        guard request.options[\.cachePolicy] != .never else {
            throw APIError.invalid("values(of:)", "with cache(.never) no value is cached; use value(as:)")
        }
        guard !configuration.isOnce else {
            throw APIError.invalid("values(of:)", "a call with once() joins another one, which has one value; use value(as:)")
        }
    }

    /// Whether the user of the call is still signed in. Who holds a token of an app's closure is not known.
    fileprivate var isUserPresent: Bool {
        guard let authentication, let own = try? identity(), own.isSignedIn, own.token == nil else { return true }
        guard let present = try? authentication.callIdentity() else { return false }
        return own.mayGoOn(as: present)
    }
}
