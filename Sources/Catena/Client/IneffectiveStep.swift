/// A step of a request that has no effect, and the reason.
struct IneffectiveStep: Sendable, Equatable {
    /// The step, such as `cache`.
    let name: String
    let reason: String

    /// The steps of a call that have no effect.
    static func all(of run: CallRun) -> [IneffectiveStep] {
        let (request, profile) = (run.request, run.profile)
        var steps: [IneffectiveStep] = []
        if let policy = request.options[\.cachePolicy], policy != .never {
            if !profile.hasCache {
                steps.append(.init(name: "cache", reason: "there is no cache; set one in the profile, such as .memory(limit: 10_000_000)"))
            } else if run.method != .get {
                steps.append(.init(name: "cache", reason: "only responses to GET are cached, and this is a \(run.method)"))
            }
        }
        if request.options[\.isAuthenticated] == true, !profile.hasAuthentication {
            steps.append(.init(name: "authenticated", reason: "there is no sign-in; set authentication in the profile"))
        }
        if let retry = request.options[\.retry], retry.limit < 0 {
            steps.append(.init(name: "retry", reason: "the limit is \(retry.limit); 0 and less mean no retry"))
        }
        return steps
    }

    /// The step of a call that failed in a way that the policy retries, but not with this method.
    static func retry(_ method: HTTPMethod) -> IneffectiveStep {
        IneffectiveStep(
            name: "retry",
            reason:
                "a \(method) is retried only with an idempotencyKey, or if the policy's methods name it, because it may have been carried out"
        )
    }
}
