/// Creates the request of a call's first attempt: finds its host, runs the common closures and determines its identity.
///
/// Each step runs immediately if it need not wait. Only this type defines the order of the steps.
struct Preparation: Sendable {
    private enum Step: Int {
        case before, suspension, host, params, headers, assembly, identity
    }

    private let run: CallRun
    private let sharing: SharingRequirement?
    /// The next step, or `nil` after the last one.
    private var step: Step? = .before
    private var common = CommonValues()
    private var made: Call?

    /// - Parameter sharing: The requirements for sharing the response, or `nil` if it cannot be shared.
    init(_ run: CallRun, for sharing: SharingRequirement? = nil) {
        self.run = run
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
        if step == .before || step == .host { run.inspected?.begin(as: run.described) }
        try await wait(for: step)
        self.step = Step(rawValue: step.rawValue + 1)
    }

    /// Runs all steps, and returns the call.
    static func call(of run: CallRun) async throws -> Call {
        var preparation = Preparation(run)
        while true {
            if let call = try preparation.call() { return call }
            try await preparation.wait()
        }
    }

    private mutating func take(_ step: Step) throws -> Bool {
        switch step {
        case .before: return run.configuration.before.isEmpty
        case .suspension: return !run.task.isHeldUp
        case .host:
            try Call.check(run)
            return !run.waitsForHost
        case .params:
            run.client.reportOmitted(from: run)
            guard let source = run.paramsSource else { return true }
            guard let params = try source.immediateValue(run.request.tag, step: "commonParams") else { return false }
            common.params = params
            return true
        case .headers:
            guard let source = run.headersSource else { return true }
            guard let headers = try source.immediateValue(run.request.tag, step: "commonHeaders") else { return false }
            common.headers = headers
            return true
        case .assembly:
            // The identity is fixed after this step, because `before` closures may sign in.
            made = try Call(run, with: takeCommon(), for: sharing)
            return true
        case .identity:
            guard run.profile.hasUser else { return true }
            guard !run.waitsForIdentity else { return false }
            _ = try? run.identity()
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
            for before in run.configuration.before {
                do {
                    try await before()
                } catch {
                    throw Call.failure(of: "before", error)
                }
            }
        case .suspension: try await run.task.waitWhileSuspended()
        case .host: try await run.findHost()
        case .params: common.params = try await run.paramsSource?.value(run.request.tag, step: "commonParams") ?? Params()
        case .headers: common.headers = try await run.headersSource?.value(run.request.tag, step: "commonHeaders") ?? [:]
        case .assembly: break
        case .identity: made?.tokens = try await run.findIdentity()
        }
    }
}

extension CallRun {
    /// Whether the call has to wait for its identity.
    fileprivate var waitsForIdentity: Bool {
        if profile.cookieJar?.isLoaded == false { return true }
        if profile.authentication is TokenAuthentication, authentication != nil { return true }
        return profile.authentication?.isLoaded == false || authentication?.mayFindCredential == true
    }

    /// Determines the identity of the call. Returns its tokens if a closure of the app provides them.
    fileprivate func findIdentity() async throws -> CallTokens? {
        try await profile.cookieJar?.readStore()
        if let authentication = profile.authentication as? TokenAuthentication, self.authentication != nil {
            return try await bind(by: authentication)
        }
        try await profile.authentication?.readStore()
        await authentication?.findCredential(client.diagnostics.outageHandler)
        _ = try? identity()
        return nil
    }
}

extension Call {
    fileprivate static func check(_ run: CallRun) throws {
        guard !run.isRefused else { throw APIError.invalid("client", "it has been shut down") }
        run.client.reportTransport(run.profile.routing)
        run.client.reportIneffectiveSteps(of: run)
        let location = run.request.location
        // A call that sets its destination itself needs no profile.
        if let tag = run.request.tag, location.host == nil, location.absolute == nil {
            run.client.reportIfUnknown(tag, of: run)
        }
        if let fault = run.envelopeFault {
            throw APIError.invalid("envelope", "\(fault)", underlying: fault)
        }
        if let fault = run.configuration.retry.fault { throw APIError.invalid("retry", fault) }
    }

    fileprivate init(_ run: CallRun, with common: consuming CommonValues, for sharing: SharingRequirement?) throws {
        let (prepared, params) = try Self.assemble(run, with: common)
        self.init(run, assembled: prepared, params: params, sharing: sharing)
    }

    /// Returns the call for its next attempt. The common closures run again, and changes that caches and earlier interceptors made to the
    /// request are applied again.
    func next() async throws -> Call {
        var next = self
        next.queued = .zero
        (next.assembled, next.params) = try Self.assemble(run, with: try await .asked(for: run))
        next.attempt = run.history.nextAttempt(after: attempt)
        next.prepared = next.assembled.reapplyingChanges(from: assembled, to: prepared)
        return next
    }

    /// Returns a call that continues after this one has its response, and that observers see as a separate call.
    func inBackground() -> Call {
        var call = self
        call.run = CallRun(inBackgroundOf: run)
        return call
    }

    private static func assemble(_ run: CallRun, with common: consuming CommonValues) throws -> (HTTPRequest, Params) {
        var (request, params) = try RequestAssembly.assemble(run, common: common)
        if let key = run.idempotencyKey, !request.headers.contains(IdempotencyKey.header) {
            request.headers[IdempotencyKey.header] = key
            try HeaderRules.check(&request.headers, of: "idempotencyKey")
        }
        return (request, params)
    }

    /// Adds the name of the failed closure to its error.
    static func failure(of step: String, _ error: any Error) -> any Error { APIError.failure(of: step, error) }
}
