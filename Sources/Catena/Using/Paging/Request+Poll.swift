extension Request {
    /// Sends the request repeatedly until a closure accepts its value, and returns that value.
    ///
    /// ```swift
    /// let job = try await API.tag(.forum).get("/jobs/\(id)").poll(every: .seconds(2), until: { (job: Job) in job.isDone })
    /// ```
    ///
    /// The first call is sent at once. Each further one follows the end of the one before after the interval, or later if its response has a
    /// `Retry-After`. A wait of more than an hour, or one that does not fit into the deadline, ends the poll at once. The `deadline` of the request limits the whole poll, with all calls and waits. Each call has the retries of the
    /// request, and a failure that remains ends the poll. Each call is a run of its own, for observers and limits too.
    ///
    /// All calls have the configuration and the user of the first one: after a sign-out, the next call fails with
    /// ``APIError/Kind/missingCredential``. Cancelling the task or the call ends the poll at once. After ``Client/shutdown()``, no further call is
    /// sent. If the tag has a cache, each call asks the server whether its response has changed.
    ///
    /// The poll fails with ``APIError/Kind/invalidRequest`` if another step excludes it: `cache(.always)`, `cache(.expire(…))`, a fixed
    /// `idempotencyKey`, or a body that can be read only once.
    ///
    /// - Parameters:
    ///   - interval: The wait from the end of one call to the beginning of the next, longer than zero.
    ///   - longest: The interval up to which each wait is twice the one before. Without it, all waits are equal.
    ///   - isolation: The actor of the caller, on which the closure runs.
    ///   - isDone: Whether the value ends the poll. An error that it throws ends the poll, and is thrown unchanged.
    /// - Throws: An ``APIError`` if a call fails or the deadline passes, a `CancellationError` if the poll is cancelled, or the closure's error.
    @_disfavoredOverload
    @discardableResult
    public func poll<Value: Decodable & Sendable>(
        every interval: Duration,
        upTo longest: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation,
        until isDone: (Value) throws -> Bool
    ) async throws -> Value {
        try await poll(.decodable(Value.self), PollPace(every: interval, upTo: longest), isolation: isolation, isDone)
    }

    /// Sends the request repeatedly until a closure accepts its payload as a dynamic value, and returns that value.
    ///
    /// ```swift
    /// let job = try await API.tag(.forum).get("/jobs/\(id)").poll(every: .seconds(2)) { job in job.state.string == "done" }
    /// ```
    @discardableResult
    public func poll(
        every interval: Duration,
        upTo longest: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation,
        until isDone: (JSON) throws -> Bool
    ) async throws -> JSON {
        try await poll(.json, PollPace(every: interval, upTo: longest), isolation: isolation, isDone)
    }
}

extension Request {
    func poll<Value: Sendable>(
        _ target: ResultDecoder<Value>, _ pace: PollPace, isolation: isolated (any Actor)?, _ isDone: (Value) throws -> Bool
    ) async throws -> Value {
        var pace = pace
        var request = asking(for: target).polled(by: (client ?? .shared).active, pace)
        // Keeps the handle active between two calls. Cancelling the handle also ends the call or the wait in progress.
        let whole = CallStopper()
        var count = 0
        var run = CallRun(request)
        // Listed until the end, so that a cancellation between two calls reaches the poll.
        run.task.keep(for: whole)
        do {
            while true {
                let (value, asked) = try await run.polled(target)
                count += 1
                let isLast = try isDone(value)
                try run.throwIfCancelled()
                if isLast {
                    guard run.task.end(whole, as: .completed) else { throw CancellationError() }
                    return value
                }
                try await run.wait(pace.next(asked: asked), asked: asked, after: count)
                request.origin = request.origin ?? CallOrigin(after: run, isOneTask: true)
                run = CallRun(request)
            }
        } catch {
            run.task.end(whole, as: error is CancellationError ? .cancelled : .completed)
            throw error
        }
    }

    /// Returns the request of each call of a poll. It fails unsent if the interval or a step excludes polling.
    private func polled(by client: Client, _ pace: PollPace) -> Request {
        var request = self
        request.client = client
        if request.fault == nil { request.fault = (pace.fault ?? pollFault).map { APIError.invalid("poll", $0) } }
        // A stored response would be the same in each call.
        guard client.profile(for: tag).hasCache, headerChanges.set["Cache-Control"] == nil else { return request }
        return request.header("Cache-Control", "no-cache")
    }

