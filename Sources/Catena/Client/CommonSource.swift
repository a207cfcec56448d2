/// Where what all calls have in common comes from: a closure that is asked for each attempt.
enum CommonSource<Value: Sendable>: Sendable {
    /// Gives its values at once, so that no call has to wait for it.
    case immediate(@Sendable (Tag?) throws -> Value)
    case awaited(@Sendable (Tag?) async throws -> Value)

    /// The values; a failure names the step.
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

    /// The values of a source that gives them at once; `nil` of one that has to be awaited.
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

extension Execution {
    /// Who is asked for common params of this call.
    var paramsSource: CommonSource<Params>? { takesCommonParams ? snapshot.settings.commonParams : nil }

    /// Who is asked for common headers of this call.
    var headersSource: CommonSource<HTTPHeaders>? {
        guard request.options.commonHeaders != CommonHeaders.none, takesCommonHeaders else { return nil }
        return snapshot.settings.commonHeaders
    }
}
