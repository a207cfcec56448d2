/// Lets identical calls that are under way at the same time share one answer.
struct DedupeStage: Stage {
    let flights: SingleFlight<RequestKey, HTTPResponse>

    var name: StageName { .cache }
    var explanation: String { "joins identical calls under way" }

    func run(_ call: Call, next: @escaping Next) async throws -> HTTPResponse {
        let request = call.prepared
        guard request.method == .get || request.method == .head, request.body == nil else { return try await next(call) }
        let key = RequestKey.sharing(
            request, tag: call.tag, identity: try call.execution.identity(), rules: call.profile.requestKeyRules)
        return try await flights.run(key) { try await next(call) }
    }
}
