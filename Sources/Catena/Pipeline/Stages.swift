/// The stages of a call, in running order: the only place that knows it.
///
/// deadline → before → prepare → start → cache → limits → retry → (common, from the second attempt on) → authentication → signing →
/// transport, which is guards, redirects, sending and the envelope
enum Stages {
    static func all(for execution: Execution) -> [any Stage] {
        var stages: [any Stage] = []
        let policy = execution.request.options.retry ?? execution.profile.retry
        if policy.limit > 0 { stages.append(RetryStage(policy: policy)) }
        let interceptors = execution.interceptors
        if interceptors.isEmpty { return stages }
        let own = stages.map { (order: $0.name.order * 3, stage: $0) }
        let users = interceptors.map { (order: $0.position.order, stage: InterceptorStage(interceptor: $0) as any Stage) }
        // Stable, so that interceptors in the same place run in the order in which they were added.
        return (own + users).enumerated().sorted { ($0.element.order, $0.offset) < ($1.element.order, $1.offset) }.map(\.element.stage)
    }
}

extension Execution {
    /// The client's interceptors, then the tag's, then the call's own.
    var interceptors: [Interceptor] {
        let settings = snapshot.settings
        if settings.interceptors.isEmpty, profile.interceptors.isEmpty, request.options.interceptors.isEmpty { return [] }
        return settings.interceptors + profile.interceptors + request.options.interceptors
    }
}
