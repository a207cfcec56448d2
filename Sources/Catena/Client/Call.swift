/// One run of a request: what it was executed with, and how far it has come.
public struct Call: Sendable {
    /// Everything is in here: each function that a call waits in keeps a few of it, and what it keeps is room to be got for each call.
    private var contents: CopyOnWrite<CallContents>

    init(_ execution: Execution, assembled: HTTPRequest, params: Params = Params(), sharing: SharingRequirement? = nil) {
        contents = CopyOnWrite(CallContents(execution, prepared: assembled, params: params, sharing: sharing))
    }

    /// The request as it is about to go out; as an interceptor changes it.
    public var request: HTTPRequest {
        get { prepared }
        set { prepared = newValue }
    }

    /// The tag of the call.
    public var tag: Tag? { execution.request.tag }

    /// The call with something in place of its transport, so that all above that really runs. What comes of it is kept for nobody and shared
    /// with nobody.
    package func replacingTransport(with transport: any CallTransport) -> Call {
        var call = self
        call.replacement = TransportReplacement(transport)
        execution.log.note(.different)
        return call
    }

    /// What the call waits by.
    package var clock: any TimerClock { execution.client.clock }

    /// What is noted of the call; `nil` if nobody watches.
    package var notes: CallTrace? { execution.trace }

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
        guard !prepared.hasBody || (prepared.method != .get && prepared.method != .head) else {
            throw APIError.invalid("intercept", "\(prepared.method) cannot have a body")
        }
    }

    var client: Client { execution.client }
    var profile: ResolvedProfile { execution.profile }
}

/// What a ``Call`` is made of.
struct CallContents: Sendable {
    var execution: Execution
    /// Counts from 1.
    var attempt = 1
    /// The request as it goes out in this attempt.
    var prepared: HTTPRequest
    /// Whether code from outside may have changed the request.
    var hasBeenIntercepted = false
    /// How long the call has waited for its turn since the attempt before.
    var queued = Duration.zero
    /// The params of the request, merged, as they were before they were encoded; only where somebody signs them.
    var params: Params
    /// The request as it was made in this attempt; what differs in ``prepared`` was changed on the way.
    var assembled: HTTPRequest
    /// The request of which the key is made under which the response may be kept or shared; `nil` if it may not.
    var keyedRequest: HTTPRequest?
    /// Which of the attempts that run at the same time this is; `nil` if it runs alone.
    var lane: Int?
    /// What the credential has changed in the request.
    var credential: AddedFields?
    /// What the signer has changed in the request.
    var signature: AddedFields?
    /// The tokens of the call, where an app's closure gives them.
    var tokens: CallTokens?
    /// In whose name the present attempt goes out; `nil` as long as it has no credential.
    var sender: CallIdentity?
    /// What carries the request in place of every other transport; `nil` unless somebody interferes with the call.
    var replacement: TransportReplacement?
    /// The trace that the call has put into the request, which is for the backend alone.
    var trace: String?
    /// The use that others could have of the response; `nil` if only this call can use it.
    var sharing: SharingRequirement?
    /// The credential with which the present attempt goes out.
    var pass: AuthenticationPass?
    /// The place among the calls that run, which the call has without having waited for it.
    var place: ConcurrencyPlace?
    /// Permission of the circuit breaker, likewise.
    var permission: CircuitBreakerState.Pass?

    // Not the memberwise one, which makes and copies an argument for each member that is not given.
    init(_ execution: Execution, prepared: HTTPRequest, params: Params, sharing: SharingRequirement?) {
        self.execution = execution
        self.prepared = prepared
        self.params = params
        assembled = prepared
        self.sharing = sharing
    }
}

/// The need of those who share a whole response, which can be kept and given to others.
struct SharingRequirement: Sendable {
    /// Whether the body has to be one that has a payload.
    let needsPayload: Bool
}

extension Call {
    var execution: Execution {
        _read { yield contents.value.execution }
        _modify { yield &contents.value.execution }
    }
    /// Counts from 1.
    public internal(set) var attempt: Int {
        _read { yield contents.value.attempt }
        _modify { yield &contents.value.attempt }
    }
    var prepared: HTTPRequest {
        _read { yield contents.value.prepared }
        _modify { yield &contents.value.prepared }
    }
    var hasBeenIntercepted: Bool {
        _read { yield contents.value.hasBeenIntercepted }
        _modify { yield &contents.value.hasBeenIntercepted }
    }
    var queued: Duration {
        _read { yield contents.value.queued }
        _modify { yield &contents.value.queued }
    }
    var params: Params {
        _read { yield contents.value.params }
        _modify { yield &contents.value.params }
    }
    var assembled: HTTPRequest {
        _read { yield contents.value.assembled }
        _modify { yield &contents.value.assembled }
    }
    var keyedRequest: HTTPRequest? {
        _read { yield contents.value.keyedRequest }
        _modify { yield &contents.value.keyedRequest }
    }
    var lane: Int? {
        _read { yield contents.value.lane }
        _modify { yield &contents.value.lane }
    }
    var credential: AddedFields? {
        _read { yield contents.value.credential }
        _modify { yield &contents.value.credential }
    }
    var signature: AddedFields? {
        _read { yield contents.value.signature }
        _modify { yield &contents.value.signature }
    }
    var tokens: CallTokens? {
        _read { yield contents.value.tokens }
        _modify { yield &contents.value.tokens }
    }
    var sender: CallIdentity? {
        _read { yield contents.value.sender }
        _modify { yield &contents.value.sender }
    }
    var replacement: TransportReplacement? {
        _read { yield contents.value.replacement }
        _modify { yield &contents.value.replacement }
    }
    var trace: String? {
        _read { yield contents.value.trace }
        _modify { yield &contents.value.trace }
    }
    var sharing: SharingRequirement? {
        _read { yield contents.value.sharing }
        _modify { yield &contents.value.sharing }
    }
    var pass: AuthenticationPass? {
        _read { yield contents.value.pass }
        _modify { yield &contents.value.pass }
    }
    var place: ConcurrencyPlace? {
        _read { yield contents.value.place }
        _modify { yield &contents.value.place }
    }
    var permission: CircuitBreakerState.Pass? {
        _read { yield contents.value.permission }
        _modify { yield &contents.value.permission }
    }
}

/// A transport in place of another one; behind a reference, as hardly any call has one.
final class TransportReplacement: Sendable {
    let transport: any CallTransport

    init(_ transport: any CallTransport) {
        self.transport = transport
    }
}
