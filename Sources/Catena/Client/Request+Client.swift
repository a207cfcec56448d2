/// The client that runs a request.
private enum RunningClient: OptionKey { static let initial: Client? = nil }

/// The calls of the object whose end is theirs.
private enum Lifetime: OptionKey { static let initial: CallRegistry? = nil }

private enum Indicators: OptionKey { static let initial: [LoadingIndicator] = [] }

private enum Interceptors: OptionKey { static let initial: [Interceptor] = [] }

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

    var interceptors: [Interceptor] {
        get { values[Interceptors.self] }
        set { values[Interceptors.self] = newValue }
    }

    var completion: (any RequestCompletion)? {
        get { values[Completion.self] }
        set { values[Completion.self] = newValue }
    }
}

extension Request: CustomStringConvertible {
    /// Tag, rule, method and path as the steps gave them, without secrets.
    public var description: String {
        let place = location.absolute ?? (location.host ?? "") + (location.path ?? "")
        let redaction = (client ?? .current).snapshot.profile(for: tag).redaction ?? .current
        let parts = [tag.map { ".\($0)" }, name.map { "\"\($0)\"" }, chosenMethod?.name, redaction.redact(text: place)]
        return parts.compactMap { $0 }.joined(separator: " ")
    }
}

extension Request: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
