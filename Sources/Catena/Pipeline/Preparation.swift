/// Creates the request of a call's first attempt: finds its host, runs the common closures and determines its identity.
///
/// Each step runs immediately if it need not wait. Only this type defines the order of the steps.
struct Preparation: Sendable {
    private enum Step: Int {
        case before, suspension, host, params, headers, assembly, identity
    }

    private let execution: Execution
    private let sharing: SharingRequirement?
    /// The next step, or `nil` after the last one.
    private var step: Step? = .before
    private var common = CommonValues()
    private var made: Call?

    /// - Parameter sharing: The requirements for sharing the response, or `nil` if it cannot be shared.
    init(_ execution: Execution, for sharing: SharingRequirement? = nil) {
        self.execution = execution
        self.sharing = sharing
    }

    /// Runs the steps that need not wait. Returns the call, or `nil` if the next step has to wait.
    mutating func call() throws -> Call? {
        while let step {
            guard try take(step) else { return nil }
            self.step = Step(rawValue: step.rawValue + 1)
        }
        return made
    }

    /// Runs the step that has to wait.
    mutating func wait() async throws {
        guard let step else { return }
        if step == .before || step == .host { execution.trace?.begin(as: execution.described) }
        try await wait(for: step)
        self.step = Step(rawValue: step.rawValue + 1)
    }

    /// Runs all steps, and returns the call.
    static func call(of execution: Execution) async throws -> Call {
        var preparation = Preparation(execution)
        while true {
            if let call = try preparation.call() { return call }
            try await preparation.wait()
        }
    }

    private mutating func take(_ step: Step) throws -> Bool {
        switch step {
        case .before: return execution.configuration.before.isEmpty
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
            // The identity is fixed after this step, because `before` closures may sign in.
            made = try Call(execution, with: takeCommon(), for: sharing)
            return true
        case .identity:
            guard execution.profile.hasAuthentication else { return true }
            guard !execution.waitsForIdentity else { return false }
            _ = try? execution.identity()
            return true
        }
    }

    /// Moves the common values out, because a copy would retain each of their parts.
    private mutating func takeCommon() -> CommonValues {
        var taken = CommonValues()
        swap(&taken, &common)
        return taken
    }

    private mutating func wait(for step: Step) async throws {
        switch step {
        case .before:
            for before in execution.configuration.before {
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
    /// Whether the call has to wait for its identity.
    fileprivate var waitsForIdentity: Bool {
        if profile.authentication is TokenAuthentication, authentication != nil { return true }
        return authentication?.mayFindCredential == true
    }

    /// Determines the identity of the call. Returns its tokens if a closure of the app provides them.
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
        execution.client.reportIneffectiveSteps(of: execution)
        let location = execution.request.location
        // A call that sets its destination itself needs no profile.
        if let tag = execution.request.tag, location.host == nil, location.absolute == nil {
            execution.client.reportIfUnknown(tag, of: execution)
        }
        if let fault = execution.envelopeFault {
            throw APIError.invalid("envelope", "\(fault)", underlying: fault)
        }
    }

    fileprivate init(_ execution: Execution, with common: consuming CommonValues, for sharing: SharingRequirement?) throws {
        let (prepared, params) = try Self.assemble(execution, with: common)
        self.init(execution, assembled: prepared, params: params, sharing: sharing)
    }

    /// Returns the call for its next attempt. The common closures run again, and changes that caches and earlier interceptors made to the
    /// request are applied again.
    func next() async throws -> Call {
        var next = self
        next.queued = .zero
        (next.assembled, next.params) = try Self.assemble(execution, with: try await .asked(for: execution))
        next.attempt = execution.log.nextAttempt(after: attempt)
        next.prepared = next.assembled.reapplyingChanges(from: assembled, to: prepared)
        return next
    }

    /// Returns a call that continues after this one has its response, and that observers see as a separate call.
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

    /// Adds the name of the failed closure to its error.
    static func failure(of step: String, _ error: any Error) -> any Error { APIError.failure(of: step, error) }
}
