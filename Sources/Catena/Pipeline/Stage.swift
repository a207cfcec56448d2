/// Takes a call further on its way and brings back its answer.
typealias Next = @Sendable (Call) async throws -> HTTPResponse

/// One of the stages through which a call goes.
protocol Stage: Sendable {
    var name: StageName { get }
    /// What ``Request/explain()`` says about it.
    var explanation: String { get }

    func run(_ call: Call, next: @escaping Next) async throws -> HTTPResponse
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
        return try await stages[index].run(call) { try await run($0, from: index + 1) }
    }
}
