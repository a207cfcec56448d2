extension Execution {
    /// Starts the call, or another part of it, and lists it among those under way until it ends.
    func promise<Value: Sendable>(
        _ file: StaticString = #fileID,
        _ line: UInt = #line,
        _ work: @escaping @Sendable () async throws -> Value
    ) -> Promise<Value> {
        let core = PromiseCore(origin: PromiseDiagnostics.origin(file, line))
        let call = task
        call.begin(core)
        let running = Task {
            // What is cancelled before it began is not begun.
            guard core.isPending else { return }
            var outcome = Outcome.cancelled
            do {
                outcome = .fulfilled(with: try await hiding(work))
            } catch {
                outcome = .rejected(error)
            }
            // Before the promise is settled, so that handlers do not find their own call under way.
            call.end(core, as: outcome.kind == .cancelled ? .cancelled : .completed)
            core.settle(outcome)
        }
        core.whenCancelled {
            call.end(core, as: .cancelled)
            running.cancel()
        }
        return Promise(core: core)
    }
}
