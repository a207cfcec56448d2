/// Makes the request of a call's first attempt: asks for its host and the common closures, and binds it to who makes it.
///
/// Each step is taken at once where it need not wait. The order of the steps stands here alone.
struct Preparation: Sendable {
    private enum Step: Int {
        case before, suspension, host, params, headers, assembly, identity
    }

    private let execution: Execution
    private let sharing: SharingRequirement?
    /// The step that comes next; `nil` once all have been taken.
    private var step: Step? = .before
    private var common = CommonValues()
    private var made: Call?

    /// - Parameter sharing: The use that others could have of the response.
    init(_ execution: Execution, for sharing: SharingRequirement? = nil) {
        self.execution = execution
        self.sharing = sharing
    }

    /// Takes the steps that need not wait. Gives the call, or `nil` where the next step has to wait.
    mutating func call() throws -> Call? {
        while let step {
            guard try take(step) else { return nil }
            self.step = Step(rawValue: step.rawValue + 1)
        }
        return made
    }

    /// Takes the step that has to wait.
    mutating func wait() async throws {
        guard let step else { return }
        if step == .before || step == .host { execution.trace?.begin(as: execution.described) }
        try await wait(for: step)
        self.step = Step(rawValue: step.rawValue + 1)
    }

    /// The call, once all has been waited for.
    static func call(of execution: Execution) async throws -> Call {
        var preparation = Preparation(execution)
        while true {
            if let call = try preparation.call() { return call }
            try await preparation.wait()
        }
    }

    private mutating func take(_ step: Step) throws -> Bool {
        switch step {
        case .before: return execution.request.options.before.isEmpty
        case .suspension: return !execution.task.isHeldUp
        case .host:
            try Call.check(execution)
            return !execution.waitsForHost
        case .params:
            execution.client.reportOmitted(from: execution)
            guard let source = execution.paramsSource else { return true }
            guard let params = try source.immediateValue(execution.request.tag, step: "commonParams") else { return false }
            common.params = params
            return true
        case .headers:
            guard let source = execution.headersSource else { return true }
            guard let headers = try source.immediateValue(execution.request.tag, step: "commonHeaders") else { return false }
            common.headers = headers
            return true
        case .assembly:
            // From here on the call is made in somebody's name: its closures have had their say.
            made = try Call(execution, with: takeCommon(), for: sharing)
            return true
        case .identity:
            guard execution.profile.hasAuthentication else { return true }
            guard !execution.waitsForIdentity else { return false }
            _ = try? execution.identity()
            return true
        }
    }

    /// The common values, which are handed over: a copy of them would count a reference for each of their parts.
    private mutating func takeCommon() -> CommonValues {
        var taken = CommonValues()
        swap(&taken, &common)
        return taken
    }

    private mutating func wait(for step: Step) async throws {
        switch step {
        case .before:
            for before in execution.request.options.before {
                do {
                    try await before()
                } catch {
                    throw Call.failure(of: "before", error)
                }
            }
        case .suspension: try await execution.task.waitWhileSuspended()
        case .host: try await execution.findHost()
        case .params: common.params = try await execution.paramsSource?.value(execution.request.tag, step: "commonParams") ?? Params()
        case .headers: common.headers = try await execution.headersSource?.value(execution.request.tag, step: "commonHeaders") ?? [:]
        case .assembly: break
        case .identity: made?.tokens = try await execution.findIdentity()
        }
    }
}

extension Execution {
    /// Whether it has to be waited for until it is known in whose name the call is made.
    fileprivate var waitsForIdentity: Bool {
        if profile.authentication is TokenAuthentication, authentication != nil { return true }
        return authentication?.mayFindCredential == true
    }

    /// Finds out in whose name the call is made. Gives its tokens, where an app's closure gives them.
    fileprivate func findIdentity() async throws -> CallTokens? {
        if let authentication = profile.authentication as? TokenAuthentication, self.authentication != nil {
            return try await bind(by: authentication)
        }
        await authentication?.findCredential(client.diagnostics.sharedWatch)
        _ = try? identity()
        return nil
    }
}

extension Call {
    fileprivate static func check(_ execution: Execution) throws {
        guard !execution.isRefused else { throw APIError.invalid("client", "it has been shut down") }
        execution.client.reportTransport(execution.profile.routing)
        let location = execution.request.location
        // A call that says for itself where it goes needs no profile.
        if let tag = execution.request.tag, location.host == nil, location.absolute == nil {
            execution.client.reportIfUnknown(tag, in: execution.snapshot)
        }
        if let fault = execution.envelopeFault {
            throw APIError.invalid("envelope", "\(fault)", underlying: fault)
        }
    }

    fileprivate init(_ execution: Execution, with common: consuming CommonValues, for sharing: SharingRequirement?) throws {
        let (prepared, params) = try Self.assemble(execution, with: common)
        self.init(execution, assembled: prepared, params: params, sharing: sharing)
    }

    /// The same call, for its next attempt: the common closures are asked anew, and what caches and interceptors that it has passed
    /// already have changed is changed again.
    func next() async throws -> Call {
        var next = self
        next.queued = .zero
        (next.assembled, next.params) = try Self.assemble(execution, with: try await .asked(for: execution))
        next.attempt = execution.log.nextAttempt(after: attempt)
        next.prepared = next.assembled.reapplyingChanges(from: assembled, to: prepared)
        return next
    }

    /// A call that goes on when this one has its response, and is told as one of its own.
    func inBackground() -> Call {
        var call = self
        call.execution = Execution(inBackgroundOf: execution)
        return call
    }

    private static func assemble(_ execution: Execution, with common: consuming CommonValues) throws -> (HTTPRequest, Params) {
        var (request, params) = try RequestAssembly.assemble(execution, common: common)
        if let key = execution.idempotencyKey, !request.headers.contains(IdempotencyKey.header) {
            key.apply(to: &request)
            try HeaderRules.check(&request.headers, of: "idempotencyKey")
        }
        return (request, params)
    }

    /// Names the closure that failed; what it threw is kept.
    static func failure(of step: String, _ error: any Error) -> any Error { APIError.failure(of: step, error) }
}
