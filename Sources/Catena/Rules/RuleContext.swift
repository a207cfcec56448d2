/// A call of a named rule: what it sends, and the closures that receive its result.
///
/// ```swift
/// API.request(named: "TopicList") { context in
///     context.params = ["page": 1]
///     context.success = { task, topics in self.show(topics.as([Topic].self) ?? []) }
///     context.failure = { task, error in self.alert(error.localizedDescription) }
///     context.finished = { task, isSuccess in self.spinner.stop() }
/// }
/// ```
///
/// At the end of the call ``success`` or ``failure`` is called, then ``finished``, then ``completion``: each once, on the main actor,
/// and never before the call that made the request has returned. A cancelled call has not failed: ``failure`` is not called, and
/// ``completion`` gets neither a value nor an error.
public struct RuleContext: Sendable {
    /// The call so far, to which any step can be added: `context.request = context.request.tag(.forum)`.
    public var request: Request
    /// Goes along to ``RuleTask/userInfo``.
    public var userInfo: [String: any Sendable] = [:]
    /// What is shown while the call is running; "" is an indicator without words. See ``RequestSteps/loadMessage(_:modal:priority:)``.
    public var loadMessage: String?
    /// How long the call waits before it begins, to see how an app copes.
    public var debugDelay: Duration?
    /// With which code the call fails without being sent, to see how an app copes.
    public var debugFail: ErrorCode?

    /// Receives the value of a call that has succeeded.
    public var success: (@MainActor @Sendable (RuleTask, RuleValue) -> Void)?
    /// Receives the error of a call that has failed, unless ``Client/onError(_:)`` has stopped it.
    public var failure: (@MainActor @Sendable (RuleTask, APIError) -> Void)?
    /// Is called at every end, with whether the call succeeded.
    public var finished: (@MainActor @Sendable (RuleTask, Bool) -> Void)?
    /// Is called at every end, with the value of a success or the error of a failure; of a cancelled call with neither.
    public var completion: (@MainActor @Sendable (RuleTask, RuleValue?, APIError?) -> Void)?

    init(_ request: Request) {
        self.request = request
    }

    /// The params of the call; over those of its rule.
    public var params: Params {
        get { request.params }
        set { request.params = newValue }
    }

    /// The headers of the call; over those of its rule.
    public var headers: HTTPHeaders {
        get { request.headerChanges.set }
        set { request.headerChanges.set = newValue }
    }

    /// The time for one attempt.
    public var timeout: Duration? {
        get { request.options.timeout }
        set { request.options.timeout = newValue }
    }

    /// The name by which the call is found while it is running; see ``RequestSteps/id(_:)``.
    public var id: String? {
        get { request.options.id }
        set { request.options.id = newValue }
    }

    /// The name of the calls with which it is found and stopped; see ``RequestSteps/group(_:)-(String?)``.
    public var group: String? {
        get { request.options.group }
        set { request.options.group = newValue }
    }

    /// The request that goes out.
    var described: Request {
        var request = request
        if let loadMessage { request = request.loadMessage(loadMessage) }
        if let debugDelay { request = request.debugDelay(debugDelay) }
        if let debugFail { request = request.debugFail(debugFail) }
        return request
    }

    /// Whether somebody learns of a failure.
    var hearsFailures: Bool { failure != nil || completion != nil }
}

extension RequestSteps {
    /// Waits before the call begins, to see how an app copes with a slow network.
    public consuming func debugDelay(_ delay: Duration) -> Self {
        intercept(.before(.start)) { call, next in
            try await call.client.clock.sleep(for: delay)
            return try await next(call)
        }
    }

    /// Fails with a code without being sent, to see how an app copes.
    public consuming func debugFail(_ code: ErrorCode) -> Self {
        intercept(.before(.start)) { _, _ in
            throw APIError(.simulated, code: code, message: "The call was told to fail.")
        }
    }
}
