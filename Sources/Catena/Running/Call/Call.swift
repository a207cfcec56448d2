/// One run of a request: its configuration, its current attempt, and the request as prepared so far.
public struct Call: Sendable {
    /// The storage of all members. Async functions copy a `Call` into their frame; one reference keeps those frames small.
    private var contents: CopyOnWrite<CallContents>

    init(_ run: CallRun, assembled: HTTPRequest, params: Params = Params(), sharing: SharingRequirement? = nil) {
        contents = CopyOnWrite(CallContents(run, prepared: assembled, params: params, sharing: sharing))
    }

    /// The request that is about to be sent. Interceptors may change it.
    public var request: HTTPRequest {
        get { prepared }
        set {
            prepared = newValue
            // A request that the interceptor has made itself has no values yet.
            if !run.request.ownValues.isEmpty { prepared.ownValues = run.request.ownValues }
        }
    }

    /// The tag of the call.
    public var tag: Tag? { run.request.tag }

    /// The value of your own that ``RequestSteps/set(_:_:)-(Key.Type,_)`` has set for the call, or the key's initial value.
    public subscript<Key: OptionKey>(key: Key.Type) -> Key.Value { run.request.ownValues[key] }

    /// Returns a copy of the call that uses another transport, so that all stages above the transport still run. Its response is neither
    /// cached nor shared, because the backend did not send it.
    package func replacingTransport(with transport: any Transport) -> Call {
        var call = self
        call.replacement = Box(Carrier(transport))
        run.history.note(.different)
        return call
    }

    /// The clock by which the call waits.
    package var clock: any TimerClock { run.client.clock }

    /// The record of the call for watchers, or `nil` if no watcher observes it.
    package var inspected: InspectedCall? { run.inspected }

    func noting(hasBeenIntercepted: Bool) -> Call {
        var call = self
        call.hasBeenIntercepted = hasBeenIntercepted
        return call
    }

    /// Checks the fields that interceptors may have set by the rules that apply to every request.
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
        guard !prepared.hasBody || !prepared.method.forbidsBody else {
            throw APIError.invalid("intercept", "\(prepared.method) cannot have a body")
        }
    }

    /// Records that an interceptor or the transport has thrown a cancellation, unless the attempt was given up.
    func noteCancelledByCode() {
        if !isStopped { run.history.noteCancelledByCode() }
    }

    package var client: Client { run.client }
    var profile: ResolvedProfile { run.profile }

    /// The options of the call, over those of its tag.
    var configuration: CallConfiguration {
        _read { yield run.configuration }
    }
}

/// The members of a ``Call``.
struct CallContents: Sendable {
    var run: CallRun
    /// The number of the attempt, beginning with 1.
    var attempt = 1
    /// The request to send in this attempt.
    var prepared: HTTPRequest
    /// Whether an interceptor may have changed the request.
    var hasBeenIntercepted = false
    /// The time that the call has waited for its turn since the previous attempt.
    var queued = Duration.zero
    /// The time that the closures of the app have taken in this attempt, whose timeout includes it.
    var closureTime = Duration.zero
    /// The merged params of the request before encoding; empty unless a signer needs them.
    var params: Params
    /// The request as assembled for this attempt. Later changes are only in ``prepared``.
    var assembled: HTTPRequest
    /// The request from which the cache key is computed, or `nil` if the response may be neither cached nor shared.
    var keyedRequest: HTTPRequest?
    /// The index of this attempt among simultaneous attempts, or `nil` if the attempt runs alone.
    var attemptIndex: Int?
    /// The fields that the credential has added to the request.
    var credential: AddedFields?
    /// The fields that the signer has added to the request.
    var signature: AddedFields?
    /// The tokens of the call, if a closure of the app provides them.
    var tokens: CallTokens?
    /// The identity under which the current attempt is sent, or `nil` while it has no credential.
    var sender: CallIdentity?
    /// The transport that replaces every other one for this call, or `nil` if the client's transport is used. Boxed, as hardly any call has one.
    var replacement: Box<Carrier>?
    /// The value of the trace header that the call has set. Only the backend may receive it.
    var trace: String?
    /// The requirements for sharing the response with other calls, or `nil` if it cannot be shared.
    var sharing: SharingRequirement?
    /// The pass of the credential with which the current attempt is sent.
    var pass: AuthenticationPass?
    /// Ends whatever the call waits for.
    var stopper: CallStopper

    // Not the memberwise initializer, which creates and copies an argument for each member with a default value.
    init(_ run: CallRun, prepared: HTTPRequest, params: Params, sharing: SharingRequirement?) {
        self.run = run
        stopper = run.stopper
        self.prepared = prepared
        self.params = params
        assembled = prepared
        self.sharing = sharing
    }
}

/// The requirements of calls that share a whole response, which can be cached and delivered to other calls.
struct SharingRequirement: Sendable {
    /// The type that the call decodes, `Void` if it needs no value, or `nil` if it needs the raw body.
    let decoded: Any.Type?
    /// The cached responses that the call uses.
    var cacheUse = CacheUse.byPolicy

    /// Whether the body has to contain a payload.
    var needsPayload: Bool { decoded != nil && decoded != Void.self }
    /// The identity of the type, for which the envelope judges the response.
    var judge: ObjectIdentifier? { decoded.map { ObjectIdentifier($0) } }
}

extension Call {
    var run: CallRun {
        _read { yield contents.value.run }
        _modify { yield &contents.value.run }
    }
    /// The number of the attempt, beginning with 1.
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
    var closureTime: Duration {
        _read { yield contents.value.closureTime }
        _modify { yield &contents.value.closureTime }
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
    var attemptIndex: Int? {
        _read { yield contents.value.attemptIndex }
        _modify { yield &contents.value.attemptIndex }
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
    var replacement: Box<Carrier>? {
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
    var stopper: CallStopper {
        _read { yield contents.value.stopper }
        _modify { yield &contents.value.stopper }
    }
}
