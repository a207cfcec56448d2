/// The client that executes a request.
private enum RunningClient: OptionKey { static let initial: Client? = nil }

/// The registry of the object that limits the lifetime of the call.
private enum Lifetime: OptionKey { static let initial: CallRegistry? = nil }

private enum Indicators: OptionKey { static let initial: [LoadingIndicator] = [] }

/// The header that names where an earlier connection ended.
private enum ResumingHeader: OptionKey { static let initial: String? = nil }

/// The operation that a request is a part of.
private enum Origin: OptionKey { static let initial: CallOrigin? = nil }

/// The completion of the request when it is executed.
private enum Completion: OptionKey { static let initial: (any RequestCompletion)? = nil }

/// A part of a request that only the configuration can resolve, such as a rule.
package protocol RequestCompletion: Sendable {
    /// Returns the request completed from the configuration, or with a fault if the configuration lacks the part.
    func completing(_ request: Request, _ settings: Settings, _ profile: ResolvedProfile) -> Request
}

// Values that a request takes from the client or passes to it.
extension Request {
    package init(client: Client?) {
        self.init()
        if let client { self.client = client }
    }

    /// The client that executes the request, or `nil` for the one behind ``API``, which is looked up when the request is executed.
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

    /// The values that the call takes over from an operation that began earlier, or `nil` if the call begins by itself.
    var origin: CallOrigin? {
        // Inlined, it copies all values of the request.
        @inline(never) get { values[Origin.self] }
        set { values[Origin.self] = newValue }
    }

    package var interceptors: [Interceptor] {
        get { values[Interceptors.self] }
        set { values[Interceptors.self] = newValue }
    }

    /// The header by which the request resumes where an earlier connection of the call ended, or `nil` if it does not resume.
    var resumingHeader: String? {
        get { values[ResumingHeader.self] }
        set { values[ResumingHeader.self] = newValue }
    }

    package var completion: (any RequestCompletion)? {
        get { values[Completion.self] }
        set { values[Completion.self] = newValue }
    }
}

extension HeaderChanges {
    /// The headers that are set and added.
    var merged: HTTPHeaders {
        var headers = set
        for field in added.fields { headers.add(field.value, for: field.name) }
        return headers
    }
}

extension Request {
    /// Returns the request of a loop that begins now. All of its calls are as old as the loop.
    ///
    /// The first call begins on another thread, where that of a later loop may come first. Without this number it would replace the newer one.
    var aged: Request {
        guard let replacement = options[\.replacement], replacement.number == nil else { return self }
        var request = self
        request.options[\.replacement] = Replacement(number: CallRun.nextID())
        return request
    }
}
