/// The walk of one call through its stages. Enters the stages in the caller's task as long as none has to wait, and otherwise runs them as a
/// chain.
///
/// A class, because a call may end between entering and the chain: `deinit` then leaves the stages that the call has entered.
final class StageWalk: Sendable {
    private struct State {
        /// For each stage that has passed, the call as the stage left it. An entry is removed when `run` takes over or the stage is left.
        var passed: ArraySlice<Call> = []
        /// The failure of a later `enter`, or of sending, for the chain to handle.
        var failure: (any Error)?
        /// The index of the next stage while the chain repeats the way of the entered call, or `nil` afterwards.
        var next: Int?
    }

    private let stages: [any Stage]
    private let state = Mutex(State())

    init(_ stages: [any Stage]) {
        self.stages = stages
    }

    deinit { leave(.failure(CancellationError())) }

    /// Enters the stages. Returns the call to send, or `nil` if a stage has to wait.
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

    /// Returns whether the chain handles this failure.
    func takesOver(_ error: any Error) -> Bool {
        let passed = state.withLock { $0.passed }
        guard zip(stages, passed).contains(where: { stage, call in stage.handles(error, of: call) }) else { return false }
        state.withLock { $0.failure = error }
        return true
    }

    /// Ends what the passed stages have begun, in reverse order.
    func leave(_ outcome: Result<HTTPResponse, any Error>) {
        let passed = state.withLock { state in
            defer { state.passed = [] }
            return state.passed
        }
        for index in passed.indices.reversed() { stages[index].leave(passed[index], outcome) }
    }

    /// Runs the stages as a chain, the first one outermost. Passes `hasEntered` once to each stage that
    /// has passed, and throws the failure where it occurred.
    func run(_ call: Call, last: @escaping Next) async throws -> HTTPResponse {
        state.withLock { $0.next = 0 }
        do {
            let response = try await run(call, from: 0, last)
            leave(.success(response))
            return response
        } catch {
            // Leaves the stages that an outer stage has not run.
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
        guard let inspected = call.run.inspected else {
            return try await stage.run(call, hasEntered: hasEntered) { try await self.run($0, from: index + 1, last) }
        }
        let work = StageWork(stage.title, inspected, call.client.clock)
        defer { work.rest() }
        return try await stage.run(call, hasEntered: hasEntered) { call in
            work.rest()
            defer { work.resume() }
            return try await self.run(call, from: index + 1, last)
        }
    }

    private enum Step {
        /// The call reaches the stage for the first time in this attempt.
        case new
        /// The stage has passed the call, and left it in this state.
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
