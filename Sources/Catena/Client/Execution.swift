/// A request with the client and the configuration of the moment in which it was executed, to which its call keeps.
final class Execution: Sendable {
    let request: Request
    let client: Client
    let snapshot: Snapshot
    let profile: ResolvedProfile
    /// Whether the call itself, and not its rule, says that it is made by who is signed in.
    let isSignInAskedFor: Bool
    /// How this call goes.
    let settings: CallSettings
    /// Whether nobody waits for this run, as another one has its response already.
    let isInBackground: Bool
    /// Who is told how far the transfer is; `nil` if nobody is.
    let progress: ProgressReporter?
    let log: CallLog
    /// Stands for this execution with servers that must not carry it out twice.
    let idempotencyKey: IdempotencyKey?
    /// What a host provider said when the call began.
    let hostFromProvider = Mutex<Result<HTTPAddress, HTTPAddress.Fault>?>(nil)
    /// The state of the tag that the call shares with others; `nil` until a stage asks for it.
    let foundBackend = OnceValue<BackendState>()
    /// The trace of the call, which all its attempts have in common; `nil` if it has none.
    let traceContext: TraceContext?
    /// Tells calls apart.
    let id = UInt64(Execution.counter.add(1))
    /// The call as others see it while it is under way.
    let task: CallTask
    let start: Duration
    /// What is noted of the call while it runs; `nil` if nobody watches.
    let trace: CallTrace?
    /// In whose name the call is made; `nil` until somebody is signed in or the call goes out.
    private let caller: Mutex<CallIdentity?>
    /// Whether the client took the call, which it does not any more once it has been shut down.
    private let isAccepted: AtomicFlag
    /// Lets the client's clock know for how long the call is under way.
    private let presence: (any CallPresence)?

    private static let counter = AtomicCounter()

    /// - Parameters:
    ///   - former: The run whose configuration holds for this one too.
    ///   - caller: In whose name the call is made of which this run is a part; without one it begins now.
    init(_ request: Request, inBackgroundOf former: Execution? = nil, for caller: CallIdentity? = nil) {
        log = CallLog(tag: request.tag)
        client = (request.client ?? .shared).active
        task = CallTask(request, callID: id, client: client)
        start = client.clock.now
        let hasOptions = request.hasOptions
        isSignInAskedFor = former?.isSignInAskedFor ?? (hasOptions && request.options.isAuthenticated == true)
        idempotencyKey = hasOptions ? request.options.idempotencyKey?.key : nil
        snapshot = former?.snapshot ?? client.snapshot
        profile = snapshot.profile(for: request.tag)
        self.request = request.completion?.completing(request, snapshot.settings, profile) ?? request
        let observers = hasOptions ? request.options.progressObservers : []
        progress = observers.isEmpty ? nil : ProgressReporter(observers, clock: client.clock)
        settings = .of(self.request, over: profile)
        traceContext = profile.sendsTraceparent ? .random() : nil
        isInBackground = former != nil
        isAccepted = AtomicFlag(request.isAccepted)
        let watchers = snapshot.settings.watchers
        trace = watchers.isEmpty ? nil : CallTrace(task, start: start, profile, hasOptions ? settings.envelope : nil, for: watchers)
        presence = client.clock.callBegins()
        let began = caller ?? former?.caller.withLock { $0 } ?? Self.caller(of: self.request, profile)
        self.caller = Mutex(began)
    }

    /// In whose name a call begins. Where nobody is signed in yet, its own closures may sign in before it goes out.
    private static func caller(of request: Request, _ profile: ResolvedProfile) -> CallIdentity? {
        guard profile.hasAuthentication, let authentication = profile.authentication,
            !request.hasOptions || request.options.isAuthenticated != false
        else { return .exempt }
        // Of a store that cannot be read the call is told when it needs the credential.
        guard let present = try? authentication.callIdentity(), present != .nobody else { return nil }
        return present
    }

    /// In whose name the call is made, from now on for good.
    func identity() throws -> CallIdentity {
        if let known = caller.withLock({ $0 }) { return known }
        let present = try profile.authentication?.callIdentity() ?? .exempt
        return caller.withLock { caller in
            let bound = caller ?? present
            caller = bound
            return bound
        }
    }

