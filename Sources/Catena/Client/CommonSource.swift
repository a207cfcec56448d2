/// A closure that provides the common params or headers of every attempt.
enum CommonSource<Value: Sendable>: Sendable {
    /// Returns its values without awaiting, so that no call has to wait for them.
    case immediate(@Sendable (Tag?) throws -> Value)
    case awaited(@Sendable (Tag?) async throws -> Value)

    /// Returns the values. An error of the closure is reported with the name of the step.
    func value(_ tag: Tag?, step: String) async throws -> Value {
        do {
            return switch self {
            case .immediate(let source): try source(tag)
            case .awaited(let source): try await source(tag)
            }
        } catch {
            throw APIError.failure(of: step, error)
        }
    }

    /// Returns the values of an immediate source, or `nil` for one that has to be awaited.
    func immediateValue(_ tag: Tag?, step: String) throws -> Value? {
        guard case .immediate(let source) = self else { return nil }
        do {
            return try source(tag)
        } catch {
            throw APIError.failure(of: step, error)
        }
    }

    var isImmediate: Bool {
        if case .immediate = self { true } else { false }
    }
}

extension CallRun {
    /// The source of this call's common params.
    var paramsSource: CommonSource<Params>? { takesCommonParams ? snapshot.settings.commonParams : nil }

    /// The source of this call's common headers.
    var headersSource: CommonSource<HTTPHeaders>? {
        guard configuration.commonHeaders != CommonHeaders.none, takesCommonHeaders else { return nil }
        return snapshot.settings.commonHeaders
    }
}

/// The params and headers that the common closures returned for one attempt.
struct CommonValues: Sendable {
    var params = Params()
    var headers = HTTPHeaders()
}

extension CommonValues {
    /// Returns the values of the closures that apply to a call.
    static func asked(for run: CallRun) async throws -> CommonValues {
        var common = CommonValues()
        let tag = run.request.tag
        if let source = run.paramsSource { common.params = try await source.value(tag, step: "commonParams") }
        if let source = run.headersSource { common.headers = try await source.value(tag, step: "commonHeaders") }
        return common
    }
}
