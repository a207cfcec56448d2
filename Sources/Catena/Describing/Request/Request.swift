/// The description of a call: its URL, method, params, headers and settings. Nothing is sent until it is executed.
///
/// A request is a value. Every step returns a changed copy, so that calls can share a base request, also across tasks and threads. A
/// request can be executed any number of times; each run calls the common closures again.
///
/// ```swift
/// let base = API.tag(.forum)
/// base.get("/v1/rooms/{room}/users").params(["room": room, "page": 1])
///     .execute(as: [User].self)
///     .then { users in self.show(users) }
/// ```
///
/// A step never throws. A fault, such as an invalid URL or header, fails the call when it is executed. The ``APIError`` is of kind
/// ``APIError/Kind/invalidRequest``, and its message names the step.
public struct Request: Sendable {
    /// All members, behind one reference, because each of the many types that store requests would otherwise contain code to copy every
    /// member. The accessors use `_read` because a getter would copy all members first.
    private var contents = CopyOnWrite(RequestContents())

    package init() {}

    /// The backend of the call, or `nil` if it has none.
    public internal(set) var tag: Tag? {
        _read { yield contents.value.tag }
        _modify { yield &contents.value.tag }
    }

    package var name: String? {
        _read { yield contents.value.name }
        _modify { yield &contents.value.name }
    }

    package var location: Location {
        _read { yield contents.value.location }
        _modify { yield &contents.value.location }
    }

    package var chosenMethod: HTTPMethod? {
        _read { yield contents.value.chosenMethod }
        _modify { yield &contents.value.chosenMethod }
    }

    package var params: Params {
        _read { yield contents.value.params }
        _modify { yield &contents.value.params }
    }

    package var query: Params {
        _read { yield contents.value.query }
        _modify { yield &contents.value.query }
    }

    package var removedParams: [String] {
        _read { yield contents.value.removedParams }
        _modify { yield &contents.value.removedParams }
    }

    package var headerChanges: HeaderChanges {
        _read { yield contents.value.headerChanges }
        _modify { yield &contents.value.headerChanges }
    }

    package var body: BodyDescription? {
        _read { yield contents.value.body }
        _modify { yield &contents.value.body }
    }

    package var fault: (any Error)? {
        _read { yield contents.value.fault }
        _modify { yield &contents.value.fault }
    }

    package var options: OptionLayer {
        _read { yield contents.value.options }
        _modify { yield &contents.value.options }
    }

    /// Whether a step has set an option. If not, the tag determines all options.
    var hasOptions: Bool { !contents.value.options.isEmpty }

    package var values: OptionValues {
        _read { yield contents.value.values }
        _modify { yield &contents.value.values }
    }

    var ownValues: OptionValues {
        _read { yield contents.value.ownValues }
        _modify { yield &contents.value.ownValues }
    }

    /// The summary of the request as it was prepared, for an error handler that receives the request of a call.
    var prepared: Box<RequestSummary>? {
        _read { yield contents.value.prepared }
    }

    /// Returns the request with the summary of how it was prepared.
    func known(as summary: RequestSummary) -> Request {
        var request = self
        request.contents.value.prepared = Box(summary)
        return request
    }
}

extension Request {
    /// The header changes of the call's own steps, without those of a rule.
    var ownHeaders: HeaderChanges {
        var changes = headerChanges
        if let own = changes.own { changes.set = own }
        return changes
    }

    /// The text of the call's own param, wherever a step or the path has set it, or `nil` if there is none.
    func ownParam(_ name: String) -> String? {
        switch (query[name] ?? params[name])?.parameterNode {
        case .string(let text): return text
        case .integer(let number): return String(number)
        case nil, .null: break
        case let other?: return "\(other)"
        }
        guard let path = location.path ?? location.absolute, let mark = path.firstIndex(of: "?") else { return nil }
        return path[mark...].dropFirst().prefix { $0 != "#" }.split(separator: "&").lazy
            .map { $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) }
            .first { PercentDecoding.decode($0[0], plusIsSpace: true) == name }
            .map { $0.count > 1 ? PercentDecoding.decode($0[1], plusIsSpace: true) : "" }
    }

    /// Discards the accepted types of an earlier step if the header is `Accept`, because the later step decides what the server is asked for.
    mutating func noteChange(ofHeader name: String) {
        if hasOptions, sameHeaderName(name, "Accept") { options[\.acceptedTypes] = nil }
    }

    /// Returns a copy whose param has another value, in the place where the call has set it.
    func settingParam(_ name: String, _ value: any ParameterValue) -> Request {
        params.contains(name) || ownParam(name) == nil ? param(name, value) : query(name, value)
    }
}

/// The steps of a ``Request`` and of an ``EndpointRequest``, which keeps the type of its endpoint's response.
///
/// Every step returns a changed copy and never throws. Define your own steps in an extension of this protocol, so that both types have them:
///
/// ```swift
/// extension RequestSteps {
///     func page(_ number: Int) -> Self { query("page", number) }
/// }
/// ```
public protocol RequestSteps: Sendable {
    /// The request without the type of a response, which the steps change. A subscript, because completion does not offer it.
    subscript(access: RequestAccess) -> Request { get set }
}

/// The access of the steps to their request.
public struct RequestAccess: Sendable {}

extension RequestSteps {
    package var request: Request {
        @inline(__always) _read { yield self[RequestAccess()] }
        @inline(__always) _modify { yield &self[RequestAccess()] }
    }
}

extension Request: RequestSteps {
    public subscript(access: RequestAccess) -> Request {
        _read { yield self }
        _modify { yield &self }
    }
}