    /// Binds the call to the token that its first attempt goes with: what is kept and shared of it is kept and shared under that one.
    func bind(by authentication: TokenAuthentication) async throws -> CallTokens {
        let tokens = CallTokens()
        // A further run of the same call, or a part of what gets the token.
        if caller.withLock({ $0 != nil }) { return tokens }
        let bound = try await authentication.first(for: tokens)
        caller.withLock { $0 = bound }
        return tokens
    }

    /// The same request, to the same place, once more: of this run nobody who waits for the former one is told.
    convenience init(inBackgroundOf former: Execution) {
        var request = former.request
        request.client = former.client
        request.options.progressObservers = []
        request.indicators = []
        request.options.control = nil
        self.init(request, inBackgroundOf: former)
        let host = former.hostFromProvider.withLock { $0 }
        hostFromProvider.withLock { $0 = host }
    }

    /// Whether the client is to send nothing for the call: it was shut down before the call began.
    var isRefused: Bool { !isAccepted.isSet && !client.takesCalls }

    /// Lists the call as running until the work ends.
    func begin(_ work: any CancellableWork) {
        // Before it can be found and cancelled, so that at no time it is in neither place.
        if !snapshot.settings.observers.isEmpty, log.expectEnd() { client.expectedEnds.withLock { $0 += 1 } }
        task.begin(work)
        // Once it is listed: who shuts the client down and then finds no call finds none later either.
        if client.takesCalls { isAccepted.set() }
    }

    /// The time by the clock of the client.
    var now: Duration { client.clock.now }

    /// The method with which the request goes out.
    var method: HTTPMethod { request.method(by: profile) }

    /// What is known of the request: as it went out last, else what its steps say.
    var summary: RequestSummary { log.request.map { RequestSummary($0, tag: request.tag) } ?? described }

    /// What the steps of the request say.
    var described: RequestSummary { request.described(by: profile, at: backendAddress) }

    /// Whether the parts of the call run with values of the task that tell what is hidden, and by which clock the call goes.
    var hasTaskValues: Bool { presence != nil || profile.redaction !== Redaction.current }

    /// Runs a part of the call, of which nothing that the tag hides is shown.
    func withRedaction<Value>(_ work: () async throws -> Value) async rethrows -> Value {
        guard let presence else { return try await redacting(work) }
        return try await CurrentCall.$presence.withValue(presence) { try await redacting(work) }
    }

    /// Runs a part of the call that waits for nothing.
    func withRedaction<Value>(_ work: () throws -> Value) rethrows -> Value {
        guard let presence else { return try redacting(work) }
        return try CurrentCall.$presence.withValue(presence) { try redacting(work) }
    }

    private func redacting<Value>(_ work: () throws -> Value) rethrows -> Value {
        let redaction = profile.redaction
        return try redaction === Redaction.current ? work() : Redaction.$ofCall.withValue(redaction, operation: work)
    }

    private func redacting<Value>(_ work: () async throws -> Value) async rethrows -> Value {
        let redaction = profile.redaction
        return try await redaction === Redaction.current ? work() : Redaction.$ofCall.withValue(redaction, operation: work)
    }

    /// How the responses of this call are read.
    var envelope: Envelope { settings.envelope }

    /// Whether the status of a response says that the call succeeded.
    func takes(_ response: HTTPResponse) -> Bool { envelope.places.takes(response.status) }

    /// What is wrong with the envelope, if anything is.
    var envelopeFault: (any Error)? { envelope.places.fault }
}

extension EnvelopeReader {
    init(_ execution: Execution, decoded: Any.Type?) {
        self.init(envelope: execution.envelope, decoded: decoded)
        adopt(execution)
    }

    /// Reads as a call says. A reader that is made and then adopts a call is not copied.
    mutating func adopt(_ execution: Execution) {
        decoders = execution.profile.decoders
        takesPropertyLists = execution.settings.takesPropertyLists
        acceptedTypes = execution.settings.acceptedTypes
        ownError = execution.settings.errorFinder?.error
        guard decoded != nil else { return }
        noteNoKeys = { [execution] in execution.client.reportNoKeys(of: $0, in: execution) }
        readsMore = { [execution] in execution.settings.decoding.readsMore(execution.profile.decoder) }
        fit = { [execution] type, reading, bytes in
            reading.fit(type, bytes, reading.decoder(of: execution.settings.decoding.decoder(execution.profile.decoder)))
        }
    }
}
