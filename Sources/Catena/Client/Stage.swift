/// Takes a call further on its way and brings back its response.
typealias Next = @Sendable (Call) async throws -> HTTPResponse

/// The answer of a stage to a call that enters it.
enum StageEntry {
    /// The stage has done its part of the request.
    case passed
    /// The stage has to wait for something: the chain runs it, in a task of the call's own.
    case waits
}

/// One of the stages through which a call goes.
///
/// A call enters its stages one after the other, without waiting. If all have passed, it is sent at once. If one waits, or a stage that has
/// passed handles the failure of the sending, the same stages run as a chain.
///
/// All calls of a tag share a stage: a stage keeps in the ``Call`` what it has to know of one.
protocol Stage: Sendable {
    var name: StageName { get }
    /// The line of ``Request/explain()`` about it.
    var explanation: String { get }
    /// Its name where it is shown what a call has waited for.
    var lane: String { get }

    /// Does the stage's part of the request without waiting, or says that it has to wait. By default it waits, so that a stage always runs.
    func enter(_ call: inout Call) throws -> StageEntry

    /// Whether the chain takes over an attempt that has failed so. By default it does not.
    func handles(_ error: any Error, of call: Call) -> Bool

    /// Ends what `enter` began: once for each stage that has passed, the last one first, however the call ends, and where the `enter` of a later
    /// stage throws. A stream ends with its body. Where `run` has taken over, it ends that itself.
    func leave(_ call: Call, _ outcome: Result<HTTPResponse, any Error>)

    /// Takes the call further, as often as the stage likes.
    ///
    /// - Parameter hasEntered: Whether `enter` has passed this call already, which is given as `enter` left it.
    func run(_ call: Call, hasEntered: Bool, next: @escaping Next) async throws -> HTTPResponse
}

extension Stage {
    var lane: String { name.name }

    func enter(_ call: inout Call) throws -> StageEntry { .waits }

    func handles(_ error: any Error, of call: Call) -> Bool { false }

    func leave(_ call: Call, _ outcome: Result<HTTPResponse, any Error>) {}
}

/// A part of the way that a call goes, by which interceptors say where they stand.
///
/// In running order: ``start``, ``cache``, ``limits``, ``retry``, ``authentication``, ``signing``, ``transport``.
public struct StageName: Hashable, Sendable, CustomStringConvertible {
    /// The name of the stage.
    public let name: String
    /// Stages with higher numbers run later, nearer to the transport.
    let order: Int

    /// The whole call, with its waits and all its attempts.
    public static let start = StageName(name: "start", order: 0)
    /// Joining identical calls that are running, and responses that are kept.
    public static let cache = StageName(name: "cache", order: 1)
    /// Circuit breaker, rate and concurrency.
    public static let limits = StageName(name: "limits", order: 2)
    /// One attempt after the other.
    public static let retry = StageName(name: "retry", order: 3)
    /// Credentials, and a second sending after they have been refreshed.
    public static let authentication = StageName(name: "authentication", order: 4)
    /// Signatures, after everything else has been merged.
    public static let signing = StageName(name: "signing", order: 5)
    /// Sending, redirects and the reading of the envelope.
    public static let transport = StageName(name: "transport", order: 6)

    public var description: String { name }

    public static func == (left: StageName, right: StageName) -> Bool { left.order == right.order }

    public func hash(into hasher: inout Hasher) { hasher.combine(order) }
}
