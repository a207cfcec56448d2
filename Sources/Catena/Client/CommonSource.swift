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

    /// Returns the values. An error of the closure is reported with the name of the step.
    ///
    /// - Parameters:
    ///   - stopper: Ends the wait for the closure.
    ///   - time: The time that the closures of the attempt have taken, to which that of this one is added.
    fileprivate func value(for run: CallRun, until stopper: CallStopper, adding time: inout Duration) async throws -> Value {
        let tag = run.request.tag
        do {
            switch closure {
            case .plain(let source): return try ClosureScope.runPlain(mark, within: run.within) { try source(tag) }
            case .waiting(let source):
                return try await run.wait(for: step, until: stopper, adding: &time) { [identity] in
                    try await ClosureScope.run(identity, within: run.within) { try await source(tag) }
                }
            }
        } catch {
            if error.isCancellation, stopper.isStopped { throw CancellationError() }
            throw APIError.failure(of: step, error)
        }
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
        var common = CommonValues()
        common.time = time
        let stopper = stopper ?? self.stopper
        if let paramsSource { common.params = try await paramsSource.value(for: self, until: stopper, adding: &common.time) }
        if let headersSource { common.headers = try await headersSource.value(for: self, until: stopper, adding: &common.time) }
        return common
    }
}

/// The params and headers that the common closures returned for one attempt.
struct CommonValues: Sendable {
    var params = Params()
    var headers = HTTPHeaders()
    /// The time that the closures of the attempt have taken, which its timeout includes.
    var time = Duration.zero
}
