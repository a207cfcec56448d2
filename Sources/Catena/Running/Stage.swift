/// The way in which an attempt receives its response: as a whole, as a stream or as a file.
protocol AttemptMode: Sendable {
    /// The requirements for sharing the response with other calls, or `nil` if it cannot be shared.
    var sharing: SharingRequirement? { get }

    /// Receives the response to the request of an attempt.
    func run(_ call: Call) async throws -> HTTPResponse

    /// Checks the request that the stages have prepared, sends it and notifies the observers.
    func send(_ call: Call) async throws -> HTTPResponse
}

/// Runs the stages that follow, and then sends the request.
struct Next: Sendable {
    private let stages: [any Stage]
    private let index: Int
    private let mode: any AttemptMode
    /// Whether a page of the inspector shows the time that each stage takes itself. Stored, because reading it from a call may copy all members.
    private let isMeasured: Bool
    /// The work of the stage before, which rests while the following stages run. `nil` if it is not measured.
    private let work: StageWork?

    /// Runs all stages of a call.
    init(_ stages: [any Stage], _ mode: any AttemptMode, of run: CallRun) {
        // A single stage is `RepeatStage`, which only acts after a failure.
        (self.stages, self.mode, isMeasured) = (stages, mode, run.inspected != nil && stages.count > 1)
        (index, work) = (0, nil)
    }

    private init(following former: Next, after work: StageWork? = nil) {
        (stages, mode, isMeasured) = (former.stages, former.mode, former.isMeasured)
        (index, self.work) = (former.index + 1, work)
    }

    // Inlined, because each async function costs a frame and two changes of the executor.
    @inline(__always)
    func callAsFunction(_ call: Call) async throws -> HTTPResponse {
        if isMeasured { return try await measured(call) }
        guard index < stages.count else { return try await mode.send(call) }
        return try await stages[index].run(call, Next(following: self))
    }

    /// Runs the next stage and notes the time that it takes itself.
    @inline(never)
    private func measured(_ call: Call) async throws -> HTTPResponse {
        work?.rest()
        defer { work?.resume() }
        guard index < stages.count else { return try await mode.send(call) }
        let stage = stages[index]
        let own = call.run.inspected.map { StageWork(stage.title, $0, call.client.clock) }
        defer { own?.rest() }
        return try await stage.run(call, Next(following: self, after: own))
    }
}

/// One of the stages of a call.
///
/// All calls of a tag share a stage, so a stage stores the state of one call in variables of `run` or in the ``Call``.
protocol Stage: Sendable {
    var name: StageName { get }
    /// The line of ``Request/explain()`` about the stage.
    var explanation: String { get }
    /// The name of the stage in a trace, where the time that a call spent in it is shown.
    var title: String { get }

    /// Sends the call on with `next`, any number of times, and returns the response.
    ///
    /// It runs in the task that awaits the call. What may take its time is awaited with ``Call/wait(for:)``.
    ///
    /// Stages inline it into the witness of this requirement, which would otherwise be a second async function with a frame of its own.
    func run(_ call: Call, _ next: Next) async throws -> HTTPResponse
}

extension Stage {
    var title: String { name.name }
}

/// A stage of a call, relative to which interceptors are placed.
///
/// In running order: ``start``, ``cache``, ``limits``, ``retry``, ``authentication``, ``signing``, ``transport``.
public struct StageName: Hashable, Sendable, CustomStringConvertible {
    /// The name of the stage.
    public let name: String
    /// Stages with higher numbers run later, nearer to the transport.
    let order: Int

    /// The whole call with its waits and all its attempts.
    public static let start = StageName(name: "start", order: 0)
    /// Joining identical active calls, and using stored responses.
    public static let cache = StageName(name: "cache", order: 1)
    /// The circuit breaker, and the limits of rate and concurrency.
    public static let limits = StageName(name: "limits", order: 2)
    /// The attempts, one after the other.
    public static let retry = StageName(name: "retry", order: 3)
    /// Credentials, and a second send after they have been refreshed.
    public static let authentication = StageName(name: "authentication", order: 4)
    /// Signatures, after everything else has been merged.
    public static let signing = StageName(name: "signing", order: 5)
    /// Sending, redirects and reading the envelope.
    public static let transport = StageName(name: "transport", order: 6)

    public var description: String { name }

    public static func == (left: StageName, right: StageName) -> Bool { left.order == right.order }

    public func hash(into hasher: inout Hasher) { hasher.combine(order) }
}

/// Measures the time that a stage takes itself, without the stages that follow it.
final class StageWork: Sendable {
    private let name: String
    private let inspected: InspectedCall
    private let clock: any TimerClock
    /// The start of the stage's own work, or `nil` while the stages that follow run.
    private let start: Mutex<Duration?>

    init(_ name: String, _ inspected: InspectedCall, _ clock: any TimerClock) {
        (self.name, self.inspected, self.clock) = (name, inspected, clock)
        start = Mutex(clock.now)
    }

    func rest() {
        guard let start = start.withLock({ $0.take() }) else { return }
        let now = clock.now
        // Stages that only pass the call on are not worth a span.
        if now - start >= .microseconds(20) { inspected.note(name, from: start, to: now) }
    }

    func resume() {
        let now = clock.now
        start.withLock { $0 = now }
    }
}
