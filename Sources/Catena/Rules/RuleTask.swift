import Dispatch

/// An active call of a named rule, and its result.
public final class RuleTask: Sendable {
    private struct State {
        var promise: Promise<RuleValue>?
        var isCancelled = false
        var ending: Ending?
        /// Whether the closures have been told.
        var isTold = false
        var waiting: [UnsafeContinuation<Void, Never>] = []
    }

    /// How a call has ended.
    fileprivate enum Ending: Sendable {
        case success(RuleValue)
        case failure(APIError)
        /// It failed, and the error handler has dealt with it.
        case stopped(APIError)
        case cancelled

        var value: RuleValue? {
            if case .success(let value) = self { value } else { nil }
        }

        /// The error that a completion is told: cancelling is none.
        var failure: APIError? {
            switch self {
            case .failure(let error), .stopped(let error): error
            case .success, .cancelled: nil
            }
        }
    }

    /// The rule, merged with its `DEFAULT`; `nil` if there is none of that name.
    public let rule: Rule?
    /// What the context gave along.
    public let userInfo: [String: any Sendable]
    private let state = Mutex(State())

    fileprivate init(rule: Rule?, userInfo: [String: any Sendable]) {
        self.rule = rule
        self.userInfo = userInfo
    }

    /// Stops the call. `failure` is not called, `finished` and `completion` are. A call whose closures have been called stays as it is.
    public func cancel() {
        let promise = state.withLock { state in
            if state.ending == nil { state.isCancelled = true }
            return state.promise
        }
        promise?.cancel()
    }

    /// Whether the call has ended, which is so from before the first of its closures is called.
    public var isEnded: Bool { ending != nil }
    /// Whether the call has succeeded.
    public var isSuccess: Bool { value != nil }
    /// What the call gave.
    public var value: RuleValue? { ending?.value }

    /// Why the call failed; of a cancelled one an error of kind `cancelled`.
    public var error: APIError? {
        if case .cancelled = ending { return APIError(.cancelled, message: "The call was cancelled.") }
        return ending?.failure
    }

    /// Awaits the end of the call, and gives its value or its error; of a cancelled call a `CancellationError`, as everywhere.
    ///
    /// ```swift
    /// let users = try await API.request(named: "Users") { _ in }.result.get()
    /// ```
    ///
    /// The closures of the context have been called by then. Cancelling the task that awaits cancels the call.
    public var result: Result<RuleValue, any Error> {
        get async {
            await withTaskCancellationHandler {
                await withUnsafeContinuation { continuation in
                    let isTold = state.withLock { state in
                        if !state.isTold { state.waiting.append(continuation) }
                        return state.isTold
                    }
                    if isTold { continuation.resume() }
                }
            } onCancel: {
                cancel()
            }
            return switch ending {
            case .success(let value): .success(value)
            case .failure(let error), .stopped(let error): .failure(error)
            case .cancelled, nil: .failure(CancellationError())
            }
        }
    }

    private var ending: Ending? { state.withLock { $0.ending } }

    /// Lets go on who awaits the call, once its closures have been called.
    fileprivate func finish() {
        let waiting = state.withLock { state in
            state.isTold = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    fileprivate func follow(_ promise: Promise<RuleValue>) {
        state.withLock { if $0.ending == nil { $0.promise = promise } }
    }

    /// Notes how the call has ended. What was cancelled before anybody was told counts as cancelled.
    fileprivate func end(_ outcome: Outcome, stopped: APIError?) -> Ending {
        var ending: Ending
        switch outcome.result(as: RuleValue.self) {
        case .success(let value): ending = .success(value)
        case .failure(is CancellationError): ending = stopped.map(Ending.stopped) ?? .cancelled
        case .failure(let error): ending = .failure(.wrapping(error))
        }
        let former = state.withLock { state in
            if state.isCancelled { ending = .cancelled }
            state.ending = ending
            let former = state.promise
            state.promise = nil
            return former
        }
        _ = consume former
        return ending
    }
}

extension Request {
    /// Sends the request and tells the context's closures of its end.
    fileprivate func run(file: StaticString, line: UInt, _ fill: (inout RuleContext) -> Void) -> RuleTask {
        var filled = RuleContext(self)
        fill(&filled)
        let context = filled
        let execution = Execution(context.described)
        let rule = execution.request.rule?.resolved
        let target = ResultDecoder<RuleValue>(rule ?? Rule(""), execution.snapshot.settings.rules.registry)
        let task = RuleTask(rule: rule, userInfo: context.userInfo)
        let promise = execution.promise(file, line) { try await execution.value(target) }
        task.follow(promise)
        _ = promise.core.derive(on: .main, interest: .any) { outcome in
            let ending = task.end(outcome, stopped: execution.log.stopped)
            MainActor.assumeIsolated { context.notify(task, ending) }
            task.finish()
            // An error that nobody hears of is reported like that of any other chain.
            return .settle(context.hearsFailures ? outcome.seen : outcome)
        }
        return task
    }
}

extension RuleContext {
    @MainActor fileprivate func notify(_ task: RuleTask, _ ending: RuleTask.Ending) {
        switch ending {
        case .success(let value): success?(task, value)
        case .failure(let error): failure?(task, error)
        case .stopped, .cancelled: break
        }
        finished?(task, ending.value != nil)
        completion?(task, ending.value, ending.failure)
    }
}

extension API {
    /// Sends a call that a rule describes, and calls the closures of the context when it ends. See ``RuleContext``.
    @discardableResult
    public static func request(
        named name: String, file: StaticString = #fileID, line: UInt = #line, _ fill: (inout RuleContext) -> Void
    ) -> RuleTask {
        request(named: name).run(file: file, line: line, fill)
    }
}

extension Client {
    /// Sends a call that a rule describes, and calls the closures of the context when it ends. See ``RuleContext``.
    @discardableResult
    public func request(
        named name: String, file: StaticString = #fileID, line: UInt = #line, _ fill: (inout RuleContext) -> Void
    ) -> RuleTask {
        request(named: name).run(file: file, line: line, fill)
    }
}

extension Rules {
    /// Sends a call that a rule describes which is in no file. See ``RuleContext``.
    @discardableResult
    public func request(
        _ rule: Rule, file: StaticString = #fileID, line: UInt = #line, _ fill: (inout RuleContext) -> Void
    ) -> RuleTask {
        request(rule).run(file: file, line: line, fill)
    }
}
