public import Catena

/// A call of a named rule: its request, and the closures that receive its result.
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
/// At the end of the call ``success`` or ``failure`` is called, then ``finished``, then ``completion``. Each is called once, on the main
/// actor, and never before the function that started the call has returned. A cancelled call has not failed: ``failure`` is not called, and
/// ``completion`` receives neither a value nor an error.
public struct RuleContext: Sendable {
    /// The request so far, to which any step can be added: `context.request = context.request.tag(.forum)`.
    public var request: Request
    /// Values passed to ``RuleTask/userInfo``.
    public var userInfo: [String: any Sendable] = [:]
    /// The message shown while the call is running, or "" for an indicator without text. See `loading(message:)` of a request.
    public var loadMessage: String?
    /// The delay before the call begins, to test the app with a slow network.
    public var debugDelay: Duration?
    /// The code with which the call fails without being sent, to test the app's error handling.
    public var debugFail: ErrorCode?

    /// Receives the value of a call that has succeeded.
    public var success: (@MainActor @Sendable (RuleTask, RuleValue) -> Void)?
    /// Receives the error of a call that has failed, unless `onError(_:)` of the client has stopped the error.
    public var failure: (@MainActor @Sendable (RuleTask, APIError) -> Void)?
    /// Receives whether the call succeeded, at every end.
    public var finished: (@MainActor @Sendable (RuleTask, Bool) -> Void)?
    /// Receives the value or the error at every end, or neither if the call was cancelled.
    public var completion: (@MainActor @Sendable (RuleTask, RuleValue?, APIError?) -> Void)?

    init(_ request: Request) {
        self.request = request
    }

    /// The params of the call, which override those of its rule.
    public var params: Params {
        get { request.params }
        set { request.params = newValue }
    }

    /// The headers of the call, which override those of its rule.
    public var headers: HTTPHeaders {
        get { request.headerChanges.set }
        set { request.headerChanges.set = newValue }
    }

    /// The time limit of one attempt.
    public var timeout: Duration? {
        get { request.options[\.timeout] }
        set { request.options[\.timeout] = newValue }
    }

    /// The id by which the call is found while it is running. See `id(_:replacing:)` of a request.
    public var id: String? {
        get { request.options[\.id] }
        set { request.options[\.id] = newValue }
    }

    /// The name of the group whose calls are found and cancelled together. See `group(_:)` of a request.
    public var group: String? {
        get { request.options[\.group] }
        set { request.options[\.group] = newValue }
    }

    /// The request with the context's message and debug settings.
    var described: Request {
        var request = request
        if let loadMessage { request = request.loading(message: loadMessage) }
        if let debugDelay { request = request.set(\.debugDelay, debugDelay) }
        if let debugFail { request = request.set(\.debugFail, debugFail) }
        return request
    }

    /// Whether a closure receives failures.
    var hearsFailures: Bool { failure != nil || completion != nil }
}
