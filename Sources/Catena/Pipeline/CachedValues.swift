extension Request {
    /// Returns the cached value at once, and then the value that the server sends.
    ///
    /// ```swift
    /// for try await users in API.tag(.forum).get("/users").values(of: [User].self) { self.show(users) }
    /// ```
    ///
    /// The cached value may be of any age, and is that of the signed-in user. The server is asked in any case. Its value is left out if the body
    /// has not changed. Without a ``Profile/cache``, the sequence has the server's value alone.
    ///
    /// If the server fails after a cached value, the sequence ends without throwing. Observers, error handlers and a diagnostic of kind
    /// ``DiagnosticEvent/Kind/unrefreshedValue`` report the failure. Without a cached value, the sequence throws it.
    ///
    /// Each loop is one call, which is active from the first value to the last. Leaving the loop stops it.
    ///
    /// - Parameter type: The type of the payload.
    public func values<Value: Decodable & Sendable>(of type: Value.Type) -> CachedValues<Value> {
        CachedValues(request: self, target: .decodable(type))
    }
}

/// The cached value of a request and the value that the server sends. See ``Request/values(of:)``.
public struct CachedValues<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value

    let request: Request
    let target: ResultDecoder<Value>

    public func makeAsyncIterator() -> Iterator { Iterator(CachedValues(request: request.aged, target: target)) }

    /// Begins the call when the first value is requested. Releasing the iterator stops the call.
    public struct Iterator: AsyncIteratorProtocol {
        /// The sequence, or `nil` once the call has begun.
        private var sequence: CachedValues?
        /// The call, or `nil` before its beginning and after its last value.
        private var call: CachedValuesCall<Value>?

        fileprivate init(_ sequence: CachedValues) {
            self.sequence = sequence
        }

        /// Returns the cached value or the server's, or `nil` at the end.
        public mutating func next() async throws -> Value? {
            if let sequence {
                self.sequence = nil
                let call = CachedValuesCall(sequence)
                // Releasing the call would stop it.
                defer { withExtendedLifetime(call) {} }
                if let cached = try await call.cached.value {
                    self.call = call
                    return cached
                }
                return try await call.last.value
            }
            guard let call else { return nil }
            self.call = nil
            defer { withExtendedLifetime(call) {} }
            return try await call.last.value
        }
    }
}

/// The call of one loop. A class, so that releasing it stops the call.
private final class CachedValuesCall<Value: Sendable>: Sendable {
    /// The value from the cache, or `nil` if there is none.
    let cached: Promise<Value?>
    /// The value from the server, or `nil` if it is not new.
    let last: Promise<Value?>

    init(_ values: CachedValues<Value>) {
        let run = CallRun(values.request.asking(for: values.target))
        let (cached, resolver) = Promise<Value?>.pending()
        self.cached = cached
        last = run.promise { try await Pipeline.values(values.target, of: run) { resolver.fulfill($0) } }
        last.core.whenSettled { resolver.fulfill(nil) }
    }

    deinit { last.cancel() }
}

extension Pipeline {
    /// Passes the cached value to `give`, if there is one, and returns the server's value, or `nil` if it is not new.
    fileprivate static func values<Value: Sendable>(
        _ target: ResultDecoder<Value>, of run: CallRun, give: @escaping @Sendable (Value) -> Void
    ) async throws -> Value? {
        let hasGiven = AtomicFlag()
        do {
            return try await run.concluding {
                try run.checkValues()
                let mode = WholeBodyAttempt(decoded: target.decoded, cacheUse: .anyAge)
                var (call, first) = try await first(of: run, by: mode)
                guard first.source == .cache, run.history.attempts == 0 else { return (try target.value(of: first, for: run), first) }
                if run.isUserPresent, let value = target.value(ofCached: first, for: run) {
                    hasGiven.set()
                    give(value)
                }
                call.sharing?.cacheUse = .confirmed
                let second = try await response(to: call, by: mode)
                guard !hasGiven.isSet || second.body != first.body else { return (nil, second) }
                return (try target.value(of: second, for: run), second)
            }
        } catch {
            guard hasGiven.isSet, !run.isCancelled else { throw error }
            run.client.report(unrefreshed: error, in: run)
            return nil
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
