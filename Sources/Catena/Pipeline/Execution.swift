import Synchronization

/// A request with the client and the configuration of the moment in which it was executed, to which its call keeps.
final class Execution: Sendable {
    let request: Request
    let client: Client
    let snapshot: Snapshot
    let profile: ResolvedProfile
    /// Whether the call itself, and not its rule, says that it is made by who is signed in.
    let isSignInAskedFor: Bool
    /// How the answers of this call are read.
    let envelope: Envelope
    /// Who is told how far the transfer is; `nil` if nobody is.
    let progress: ProgressReporter?
    let log: CallLog
    /// Stands for this execution with servers that must not carry it out twice.
    let idempotencyKey: IdempotencyKey?
    /// What a host provider said when the call began.
    let provided = Mutex<Result<HTTPAddress, HTTPAddress.Fault>?>(nil)
    /// Tells calls apart.
    let id = Execution.counter.wrappingAdd(1, ordering: .relaxed).newValue
    /// The call as others see it while it is under way.
    let task: CallTask
    let start: Duration
    /// Lets the client's clock know for how long the call is under way.
    private let presence: (any CallPresence)?

    private static let counter = Atomic<UInt64>(0)

    /// - Parameter former: The run whose configuration holds for this one too.
    init(_ request: Request, behind former: Execution? = nil) {
        log = CallLog(tag: request.tag)
        client = request.client ?? .current
        task = CallTask(request, callID: id, client: client)
        start = client.clock.now
        isSignInAskedFor = former?.isSignInAskedFor ?? (request.options.isAuthenticated == true)
        idempotencyKey = request.options.idempotencyKey?.key
        snapshot = former?.snapshot ?? client.snapshot
        profile = snapshot.profile(for: request.tag)
        self.request = request.rule == nil ? request : request.merged(with: snapshot.settings.rules, profile)
        let observers = request.options.progressObservers
        progress = observers.isEmpty ? nil : ProgressReporter(observers, clock: client.clock)
        let envelope = request.options.envelope ?? profile.envelope
        self.envelope = request.options.unwrap.map(envelope.unwrapping) ?? envelope
        presence = client.clock.callBegins()
    }

    /// The same request, to the same place, once more: of this run nobody who waits for the former one is told.
    convenience init(behind former: Execution) {
        var request = former.request
        request.client = former.client
        request.options.progressObservers = []
        request.options.indicators = []
        request.options.control = nil
        self.init(request, behind: former)
        let host = former.provided.withLock { $0 }
        provided.withLock { $0 = host }
    }

    /// The method with which the request goes out.
    var method: HTTPMethod { request.method ?? (request.body == nil ? profile.defaultMethod ?? .get : .post) }

    /// Runs a part of the call, of which nothing that the tag hides is shown.
    func hiding<Value>(_ work: () async throws -> Value) async throws -> Value {
        guard let presence else { return try await redacting(work) }
        return try await CurrentCall.$presence.withValue(presence) { try await redacting(work) }
    }

    private func redacting<Value>(_ work: () async throws -> Value) async throws -> Value {
        guard let redaction = profile.redaction else { return try await work() }
        return try await Redaction.$ofCall.withValue(redaction, operation: work)
    }

    /// The media types that the call takes; `nil` if it takes all. What it asks for itself goes before what its tag takes.
    var acceptedTypes: AcceptedTypes? {
        request.options.acceptedTypes ?? (request.headers.set.contains("Accept") ? nil : profile.acceptedTypes)
    }

    /// What is wrong with the envelope, if anything is.
    var envelopeFault: (any Error)? { envelope.places.fault }
}
