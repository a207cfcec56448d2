/// The params and headers that the common closures returned for one attempt.
struct CommonValues: Sendable {
    var params = Params()
    var headers = HTTPHeaders()
}

extension CommonValues {
    /// Returns the values of the closures that apply to a call.
    static func asked(for execution: Execution) async throws -> CommonValues {
        var common = CommonValues()
        let tag = execution.request.tag
        if let source = execution.paramsSource { common.params = try await source.value(tag, step: "commonParams") }
        if let source = execution.headersSource { common.headers = try await source.value(tag, step: "commonHeaders") }
        return common
    }
}
