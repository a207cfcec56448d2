/// Runs the stages that follow and returns their response.
typealias Next = @Sendable (Call) async throws -> HTTPResponse

/// The result of entering a stage.
enum StageEntry {
    /// The stage has prepared the request.
    case passed
    /// The stage has to wait, so the chain runs it in a task of the call's own.
    case waits
}

/// One of the stages of a call.
///
/// A call enters its stages in order, without waiting. If all have passed, the request is sent at once. If one has to wait, or a stage
/// that has passed handles a failure of sending, the same stages run as a chain.
///
/// All calls of a tag share a stage, so a stage stores the state of one call in the ``Call``.
protocol Stage: Sendable {
    var name: StageName { get }
    /// The line of ``Request/explain()`` about the stage.
    var explanation: String { get }
    /// The name of the stage in a trace, where the time that a call spent in it is shown.
    var title: String { get }

    /// Prepares the request without waiting, or returns that the stage has to wait. By default it waits, so that the chain runs the stage.
    func enter(_ call: inout Call) throws -> StageEntry

    /// Returns whether the chain takes over an attempt that has failed with this error. By default it does not.
    func handles(_ error: any Error, of call: Call) -> Bool

    /// Ends what `enter` began: once for each stage that has passed, in reverse order, however the call ends, and also if a later `enter`
    /// throws. For a stream it is called at the end of the body. If `run` has taken over, it ends that work itself.
    func leave(_ call: Call, _ outcome: Result<HTTPResponse, any Error>)

    /// Runs the stages that follow, any number of times, and returns the response.
    ///
    /// - Parameter hasEntered: Whether `enter` has passed this call, which then is in the state that `enter` left.
    func run(_ call: Call, hasEntered: Bool, next: @escaping Next) async throws -> HTTPResponse
}

extension Stage {
    var title: String { name.name }

    func enter(_ call: inout Call) throws -> StageEntry { .waits }

    func handles(_ error: any Error, of call: Call) -> Bool { false }

    func leave(_ call: Call, _ outcome: Result<HTTPResponse, any Error>) {}
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
        let start = start.withLock { start in
            defer { start = nil }
            return start
        }
        guard let start else { return }
        let now = clock.now
        // Stages that only pass the call on are not worth a span.
        if now - start >= .microseconds(20) { inspected.note(name, from: start, to: now) }
    }

    func resume() {
        let now = clock.now
        start.withLock { $0 = now }
    }
}
