extension Envelope {
    /// What most backends do: `errcode`, `code`, … beside `errmsg`, `msg`, `message`, … and `data`, `ret` or `result`; 0 and 200
    /// mean success. An object without such a code is taken as it is.
    public static let standard = Envelope(
        EnvelopeRules(
            codes: ["errcode", "code", "errorno", "errCode", "errno", "error_code"].map { .init(place: $0, isGuarded: $0 == "code") },
            flags: ["success"],
            messages: ["errmsg", "msg", "errormsg", "errMsg", "message", "error_description"],
            payloads: ["data", "ret", "result"],
            traceIDs: ["traceId", "trace_id", "requestId", "request_id"],
            successes: [0, 200, "0", "200"]
        ))

    /// Answers are not wrapped: the whole body is the payload, and the HTTP status alone says whether the call succeeded.
    public static let none = Envelope(EnvelopeRules())

    /// Problem details (RFC 9457), known by the media type `application/problem+json`: each is a failure, whatever its status. The
    /// code is an extension member `code`, else the `type`, else the HTTP status.
    public static let problemDetails = Envelope.none
        .mediaType("application/problem+json")
        .codes("code", "type")
        // What RFC 9457 §4.2.1 has for a problem that the status says all of, and so no code.
        .success("about:blank")
        .message("detail", "title")
        .traceID("traceId", "instance")
        .extras("type", "title", "status", "detail", "instance", "errors", "invalid-params")
        .changed { $0.isFailureByType = true }

    /// JSON:API: `data` is the payload, the first of `errors` says what went wrong.
    public static let jsonAPI = Envelope.none
        .codes("errors[0].code", "errors[0].status")
        .failure("errors")
        .message("errors[0].detail", "errors[0].title")
        .data("data")
        .traceID("errors[0].id")
        .missingPayload(.null)
        .extras("errors", "meta", "links", "included")

    /// Google's APIs: `error` with `status`, `code`, `message` and `details`. The whole body is the payload.
    ///
    /// The code is the word, such as `"NOT_FOUND"`: the number only repeats the HTTP status. `RetryInfo`, among the first ten
    /// details, says how long to wait.
    public static let google = Envelope.none
        .codes("error.status", "error.code")
        .failure("error")
        .message("error.message")
        .extras("error.details")
        .authentication("UNAUTHENTICATED")
        .retryable("UNAVAILABLE", "RESOURCE_EXHAUSTED")
        .validation("INVALID_ARGUMENT")
        .changed { $0.delays = (0..<10).map { "error.details[\($0)].retryDelay" } }

    /// GraphQL: `data` is the payload and `errors` is a failure, with or without one. See ``allowPartialPayload(_:)``.
    public static let graphQL = Envelope.none
        .codes("errors[0].extensions.code")
        .failure("errors")
        .message("errors[0].message")
        .data("data")
        .extras("errors", "extensions")

    /// JSON-RPC 2.0: `result` is the payload, which may be `null`; `error` has code, message and data.
    public static let jsonRPC = Envelope.none
        .codes("error.code")
        .failure("error")
        .message("error.message")
        .data("result")
        .missingPayload(.null)
        .extras("error.data")

    /// OAuth 2.0 (RFC 6749 §5.2): `error` and `error_description`. The whole body is the payload.
    public static let oauth = Envelope.none
        .codes("error")
        .failure("error")
        .message("error_description")
        .extras("error_uri")
        .authentication("invalid_token", "invalid_grant", "invalid_client", "login_required")
        .retryable("temporarily_unavailable", "slow_down")
}
