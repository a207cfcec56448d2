/// A closure that provides the common params or headers of every attempt.
enum CommonSource<Value: Sendable>: Sendable {
    /// A closure that never waits, so that it needs no task.
    case plain(@Sendable (Tag?) throws -> Value)
    case waiting(@Sendable (Tag?) async throws -> Value)

    /// Returns the values. An error of the closure is reported with the name of the step.
    ///
    /// - Parameter stopper: Ends the wait for the closure.
    fileprivate func value(for run: CallRun, step: String, until stopper: CallStopper) async throws -> Value {
        let tag = run.request.tag
        do {
            switch self {
            case .plain(let source): return try source(tag)
            case .waiting(let source):
                if stopper === run.stopper { run.watchDeadline() }
                return try await stopper.run { try await source(tag) }
            }
        } catch {
            if stopper.isStopped { throw CancellationError() }
            throw APIError.failure(of: step, error)
        }
    }
}

extension CallRun {
    /// The source of this call's common params.
    private var paramsSource: CommonSource<Params>? { takesCommonParams ? snapshot.settings.commonParams : nil }

    /// The source of this call's common headers.
    private var headersSource: CommonSource<HTTPHeaders>? {
        guard configuration.commonHeaders != CommonHeaders.none, takesCommonHeaders else { return nil }
        return snapshot.settings.commonHeaders
    }

    /// Returns the values of the common closures that apply to the call.
    ///
    /// - Parameter stopper: The stopper of an attempt, if it is not that of the run.
    func commonValues(until stopper: CallStopper? = nil) async throws -> CommonValues {
        var common = CommonValues()
        let stopper = stopper ?? self.stopper
        if let paramsSource { common.params = try await paramsSource.value(for: self, step: "commonParams", until: stopper) }
        if let headersSource { common.headers = try await headersSource.value(for: self, step: "commonHeaders", until: stopper) }
        return common
    }
}

/// The params and headers that the common closures returned for one attempt.
struct CommonValues: Sendable {
    var params = Params()
    var headers = HTTPHeaders()
}
