public import Catena
import CatenaPromise
import Dispatch

/// An active call of a named rule, and its result.
public final class RuleTask: Sendable {
    private struct State {
        var promise: Promise<RuleValue>?
        var isCancelled = false
        var ending: Ending?
        /// Whether the closures have been called.
        var isTold = false
        var waiting: [UnsafeContinuation<Void, Never>] = []
    }

    /// The end of a call.
    fileprivate enum Ending: Sendable {
        case success(RuleValue)
        case failure(APIError)
        /// The call failed, and the error handler stopped the error.
        case stopped(APIError)
        case cancelled

        var value: RuleValue? {
            if case .success(let value) = self { value } else { nil }
        }

        /// The error that a completion receives, or `nil` if the call was cancelled.
        var failure: APIError? {
            switch self {
            case .failure(let error), .stopped(let error): error
            case .success, .cancelled: nil
            }
        }
    }

    /// The rule, merged with its `DEFAULT`, or `nil` if no rule has that name.
    public let rule: Rule?
    /// The values that the context passed.
    public let userInfo: [String: any Sendable]
    private let state = Mutex(State())

    fileprivate init(rule: Rule?, userInfo: [String: any Sendable]) {
        self.rule = rule
        self.userInfo = userInfo
    }

    /// Cancels the call. `finished` and `completion` are called, `failure` is not. Has no effect once the call's closures have been called.
    public func cancel() {
        let promise = state.withLock { state in
            if state.ending == nil { state.isCancelled = true }
            return state.promise
        }
        promise?.cancel()
    }

    /// Whether the call has ended. `true` already when the first closure is called.
    public var isEnded: Bool { ending != nil }
    /// Whether the call has succeeded.
    public var isSuccess: Bool { value != nil }
    /// The value of the call, or `nil` if it has none.
    public var value: RuleValue? { ending?.value }

    /// The reason for the failure. The error of a cancelled call has the kind `cancelled`.
    public var error: APIError? {
        if case .cancelled = ending { return APIError(.cancelled, message: "The call was cancelled.") }
        return ending?.failure
    }

    /// Awaits the end of the call and returns its value or its error. The error of a cancelled call is a `CancellationError`.
    ///
    /// ```swift
    /// let users = try await API.request(named: "Users") { _ in }.result.get()
    /// ```
    ///
    /// The closures of the context are called before. Cancelling the awaiting task cancels the call.
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

    /// Resumes the tasks that await the call, after its closures have been called.
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

    /// Stores the end of the call. A call that was cancelled before its closures run ends as cancelled, whatever its outcome.
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
    /// Sends the request and calls the context's closures at its end.
    fileprivate func run(file: StaticString, line: UInt, _ fill: (inout RuleContext) -> Void) -> RuleTask {
        var filled = RuleContext(self)
        fill(&filled)
        let context = filled
        let run = CallRun(context.described)
        let rule = run.request.rule?.resolved
        let target = ResultDecoder<RuleValue>(rule ?? Rule(""), run.snapshot.settings.rules.registry)
        let task = RuleTask(rule: rule, userInfo: context.userInfo)
        let promise = run.promise(file, line) { try await run.value(target) }
        task.follow(promise)
        _ = promise.core.derive(on: .main, interest: .any) { outcome in
            let ending = task.end(outcome, stopped: run.history.stopped)
            MainActor.assumeIsolated { context.notify(task, ending) }
            task.finish()
            // Without a closure for errors, the error is reported like an unhandled one of any chain.
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
    /// Sends the call that a rule describes, and calls the context's closures when it ends. See ``RuleContext``.
    @discardableResult
    public static func request(
        named name: String, file: StaticString = #fileID, line: UInt = #line, _ fill: (inout RuleContext) -> Void
    ) -> RuleTask {
        request(named: name).run(file: file, line: line, fill)
    }
}

extension Client {
    /// Sends the call that a rule describes, and calls the context's closures when it ends. See ``RuleContext``.
    @discardableResult
    public func request(
        named name: String, file: StaticString = #fileID, line: UInt = #line, _ fill: (inout RuleContext) -> Void
    ) -> RuleTask {
        request(named: name).run(file: file, line: line, fill)
    }
}

extension Rules {
    /// Sends the call that a rule outside any file describes. See ``RuleContext``.
    @discardableResult
    public func request(
        _ rule: Rule, file: StaticString = #fileID, line: UInt = #line, _ fill: (inout RuleContext) -> Void
    ) -> RuleTask {
        request(rule).run(file: file, line: line, fill)
    }
}
