// Reports of a call to developers without failing. Each report names the correction, and is made once for its subject.
extension Client {
    /// Reports an unconfigured tag, once. Tags without configuration are valid if the defaults have a host provider.
    func reportIfUnknown(_ tag: Tag, of run: CallRun) {
        // Only a tag without configuration has the profile of calls without a tag.
        guard run.profile === run.snapshot.untagged, !run.profile.hasHostProvider else { return }
        diagnostics.report(.unconfiguredTag, once: .tag(tag)) {
            let names = configuredTags
            let known = names.isEmpty ? "no tag is" : "configured are: " + names.joined(separator: ", ")
            return "The tag \"\(tag)\" is not configured, so the defaults apply; \(known)."
        }
    }

    /// Reports, once for each tag, that a call to another host omits what is bound to the host of its tag.
    func reportOmitted(from run: CallRun) {
        guard run.destination == .otherHost else { return }
        let omittedForOrigin = run.omittedForOrigin
        let request = run.request
        guard !omittedForOrigin.isEmpty else { return }
        diagnostics.report(.otherOrigin, once: .tag(request.tag)) {
            let origin = request.location.host.flatMap { try? HTTPAddress(parsing: $0) }?.origin ?? "a host of its own"
            return
                "\(run.callWords) goes to \(origin), which is not its usual host, so without \(omittedForOrigin.joined(separator: ", ")); "
                + "\(run.hostAdvice)commonParams(.query), commonHeaders(.merged) and authenticated() ask for them."
        }
    }

    /// Reports, once for each tag, that a response classified as a success looks like a failure.
    func report(_ suspected: SuspectedFailure, in run: CallRun) {
        diagnostics.report(.unrecognizedFailure, once: .tag(run.request.tag)) {
            "\(run.responseWords) passes for a success and looks like a failure. \(suspected.advice). It is said once for each tag."
        }
    }

    /// Reports, once for each tag, that a failure may be a success.
    func report(_ doubt: String, in run: CallRun) {
        diagnostics.report(.unrecognizedSuccess, once: .tag(run.request.tag)) {
            "\(run.responseWords) passes for a failure and may be a success. \(doubt) It is said once for each tag."
        }
    }

    /// Reports, once for each step and tag, the steps of a call that have no effect.
    func reportIneffectiveSteps(of run: CallRun) {
        // The values of a rule may be meant for other rules as well.
        guard run.request.hasOptions || run.profile.hasIdleCachePolicy, run.request.completion == nil else { return }
        for step in IneffectiveStep.all(of: run) { report(step, in: run) }
    }

    /// Reports, once for each step and tag, a step that has no effect.
    func report(_ step: IneffectiveStep, in run: CallRun) {
        diagnostics.report(.ineffectiveStep, once: .setting("\(step.name) \(run.request.tag?.name ?? "")")) {
            "\(run.callWords) has a step without effect. \(step.name): \(step.reason). It is said once for each step and tag."
        }
    }

    /// Reports that the server's value is missing after the cached one.
    func report(unrefreshed error: any Error, in run: CallRun) {
        // A handler has ended the failure silently.
        guard let error = error as? APIError else { return }
        diagnostics.report(
            .unrefreshedValue, "\(run.callWords) has given its cached value alone, because the server's is missing: \(error).")
    }

    /// Reports, once for each type, that a response has none of the keys that the type decodes.
    func reportNoKeys(of type: Any.Type, in run: CallRun) {
        diagnostics.report(.noKeysFound, once: .type(ObjectIdentifier(type))) {
            "\(run.responseWords) has none of the keys of \(type), whose members are nil therefore. Compare explain() with the type. "
                + "It is said once for each type."
        }
    }

    /// Reports that pages do not contain all items of a list, once per tag.
    func report(gap: String, of request: Request, isCounted: Bool) {
        diagnostics.report(.incompleteList, once: .tag(request.tag)) {
            let path = request.location.shownPath ?? request.location.absolute ?? "a list"
            let advice = isCounted ? "A backend that counts its pages from zero is asked with by: .number(from: 0). " : ""
            return "Of \(Redaction.standard.redact(place: path)) items \(isCounted ? "are" : "may be") missing: \(gap). "
                + "\(advice)It is said once for each tag."
        }
    }
}

extension CallRun {
    /// The step that makes the call's host that of its tag, if the tag has no host of its own.
    fileprivate var hostAdvice: String {
        guard let tag = request.tag, let host = request.location.host, profile.host == snapshot.untagged.host else { return "" }
        return
            "the tag has no host of its own, which API.configure(\"\(tag)\") { $0.host = \"\(Redaction.standard.redact(place: host))\" } sets; "
    }

    /// Whether the tag has a cache that outlasts the process, and the user has no id under which it could store anything.
    var storesNothing: Bool {
        guard let cache = profile.cache, cache.storage.isLasting, authentication != nil else { return false }
        return profile.authentication is TokenAuthentication || (try? identity().isLasting) == false
    }

    /// The beginning of a sentence about the call.
    fileprivate var callWords: String { request.tag.map { "A call with the tag \"\($0)\"" } ?? "A call" }
    /// The beginning of a sentence about a response to the call.
    fileprivate var responseWords: String { request.tag.map { "A response to a call with the tag \"\($0)\"" } ?? "A response" }
}

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
            } else if !run.method.isCacheable {
                steps.append(.init(name: "cache", reason: "only responses to GET and QUERY are cached, and this is a \(run.method)"))
            }
        }
        if profile.hasIdleCachePolicy {
            steps.append(
                .init(name: "cachePolicy", reason: "there is no cache; set one in the profile, such as .memory(limit: 10_000_000)"))
        }
        if request.options[\.isAuthenticated] == true, !profile.hasAuthentication {
            steps.append(.init(name: "authenticated", reason: "there is no sign-in; set authentication in the profile"))
        }
        if let retry = request.options[\.retry], retry.limit < 0 {
            steps.append(.init(name: "retry", reason: "the limit is \(retry.limit); 0 and less mean no retry"))
        }
        return steps
    }

    /// The cache of a call whose responses it must not store.
    static let unstoredCache = IneffectiveStep(
        name: "cache",
        reason: "it outlasts the process and stores nothing of a user without an id; give authentication an id, or use a cache in memory")

    /// The step of a policy that would end a wait when the network is back.
    static let unknownNetwork = IneffectiveStep(
        name: "whenOnline",
        reason: "this platform does not report its network; pass a Reachability, such as a ReportedReachability that the app updates")

    /// The params and headers whose values no two calls have in common.
    static func changing(_ params: [String], _ headers: [String]) -> IneffectiveStep {
        let rules = (params.isEmpty ? [] : ["volatileParams"]) + (headers.isEmpty ? [] : ["volatileHeaders"])
        return IneffectiveStep(
            name: "requestKeyRules",
            reason:
                "\((params + headers).joined(separator: ", ")) had another value in each of \(ChangingFields.leastValues) calls, so that no response "
                + "was found and no call joined; if the response does not depend on it, add it to the \(rules.joined(separator: " or "))")
    }

    /// A step that a stream, events and a download have no use for.
    static func transfer(_ name: String) -> IneffectiveStep {
        IneffectiveStep(name: name, reason: "a stream, events or a download are neither kept nor shared with other calls")
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