    /// The step of this request that excludes polling, with the reason.
    private var pollFault: String? {
        switch options[\.cachePolicy]?.mode {
        case .always?, .expire?:
            return "it asks the server each time, and cache would give it the stored response; remove one of both steps"
        case .protocol?, .never?, nil: break
        }
        if options[\.idempotencyKey]?.text != nil {
            return "idempotencyKey has a fixed key, to which the server gives its first response each time; leave the key out"
        }
        return body?.isReplayable == false
            ? "\(body?.step ?? "body") has bytes that can be read only once; use the form with a closure" : nil
    }
}

extension BodyDescription {
    /// Whether the body can be sent more than once.
    fileprivate var isReplayable: Bool {
        switch content {
        case .source(let source, _): return source.isReplayable
        case .multipart(let form, _):
            return form.parts.allSatisfy { part in
                guard case .file(let file) = part, case .source(let source) = file.content else { return true }
                return source.isReplayable
            }
        case .form, .json, .propertyList, .data, .file: return true
        }
    }
}

extension CallRun {
    /// Returns the value of one call of a poll, and the wait that its response asks for.
    fileprivate func polled<Value: Sendable>(_ target: ResultDecoder<Value>) async throws -> (Value, Duration?) {
        let target = ResultDecoder<(Value, Duration?)>(decoded: target.decoded, family: target.family) { [client] reading, decoder in
            let value = try target.value(reading, decoder)
            return (value, ServerWait.read(reading.response.headers, status: reading.response.status, now: client.date()))
        }
        do {
            return try await Pipeline.value(target, of: self)
        } catch {
            throw (error as? any ErrorCarrier)?.thrown ?? error
        }
    }

    /// Waits until the next call of a poll, unless the server asks for a longer wait than the poll has.
    ///
    /// - Parameters:
    ///   - asked: The wait that the server asks for.
    ///   - count: The number of values that the poll has had.
    fileprivate func wait(_ time: Duration, asked: Duration?, after count: Int) async throws {
        // Nothing is sent before the server allows it (RFC 9110 §10.2.3).
        let refusal = PollPace.refusal(of: asked, within: deadlineLeft, deadline: configuration.deadline)
        let late = configuration.deadline.map { "The poll reached its deadline of \($0). `until` has accepted no value, of \(count)." }
        let advice = refusal.flatMap(\.retryAfter).map { " The server asks it to come back in \($0.inWholeSeconds)." } ?? ""
        try await pause(for: time, unless: refusal, orLate: late.map { $0 + advice })
    }
}

/// The waits between the calls of a poll. Has no side effects.
struct PollPace: Sendable {
    /// The longest wait between two calls.
    private static let longestWait = Duration.seconds(86_400)
    /// The longest wait of a server that a poll observes. A longer one ends it.
    private static let longestServerWait = Duration.seconds(3600)

    /// The reason why these waits make no sense, or `nil` if they do.
    let fault: String?
    private let longest: Duration
    private var interval: Duration

    /// - Parameter longest: The wait at which the interval stops doubling, or `nil` if it does not double.
    init(every interval: Duration, upTo longest: Duration?) {
        if interval <= .zero {
            fault = "the interval has to be longer than zero, and is \(interval)"
        } else if let longest, longest < interval {
            fault = "upTo: \(longest) is shorter than every: \(interval)"
        } else {
            fault = nil
        }
        self.interval = min(interval, Self.longestWait)
        self.longest = min(longest ?? interval, Self.longestWait)
    }

    /// Returns the error of a poll for which the server asks for too long a wait, or `nil` if it does not.
    ///
    /// - Parameter left: The time until the deadline.
    static func refusal(of asked: Duration?, within left: Duration?, deadline: Duration?) -> APIError? {
        guard let asked else { return nil }
        if let left, let deadline, asked >= left {
            var late = APIError.late(deadline)
            late.retryAfter = asked
            return late
        }
        guard asked > longestServerWait else { return nil }
        return .rejection(.rateLimited, "The server asks for a longer wait than the \(longestServerWait) of a poll", retryAfter: asked)
    }

    /// Returns the wait before the next call: the interval, or the longer wait that the server asks for.
    mutating func next(asked: Duration?) -> Duration {
        let wait = max(interval, asked ?? .zero)
        interval = interval > longest / 2 ? longest : interval * 2
        return wait
    }
}
