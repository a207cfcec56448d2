/// One run of a request: what it was executed with, and how far it has come.
public struct Call: Sendable {
    private(set) var execution: Execution
    /// Counts from 1.
    public internal(set) var attempt = 1
    /// The request as it goes out in this attempt.
    var prepared: HTTPRequest
    /// Whether code from outside may have changed the request.
    private(set) var hasBeenIntercepted = false

    /// How long the call has waited for its turn since the attempt before.
    var queued = Duration.zero
    /// The params of the request, merged, as they were before they were encoded; only where somebody signs them.
    var params = Params()
    /// The request as it was made in this attempt; what differs in ``prepared`` was changed on the way.
    private(set) var assembled: HTTPRequest

    /// The request of which the key is made under which the answer may be kept or shared; `nil` if it may not.
    var keyedRequest: HTTPRequest?
    /// What the credential has changed in the request.
    var credential: AddedFields?

    private init(_ execution: Execution, assembled: HTTPRequest) {
        self.execution = execution
        self.assembled = assembled
        prepared = assembled
    }

    /// The request as it is about to go out; as an interceptor changes it.
    public var request: HTTPRequest {
        get { prepared }
        set { prepared = newValue }
    }

    /// The tag of the call.
    public var tag: Tag? { execution.request.tag }

    func noting(hasBeenIntercepted: Bool) -> Call {
        var call = self
        call.hasBeenIntercepted = hasBeenIntercepted
        return call
    }

    /// Holds what interceptors have set to the rules that hold for everybody.
    func checkInterceptedRequest() throws {
        guard hasBeenIntercepted else { return }
        guard HeaderRules.isToken(prepared.method.name) else {
            throw APIError.invalid("intercept", "the name of the method is not a token (RFC 9110 §9.1)")
        }
        do throws(HeaderRules.Fault) {
            try HeaderRules.checkSingle(prepared.headers)
            for field in prepared.headers.fields { _ = try HeaderRules.checked(field) }
        } catch {
            throw APIError.invalid("intercept", "\"\(error.printableName)\": \(error.reason)")
        }
        guard (prepared.body == nil && prepared.bodySource == nil) || (prepared.method != .get && prepared.method != .head) else {
            throw APIError.invalid("intercept", "\(prepared.method) cannot have a body")
        }
    }

    var client: Client { execution.client }
    var profile: ResolvedProfile { execution.profile }

    /// Asks the common closures and makes the request of the first attempt.
    static func prepare(_ execution: Execution) async throws -> Call {
        try execution.client.checkOpen()
        execution.client.reportObstacle()
        if let tag = execution.request.tag { execution.client.reportIfUnknown(tag, in: execution.snapshot) }
        if let fault = execution.envelopeFault {
            throw APIError.invalid("envelope", "\(fault)", underlying: fault)
        }
        try await execution.findHost()
        execution.client.reportWithheld(from: execution)
        let (prepared, params) = try await assemble(execution)
        // From here on the call is made in somebody's name: its closures have had their say.
        _ = try? execution.identity()
        var call = Call(execution, assembled: prepared)
        call.params = params
        return call
    }

    /// The same call, for its next attempt: the common closures are asked anew, and what caches and interceptors that it has passed
    /// already have changed is changed again.
    func next() async throws -> Call {
        var next = self
        next.attempt = max(attempt, execution.log.attempt) + 1
        next.queued = .zero
        (next.assembled, next.params) = try await Self.assemble(execution)
        next.prepared = next.assembled.changed(as: prepared, was: assembled)
        return next
    }

    /// A call that goes on when this one has its answer, and is told as one of its own.
    func behind() -> Call {
        var call = self
        call.execution = Execution(behind: execution)
        return call
    }

    private static func assemble(_ execution: Execution) async throws -> (HTTPRequest, Params) {
        var common = CommonValues()
        if let source = execution.snapshot.settings.commonParams, execution.takesCommonParams {
            do {
                common.params = try await source(execution.request.tag)
            } catch {
                throw failure(of: "commonParams", error)
            }
        }
        if let source = execution.snapshot.settings.commonHeaders, execution.request.options.commonHeaders != CommonHeaders.none,
            execution.takesCommonHeaders
        {
            do {
                common.headers = try await source(execution.request.tag)
            } catch {
                throw failure(of: "commonHeaders", error)
            }
        }
        var (request, params) = try RequestAssembly.assemble(execution, common: common)
        if let key = execution.idempotencyKey, !request.headers.contains(IdempotencyKey.header) {
            key.apply(to: &request)
            try HeaderRules.check(&request.headers, of: "idempotencyKey")
        }
        return (request, params)
    }

    /// Names the closure that failed; what it threw is kept.
    ///
    /// That something was cancelled for which a closure waited is a failure like any other, unless the call itself is cancelled:
    /// else one cancelled sign-in would silence every screen.
    static func failure(of step: String, _ error: any Error) -> any Error {
        if error is CancellationError, Task.isCancelled { return error }
        if let error = error as? APIError, error.kind != .cancelled { return error }
        return APIError(.other, message: "\(step): \(APIError.wrapping(error).message)", underlying: error)
    }
}
