// How a call comes by the request that it sends.
extension Call {
    /// Asks the common closures and makes the request of the first attempt.
    static func prepare(_ execution: Execution) async throws -> Call {
        try check(execution)
        try await execution.findHost()
        execution.client.reportOmitted(from: execution)
        var call = try Call(execution, with: try await .asked(for: execution))
        guard execution.profile.hasAuthentication else { return call }
        if let authentication = execution.profile.authentication as? TokenAuthentication, execution.authentication != nil {
            call.tokens = try await execution.bind(by: authentication)
        } else {
            if let authentication = execution.authentication, authentication.mayFindCredential {
                await authentication.findCredential(execution.client.diagnostics.sharedWatch)
            }
            _ = try? execution.identity()
        }
        return call
    }

    /// The same of a call that has nobody to wait for, and nobody to sign in: a ``DirectCall``'s.
    static func preparedAtOnce(_ execution: Execution) throws -> Call {
        try check(execution)
        execution.client.reportOmitted(from: execution)
        return try Call(execution, with: try .askedAtOnce(for: execution))
    }

    private static func check(_ execution: Execution) throws {
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

    /// From here on the call is made in somebody's name: its closures have had their say.
    private init(_ execution: Execution, with common: CommonValues) throws {
        let (prepared, params) = try Self.assemble(execution, with: common)
        self.init(execution, assembled: prepared, params: params)
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

    private static func assemble(_ execution: Execution, with common: CommonValues) throws -> (HTTPRequest, Params) {
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
