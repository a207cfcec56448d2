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
