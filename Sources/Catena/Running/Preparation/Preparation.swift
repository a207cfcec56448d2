/// Creates the request of a call's first attempt: finds its host, runs the common closures and determines its identity.
///
/// Only this type defines the order of the steps.
enum Preparation {
    /// - Parameter sharing: The requirements for sharing the response, or `nil` if it cannot be shared.
    // Inlined, because each async function costs a frame and two changes of the executor.
    @inline(__always)
    static func call(of run: CallRun, for sharing: SharingRequirement? = nil) async throws -> Call {
        if !run.configuration.before.isEmpty { try await runBefore(run) }
        if run.task.isHeldUp { try await run.wait { try await run.task.waitWhileSuspended() } }
        try Call.check(run)
        let time = run.waitsForHost ? try await findHost(of: run) : .zero
        run.client.reportOmitted(from: run)
        var call = try Call(run, with: try await run.commonValues(after: time), for: sharing)
        // The identity is fixed only now, because closures of the call may sign in.
        if run.profile.hasUser { call.tokens = try await run.findIdentity() }
        return call
    }

    @inline(never)
    private static func runBefore(_ run: CallRun) async throws {
        run.inspected?.begin(as: run.described)
        try await run.wait {
            for before in run.configuration.before where !run.isWithin(.before, of: before) {
                do {
                    try await run.run(.before, of: before) { try await before.value() }
                } catch {
                    throw APIError.failure(of: "before", error)
                }
            }
        }
    }

    @inline(never)
    private static func findHost(of run: CallRun) async throws -> Duration {
        run.inspected?.begin(as: run.described)
        return try await run.findHost()
    }
}

extension CallRun {
    /// Determines the identity of the call. Returns its tokens if a closure of the app provides them.
    fileprivate func findIdentity() async throws -> CallTokens? {
        if let jar = profile.cookieJar, !jar.isLoaded { try await wait { try await jar.readStore() } }
        if let authentication = profile.authentication as? TokenAuthentication, self.authentication != nil {
            return try await wait { try await self.bind(by: authentication) }
        }
        if let authentication = profile.authentication, !authentication.isLoaded { try await wait { try await authentication.readStore() } }
        if let authentication, authentication.mayFindCredential {
            try await wait { await authentication.findCredential(self.client.diagnostics.outageHandler) }
        }
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
        let time = common.time
        let (prepared, params) = try Self.assemble(run, with: consume common)
        self.init(run, assembled: prepared, params: params, sharing: sharing)
        if time > .zero { closureTime = time }
    }

    /// Returns the call for its next attempt. The common closures run again, and changes that caches and earlier interceptors made to the
    /// request are applied again.
    func next() async throws -> Call {
        var next = self
        next.queued = .zero
        let common = try await run.commonValues(until: stopper)
        if closureTime > .zero || common.time > .zero { next.closureTime = common.time }
        (next.assembled, next.params) = try Self.assemble(run, with: common)
        next.attempt = run.history.nextAttempt(after: attempt)
        next.prepared = next.assembled.reapplyingChanges(from: assembled, to: prepared)
        return next
    }

    /// Returns a call that continues after this one has its response, and that observers see as a separate call.
    func inBackground() -> Call {
        var call = self
        call.run = CallRun(inBackgroundOf: run)
        call.stopper = call.run.stopper
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
}
