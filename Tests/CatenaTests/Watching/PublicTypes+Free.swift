extension PublicTypes {
    /// The public types that cannot hold a secret, by the reason.
    static let free: [String: [String]] = [
        "names itself": [
            "API", "API.Environment", "CredentialStore.Credential", "Authenticator.Credential", "Endpoint.BodyValue",
            "Endpoint.CacheValue", "Endpoint.HeadersValue", "OptionKey.Value", "Endpoint.MethodValue", "Endpoint.ParamsValue",
            "Endpoint.QueryValue",
            "Endpoint.Response", "Endpoint.RetryValue", "Endpoint.TagValue", "Endpoint.TimeoutValue", "BodyTransform", "BodySource.Element",
            "ByteStream.Element", "CachedValues.Element",
            "EventStream.Element", "EventValues.Element", "Items.Element", "JSONLineStream.Element", "LineStream.Element", "Pages.Element",
            "StreamedResponse.Element", "TransportBody.Element", "PayloadDecoders", "Interceptor.Body",
            "URLSessionTransport.ChallengeHandler", "RequestAccess",
        ],
        "protocol": [
            "ActivityPresenter", "Authenticator", "CredentialLock", "CredentialStore", "Endpoint", "EnvelopeAdapter",
            "EnvironmentStore", "HostProvider", "HostStore", "OptionKey", "ParameterEncoder", "ParameterValue", "PayloadDecoder",
            "RequestAuthentication", "RequestSigner", "RequestSteps", "ResponseFamily", "SharedStore", "Transport", "UnknownCaseDecodable",
        ],
        "one of a few words": [
            "APIError.Category", "APIError.Kind", "ActivityMessage.Priority", "CallEvent.Kind", "CallPriority", "CallTask.State",
            "CircuitBreakerPolicy.Scope", "CircuitBreakerStatus", "CommonHeaders", "CommonParams", "CurlConfiguration.TLSVersion",
            "Decoding.Leniency",
            "DiagnosticEvent.Kind", "Envelope.MissingCode", "Envelope.MissingPayload", "ExistingFile", "HTTPMethod", "HTTPVersion",
            "Interceptor.Position", "KeyCase", "LogDetail", "LoopbackServer.Security", "LoopbackServer.Security.Fault", "NetworkStatus",
            "NetworkStatus.Interface", "ParameterSigner.Digest",
            "ParameterSigner.Format", "ParameterSigner.Nesting", "ParameterSigner.Placement", "ParameterStyle.Arrays",
            "ParameterStyle.Booleans", "ParameterStyle.Bytes", "ParameterStyle.Dates", "ParameterStyle.EmptyCollections",
            "ParameterStyle.Nesting", "ParameterStyle.Nulls", "ParameterStyle.Order", "ParameterStyle.Slashes", "ParameterStyle.Spaces",
            "Recording.Mode", "ResponseFormat", "ResponseFreshness", "ResponseSource", "Rule.CachePolicy", "Rule.OfflinePolicy",
            "Rule.ResponseType",
            "RuleRegistry.ResponseFormat", "StageName", "TransferProgress.Direction", "UnfinishedEvent",
        ],
        "numbers, times and sizes": [
            "CachePolicy", "CallTimings", "CircuitBreakerPolicy", "ConcurrencyLimit", "LoopbackServer.Limits", "RateLimit", "Reconnection",
            "RefreshWindow",
            "RetryBudget", "RetryPolicy", "SeededRandom", "TransferProgress", "VirtualClock",
        ],
        "names of codes, headers, params, keys and places": [
            "Decoding", "Envelope", "ErrorCode", "ErrorMatcher", "HTTPHeaders.Name", "HostKey", "IdempotencyKey", "JSONShape",
            "JSONShape.Fault", "Paging", "ParameterStyle",
            "RecordingRules", "RequestKeyRules", "RuleOrigin", "Secrets", "Tag", "UnauthorizedRule", "Unwrap",
        ],
        "closures": [
            "CallGroup", "CallResult", "ErrorDecision", "ErrorHandler", "Interceptor", "LogSink", "LoopbackGate", "PromiseDiagnostics",
            "Registration",
            "Resolver",
            "TransferControl",
        ],
        "an algorithm": [
            "BasicAuthenticator", "BearerAuthenticator", "HeaderAuthenticator", "HeaderPairAuthenticator", "MessageDigest",
            "CursorPaging", "ParameterEncoding", "QueryAuthenticator", "RuleLint", "XMLParameterEncoder",
        ],
        "the device, or a place on it or in the app": [
            "ActiveCalls", "BaseParameters", "DefaultsEnvironmentStore", "DefaultsHostStore", "Device", "Environments",
            "FileCredentialStore", "LoopbackServer", "Reachability",
            "Recording", "ReportedReachability", "RuleRegistry", "Rules", "URLSessionTransport",
        ],
        "words that are redacted where they are made": [
            "CredentialStoreError", "CurlTransport.Failure", "CurlTransport.Unavailable", "LoopbackServer.StartError", "PromiseError",
            "RecordingError", "RuleFault",
            "RuleFaults", "SharedStoreError", "StubFailure",
        ],
        "words and errors that the app writes or handles": ["ActivityMessage", "PromiseDiagnostics.UnhandledError", "StubExpectation"],
        "values that others here have samples of": [
            "BodySource.Iterator", "ByteStream.Iterator", "CachedValues.Iterator", "EventStream.Iterator", "EventValues.Iterator",
            "Items.Iterator",
            "JSONLineStream.Iterator", "LineStream.Iterator", "LossyArray.Loss", "Pages.Iterator",
            "RequestState", "RequestState.Phase",
            "RuleTask",
            "StreamedResponse.Iterator", "Stub", "TransportBody.Iterator",
        ],
    ]
}
