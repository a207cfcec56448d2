/// The client that runs a request.
private enum RunningClient: OptionKey { static let initial: Client? = nil }

/// The calls of the object whose end is theirs.
private enum Lifetime: OptionKey { static let initial: CallRegistry? = nil }

private enum Indicators: OptionKey { static let initial: [LoadingIndicator] = [] }

private enum Interceptors: OptionKey { static let initial: [Interceptor] = [] }

/// The header that says where a former connection has ended.
private enum ResumingHeader: OptionKey { static let initial: String? = nil }

/// Whether its client has taken it already, as a part of something that began earlier.
private enum Acceptance: OptionKey { static let initial = false }

/// What completes the request when it is executed.
private enum Completion: OptionKey { static let initial: (any RequestCompletion)? = nil }

/// What a request names that only the configuration knows, such as a rule.
protocol RequestCompletion: Sendable {
    /// The request with all that is configured for it, said by its fault if there is nothing of the kind.
    func completing(_ request: Request, _ settings: Settings, _ profile: ResolvedProfile) -> Request
}

// What a request knows of the client, and what it hands to the client.
extension Request {
    init(client: Client?) {
        self.init()
        if let client { self.client = client }
    }

    /// The client that runs the request; `nil` is the one behind ``API``, looked up when the request is executed.
    var client: Client? {
        get { values[RunningClient.self] }
        set { values[RunningClient.self] = newValue }
    }

    var lifetime: CallRegistry? {
        get { values[Lifetime.self] }
        set { values[Lifetime.self] = newValue }
    }

    var indicators: [LoadingIndicator] {
        get { values[Indicators.self] }
        set { values[Indicators.self] = newValue }
    }

    var isAccepted: Bool {
        get { values[Acceptance.self] }
        set { values[Acceptance.self] = newValue }
    }

    var interceptors: [Interceptor] {
        get { values[Interceptors.self] }
        set { values[Interceptors.self] = newValue }
    }

    /// The header with which the request goes on where a former connection of the same call has ended; `nil` if it does not.
    var resumingHeader: String? {
        get { values[ResumingHeader.self] }
        set { values[ResumingHeader.self] = newValue }
    }

    var completion: (any RequestCompletion)? {
        get { values[Completion.self] }
        set { values[Completion.self] = newValue }
    }
}

// What a request says of itself. Secrets are out of it as they are out of an error's request; `preview()` is the request with them.
extension Request {
    /// The method with which the call goes out: that of its verb, else POST if there is a body, else the tag's default, else GET.
    public var method: HTTPMethod { summary.method }

    /// Where the call goes. Of a call that has failed it is the address that was asked for, with its query; before that, what the steps
    /// and the tag's host say, without params. The values of secret params are replaced by `***`.
    ///
    /// ```swift
    /// API.onError { error, request in
    ///     report("\(request.method) \(request.url)", error.code)
    ///     return .proceed
    /// }
    /// ```
    public var url: String { summary.url }

    /// The headers of the call. Of a call that has failed they are those that were sent, common ones too; before that, those that its steps
    /// have set. The values of secret ones are replaced by `***`.
    public var headers: HTTPHeaders { summary.headers }

    /// What is known of the request: what was prepared, else what its steps say.
    private var summary: RequestSummary {
        if let prepared { return prepared.summary }
        let profile = (client ?? .current).snapshot.profile(for: tag)
        return described(by: profile, at: profile.address)
    }

    /// What the steps say, beside what the profile knows.
    ///
    /// - Parameter home: The host of the tag.
    func described(by profile: ResolvedProfile, at home: Result<HTTPAddress, HTTPAddress.Fault>?) -> RequestSummary {
        let host = location.host ?? (try? home?.get())?.text ?? ""
        return RequestSummary(
            method(by: profile), place(on: host, profile.settings.parameterStyle), hasHost: !host.isEmpty || location.absolute != nil,
            ownHeaders.merged, tag: tag, hiding: profile.redaction)
    }

    /// The method with which the request goes out.
    func method(by profile: ResolvedProfile) -> HTTPMethod {
        chosenMethod ?? (body == nil ? profile.defaultMethod ?? .get : .post)
    }

    /// Host, path and segments, one behind the other, and the query of the path; names in the path are not filled.
    private func place(on host: String, _ style: ParameterStyle) -> String {
        if let absolute = location.absolute { return absolute }
        let segments = location.segments.map { (try? PathTemplate.segment($0, name: "segment", style: style)) ?? "…" }
        let path = (location.shownPath ?? "").prefix { $0 != "#" }
        let head = path.prefix { $0 != "?" }
        let whole = ([String(head)].filter { !$0.isEmpty } + segments).reduce(host) { place, part in
            switch (place.last == "/", part.first == "/") {
            case (true, true): place + part.dropFirst()
            case (false, false) where !place.isEmpty: place + "/" + part
            default: place + part
            }
        }
        return whole + path.dropFirst(head.count)
    }
}

extension HeaderChanges {
    /// The headers that are set and added.
    fileprivate var merged: HTTPHeaders {
        var headers = set
        for field in added.fields { headers.add(field.value, for: field.name) }
        return headers
    }
}

extension Request: CustomStringConvertible {
    /// Tag, rule, method and path as the steps gave them, without secrets.
    public var description: String {
        let place = location.absolute ?? (location.host ?? "") + (location.shownPath ?? "")
        let redaction = (client ?? .current).snapshot.profile(for: tag).redaction
        let parts = [tag.map { ".\($0)" }, name.map { "\"\($0)\"" }, chosenMethod?.name, redaction.redact(place: place)]
        // Names may have line breaks in them.
        return Redaction.unbroken(parts.compactMap { $0 }.joined(separator: " "))
    }
}

extension Request: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
