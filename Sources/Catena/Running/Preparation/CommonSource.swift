/// A closure that provides the common params or headers of every attempt.
final class CommonSource<Value: Sendable>: Sendable {
    enum Closure: Sendable {
        /// A closure that never waits, so that it needs no task.
        case plain(@Sendable (Tag?) throws -> Value)
        case waiting(@Sendable (Tag?) async throws -> Value)
    }

    private let closure: Closure
    private let step: String
    /// The identity of the closure, which a stub scope shares with the client whose configuration it has.
    private let identity: AppClosure
    /// The mark that all runs of a plain closure share, because most calls have one or two.
    private let mark: ClosureScope.Mark

    /// - Parameters:
    ///   - step: The step that sets the closure.
    ///   - name: The name of the step for errors.
    init(_ step: AppClosure.Step, _ name: String, _ closure: Closure) {
        (self.closure, self.step) = (closure, name)
        identity = AppClosure(step)
        mark = ClosureScope.Mark(identity)
    }

    /// Returns the values of a closure that does not wait, or `nil` if it may wait.
    fileprivate func plainValue(for run: CallRun, until stopper: CallStopper) throws -> Value? {
        guard case .plain(let source) = closure else { return nil }
        do {
            return try ClosureScope.runPlain(mark, within: run.within) { try source(run.request.tag) }
        } catch {
            throw failure(error, stopper)
        }
    }

    /// Returns the values.
    ///
    /// - Parameters:
    ///   - stopper: Ends the wait for the closure.
    ///   - time: The time that the closures of the attempt have taken, to which that of this one is added.
    fileprivate func value(for run: CallRun, until stopper: CallStopper, adding time: inout Duration) async throws -> Value {
        let tag = run.request.tag
        do {
            return try await run.wait(for: step, until: stopper, adding: &time) { [closure, identity] in
                try await ClosureScope.run(identity, within: run.within) {
                    switch closure {
                    case .plain(let source): try source(tag)
                    case .waiting(let source): try await source(tag)
                    }
                }
            }
        } catch {
            throw failure(error, stopper)
        }
    }

    /// Returns an error of the closure with the name of the step.
    private func failure(_ error: any Error, _ stopper: CallStopper) -> any Error {
        error.isCancellation && stopper.isStopped ? CancellationError() : APIError.failure(of: step, error)
    }

    /// Returns the source for a call, or `nil` if the call began in its closure.
    fileprivate func source(for run: CallRun) -> CommonSource? {
        run.isWithinClosure && run.isWithin(identity) ? nil : self
    }
}

extension CallRun {
    /// The source of this call's common params.
    private var paramsSource: CommonSource<Params>? {
        takesCommonParams ? snapshot.settings.commonParams?.source(for: self) : nil
    }

    /// The source of this call's common headers.
    private var headersSource: CommonSource<HTTPHeaders>? {
        guard configuration.commonHeaders != CommonHeaders.none, takesCommonHeaders else { return nil }
        return snapshot.settings.commonHeaders?.source(for: self)
    }

    /// Returns the values of the common closures that apply to the call.
    ///
    /// - Parameters:
    ///   - stopper: The stopper of an attempt, if it is not that of the run.
    ///   - time: The time that other closures of the attempt have taken.
    @inline(__always)
    func commonValues(until stopper: CallStopper? = nil, after time: Duration = .zero) async throws -> CommonValues {
        var (params, headers, time) = (Params(), HTTPHeaders(), time)
        let stopper = stopper ?? self.stopper
        // Closures that do not wait run here, because each async function costs a frame.
        if let source = paramsSource {
            if let plain = try source.plainValue(for: self, until: stopper) {
                params = plain
            } else {
                params = try await source.value(for: self, until: stopper, adding: &time)
            }
        }
        if let source = headersSource {
            if let plain = try source.plainValue(for: self, until: stopper) {
                headers = plain
            } else {
                headers = try await source.value(for: self, until: stopper, adding: &time)
            }
        }
        return CommonValues(params: params, headers: headers, time: time)
    }
}

/// The params and headers that the common closures returned for one attempt.
struct CommonValues: Sendable {
    var params = Params()
    var headers = HTTPHeaders()
    /// The time that the closures of the attempt have taken, which its timeout includes.
    var time = Duration.zero
}
