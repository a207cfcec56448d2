/// Takes a call further on its way and brings back its response.
typealias Next = @Sendable (Call) async throws -> HTTPResponse

/// One of the stages through which a call goes.
protocol Stage: Sendable {
    var name: StageName { get }
    /// What ``Request/explain()`` says about it.
    var explanation: String { get }
    /// What it is called where it is shown what a call has waited for.
    var lane: String { get }

    func run(_ call: Call, next: @escaping Next) async throws -> HTTPResponse
}

extension Stage {
    var lane: String { name.name }
}

/// The stages of one call in running order, the first one outermost.
struct StageChain: Sendable {
    private let stages: [any Stage]
    private let last: Next

    init(_ stages: [any Stage], last: @escaping Next) {
        self.stages = stages
        self.last = last
    }

    func run(_ call: Call) async throws -> HTTPResponse {
        try await run(call, from: 0)
    }

    private func run(_ call: Call, from index: Int) async throws -> HTTPResponse {
        guard index < stages.count else { return try await last(call) }
        let stage = stages[index]
        guard let trace = call.execution.trace else { return try await stage.run(call) { try await run($0, from: index + 1) } }
        let work = StageWork(stage.lane, trace, call.client.clock)
        defer { work.rest() }
        return try await stage.run(call) { call in
            work.rest()
            defer { work.resume() }
            return try await run(call, from: index + 1)
        }
    }
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
