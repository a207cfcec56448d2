/// One run of a request, with the client and the configuration of its beginning, which the call keeps.
package final class CallRun: Sendable {
    package let request: Request
    let client: Client
    package let snapshot: Snapshot
    let profile: ResolvedProfile
    /// Whether the call itself, and not its rule, requires the credential of the signed-in user.
    let isSignInAskedFor: Bool
    /// The options of the call, which it shares with the calls of its tag if it has none of its own.
    let sharedConfiguration: Box<CallConfiguration>
    /// Whether this run refreshes a cached response in the background, so that no caller waits for it.
    let isInBackground: Bool
    /// Reports the progress of the transfer, or `nil` if the call has no progress handler.
    let progress: ProgressReporter?
    package let history: AttemptHistory
    /// The key by which a server recognizes a repeated send of this run.
    let idempotencyKey: String?
    /// The host that the provider returned when the call began.
    let hostFromProvider = Mutex<Result<HTTPAddress, HTTPAddress.Fault>?>(nil)
    /// The state that the call shares with others of its tag, if the tag has no profile, or `nil` until a stage needs it.
    let foundTagState = OnceValue<TagState>()
    /// The trace context that all attempts of the call share, or `nil` if they send none.
    let traceContext: TraceContext?
    /// The number of the call, unique within the process.
    let id = CallRun.nextID()
    /// The public handle of the active call.
    let task: CallTask
    /// Ends whatever the call waits for.
    let stopper = CallStopper()
    let start: Duration
    /// The moment from which the deadline counts: the start of the call, or of the poll or list to which it belongs.
    let deadlineStart: Duration
    /// The record of the call for watchers, or `nil` if no watcher is active.
    let inspected: InspectedCall?
    /// The closures in which the call began. It goes without them.
    let within: [ClosureScope.Run]
    /// The identity under which the call is made, or `nil` until a user is signed in or the call is sent.
    private let caller: Mutex<CallIdentity?>
    /// Whether the call began before the stored credential was read.
    private let beganBeforeLoading: Bool
    /// Whether the client accepted the call. After a shutdown it accepts no new ones.
    private let isAccepted: AtomicFlag
    /// Notifies the client's clock for how long the call is active.
    private let presence: (any CallPresence)?

    private static let counter = AtomicCounter()

    /// Returns a number that no call has yet.
    static func nextID() -> UInt64 { UInt64(counter.add(1)) }

    package init(_ request: Request) {
        let origin = request.origin
        history = AttemptHistory(tag: request.tag)
        client = (request.client ?? .shared).active
        start = client.clock.now
        within = ClosureScope.underWay
        deadlineStart = origin?.deadlineStart ?? start
        (snapshot, profile) = origin?.configuration ?? client.configuration(of: request.tag)
        self.request = request.completion?.completing(request, snapshot.settings, profile) ?? request
        sharedConfiguration = profile.configuration(of: self.request)
        task = origin?.task ?? CallTask(request, sharedConfiguration, callID: id, client: client)
        // The values of a rule are no opt-in of the call.
        isSignInAskedFor = origin?.isSignInAskedFor ?? (request.hasOptions && request.options[\.isAuthenticated] == true)
        idempotencyKey = sharedConfiguration.value.idempotencyKey.map { key in
            var generator = SystemRandomNumberGenerator()
            return key.value(using: &generator)
        }
        let observers = sharedConfiguration.value.progressObservers
        progress = observers.isEmpty ? nil : ProgressReporter(observers, clock: client.clock)
        traceContext = sharedConfiguration.value.sendsTraceparent ? .random() : nil
        isInBackground = origin?.isInBackground == true
        isAccepted = AtomicFlag(origin?.isAccepted == true)
        let watchers = snapshot.settings.watchers
        inspected =
            watchers.isEmpty
            ? nil : InspectedCall(task.tag, callID: id, start: start, sharedConfiguration, hiding: profile.redaction, for: watchers)
        presence = client.clock.callBegins()
        var began = origin?.caller
        if began == nil {
            let present = Self.caller(sharedConfiguration.value.isAuthenticated, profile)
            began = origin?.shared.map { $0.bind(present) } ?? present
        }
        caller = Mutex(began)
        beganBeforeLoading = began == nil && profile.authentication?.isLoaded == false
    }

    /// Returns the identity under which a call begins. Without a signed-in user it is `nil`, because closures of the call may still sign in.
    static func caller(_ isAuthenticated: Bool, _ profile: ResolvedProfile) -> CallIdentity? {
        guard profile.hasAuthentication, let authentication = profile.authentication, isAuthenticated else { return .exempt }
        // A store is read on a thread that may block. If it cannot be read, the call fails when it needs the credential.
        guard authentication.isLoaded, let present = try? authentication.callIdentity(), present != .nobody else { return nil }
        return present
    }

    /// Returns the identity of the call, which does not change afterwards.
    func identity() throws -> CallIdentity {
        if let known = caller.withLock({ $0 }) { return known }
        let authentication = profile.authentication
        let present = try (beganBeforeLoading ? authentication?.identityBeforeLoading() : authentication?.callIdentity()) ?? .exempt
        let shared = request.origin?.shared?.bind(present) ?? present
        return caller.withLock { caller in
            let bound = caller ?? shared
            caller = bound
            return bound
        }
    }

    /// Binds the call to the token of its first attempt, under which its response is cached and shared.
    func bind(by authentication: TokenAuthentication) async throws -> CallTokens {
        let tokens = CallTokens()
        // Another run of the same call, or a part of the token's refresh.
        if caller.withLock({ $0 != nil }) { return tokens }
        let bound = try await authentication.first(for: tokens)
        caller.withLock { $0 = bound }
        return tokens
    }

    /// Creates a background run of the same request with the same host. It reports neither progress nor activity to callers of the former run.
    package convenience init(inBackgroundOf former: CallRun) {
        var request = former.request
        request.client = former.client
        request.options[\.progressObservers] = nil
        request.indicators = []
        request.options[\.control] = nil
        request.origin = CallOrigin(inBackgroundOf: former, caller: former.caller.withLock { $0 })
        self.init(request)
        let host = former.hostFromProvider.withLock { $0 }
        hostFromProvider.withLock { $0 = host }
    }

    /// Whether the client refuses the call, because it was shut down before the call began.
    var isRefused: Bool { !isAccepted.isSet && !client.takesCalls }

    /// Lists the call as running until the work ends.
    func begin(_ work: any StoppableWork) {
        // Counted before the call can be found and cancelled, so that `waitUntilIdle()` finds it in the registry or in the count at any time.
        if !snapshot.settings.observers.isEmpty, history.expectEnd() { client.expectedEnds.withLock { $0 += 1 } }
        task.begin(work)
        // Checked after the call is listed, so that code that shuts the client down and finds no call finds none later either.
        if client.takesCalls { isAccepted.set() }
        // A call that is refused replaces none.
        if !isRefused { task.replaceOlderCalls() }
    }

    /// Removes the call from the lists if this is its work, and ends the timer of its deadline. Returns whether it did so.
    @discardableResult
    func end(_ work: any StoppableWork, as end: CallTask.State) -> Bool {
        let hasEnded = task.end(work, as: end)
        // Cancelling removes a call from the lists before its work ends.
        if hasEnded || task.isCancelled { stopper.end() }
        return hasEnded
    }

    var now: Duration { client.clock.now }

    /// Whether the call began in a closure of the app, so that it may go without one.
    var isWithinClosure: Bool { !within.isEmpty }

    /// Whether the call began in a closure, without which it goes therefore.
    ///
    /// - Parameter owner: The owner of the closure, or `nil` for the client.
    func isWithin(_ step: @autoclosure () -> AppClosure.Step, of owner: AnyObject? = nil) -> Bool {
        if within.isEmpty { return false }
        return isWithin(AppClosure(step(), of: owner ?? client))
    }

    func isWithin(_ closure: AppClosure) -> Bool { within.contains { $0.closure == closure } }

    /// Runs a closure of the app that may wait.
    func run<Value>(_ step: AppClosure.Step, of owner: AnyObject? = nil, _ work: () async throws -> Value) async rethrows -> Value {
        try await ClosureScope.run(AppClosure(step, of: owner ?? client), within: within, work)
    }

    /// Runs a closure of the app that does not wait.
    func runPlain<Value>(_ step: AppClosure.Step, of owner: AnyObject? = nil, _ work: () throws -> Value) rethrows -> Value {
        try ClosureScope.runPlain(ClosureScope.Mark(AppClosure(step, of: owner ?? client)), within: within, work)
    }

    /// Whether the call is part of a refresh, for which other calls wait. It waits for no limit, because these calls may use all that it allows.
    var isPartOfRefresh: Bool { !within.isEmpty && within.contains { $0.isRefresh } }

    var method: HTTPMethod { request.method(by: profile) }

    /// A summary of the request as it was last sent, or of its steps.
    var summary: RequestSummary { history.request.map { RequestSummary($0, tag: request.tag) } ?? described }

    /// A summary of the steps of the request.
    var described: RequestSummary { request.described(by: profile, at: backendAddress) }

    /// Whether parts of the call need task-local values for redaction or for the clock.
    ///
    /// A redaction that differs from the standard one only by values needs none: each output of a call asks the redaction of its tag for them.
    var hasTaskValues: Bool {
        if presence != nil { return true }
        let current = Redaction.ofCall
        return profile.redaction !== current ?? .standard && (current != nil || profile.redaction.hasOwnNames)
    }

    /// Runs a part of the call with the redaction of its tag.
    func withRedaction<Value>(_ work: () async throws -> Value) async rethrows -> Value {
        guard let presence else { return try await redacting(work) }
        return try await CurrentCall.$presence.withValue(presence) { try await redacting(work) }
    }

    private func redacting<Value>(_ work: () async throws -> Value) async rethrows -> Value {
        let redaction = profile.redaction
        return try await redaction === Redaction.current ? work() : Redaction.$ofCall.withValue(redaction, operation: work)
    }

    /// The options of the call, over those of its tag.
    var configuration: CallConfiguration {
        _read { yield sharedConfiguration.value }
    }

    var envelope: Envelope { configuration.envelope }

    /// The decoder of JSON payloads.
    var decoder: any PayloadDecoder { configuration.decoding.decoder(configuration.decoder) }

    /// Returns whether the status of a response means success.
    func takes(_ response: HTTPResponse) -> Bool { envelope.places.takes(response.status) }

    /// The error in the configuration of the envelope, if there is one.
    var envelopeFault: (any Error)? { envelope.places.fault }
}

extension EnvelopeReader {
    init(_ run: CallRun, decoded: Any.Type?) {
        self.init(envelope: run.envelope, decoded: decoded)
        adopt(run)
    }

    /// Applies the settings of a call to this reader. Mutating, because a copy of the reader would cost time.
    mutating func adopt(_ run: CallRun) {
        decoders = run.profile.decoders
        takesPropertyLists = run.configuration.takesPropertyLists
        acceptedTypes = run.configuration.acceptedTypes
        ownError = run.configuration.errorFinder?.error
        if envelope.places.isStrict { hasNoBody = run.method == .head }
        guard decoded != nil else { return }
        if envelope.places.needsRequest { request = { [run] in run.history.request } }
        noteNoKeys = { [run] in run.client.reportNoKeys(of: $0, in: run) }
        readsMore = { [run] in run.configuration.decoding.readsMore(run.configuration.decoder) }
        // Creates the decoder only for a response that needs it.
        fit = { [run] type, reading, bytes in reading.fit(type, bytes, reading.decoder(of: run.decoder)) }
    }
}
