/// The way of one call through its stages: it enters them at once, as far as none has to wait, and runs them as a chain otherwise.
///
/// An object, since a call may end between its entering and its chain: what stages have begun for it is given back when nobody holds the walk.
final class StageWalk: Sendable {
    private struct State {
        /// The call as each stage has left it that has passed, and that neither `run` has taken over nor has been left.
        var passed: ArraySlice<Call> = []
        /// The failure of a later `enter`, or of the sending, which the chain takes over.
        var failure: (any Error)?
        /// The index of the stage that comes next while the chain goes the way of the call that has entered; `nil` once it has been gone.
        var next: Int?
    }

    private let stages: [any Stage]
    private let state = Mutex(State())

    init(_ stages: [any Stage]) {
        self.stages = stages
    }

    deinit { leave(.failure(CancellationError())) }

    /// Enters the stages; gives the call as it is to be sent, or `nil` where one has to wait.
    func enter(_ call: Call) throws -> Call? {
        var call = call
        var passed: [Call] = []
        passed.reserveCapacity(stages.count)
        defer { state.withLock { $0.passed = passed[...] } }
        for stage in stages {
            guard try stage.enter(&call) == .passed else { return nil }
            passed.append(call)
        }
        return call
    }

    /// Whether the chain is to take over what has failed so.
    func takesOver(_ error: any Error) -> Bool {
        let passed = state.withLock { $0.passed }
        guard zip(stages, passed).contains(where: { stage, call in stage.handles(error, of: call) }) else { return false }
        state.withLock { $0.failure = error }
        return true
    }

    /// Ends what the stages have begun that have passed, the last one first.
    func leave(_ outcome: Result<HTTPResponse, any Error>) {
        let passed = state.withLock { state in
            defer { state.passed = [] }
            return state.passed
        }
        for index in passed.indices.reversed() { stages[index].leave(passed[index], outcome) }
    }

    /// Runs the stages as a chain, the first one outermost. Those that have passed learn it once, and the failure is given back where it happened.
    func run(_ call: Call, last: @escaping Next) async throws -> HTTPResponse {
        state.withLock { $0.next = 0 }
        do {
            let response = try await run(call, from: 0, last)
            leave(.success(response))
            return response
        } catch {
            // What an outer stage has kept from being run.
            leave(.failure(error))
            throw error
        }
    }

    private func run(_ call: Call, from index: Int, _ last: @escaping Next) async throws -> HTTPResponse {
        var (call, hasEntered) = (call, false)
        switch step(to: index) {
        case .new: break
        case .passed(let entered): (call, hasEntered) = (entered, true)
        case .failed(let error): throw error
        }
        guard index < stages.count else { return try await last(call) }
        let stage = stages[index]
        guard let trace = call.execution.trace else {
            return try await stage.run(call, hasEntered: hasEntered) { try await self.run($0, from: index + 1, last) }
        }
        let work = StageWork(stage.lane, trace, call.client.clock)
        defer { work.rest() }
        return try await stage.run(call, hasEntered: hasEntered) { call in
            work.rest()
            defer { work.resume() }
            return try await self.run(call, from: index + 1, last)
        }
    }

    private enum Step {
        /// The call comes to the stage for the first time in this attempt.
        case new
        /// The stage has passed the call, and left it so.
        case passed(Call)
        case failed(any Error)
    }

    private func step(to index: Int) -> Step {
        state.withLock { state in
            guard state.next == index else { return .new }
            if let call = state.passed.popFirst() {
                state.next = index + 1
                return .passed(call)
            }
            state.next = nil
            return state.failure.take().map { .failed($0) } ?? .new
        }
    }
}
