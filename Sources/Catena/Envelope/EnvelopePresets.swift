extension Envelope {
    /// The default, which finds the parts by the keys that most backends use.
    ///
    /// These are `errcode`, `code`, … beside `errmsg`, `msg`, `message`, … and `data`, `ret` or `result`; `success`, `status`, `error`. The
    /// guide to envelopes has the rules. An object that does not say whether the call succeeded passes as it is, and a body of type
    /// `application/problem+json` is read as ``problemDetails``.
    public static let standard = Envelope(EnvelopeRules.standard)

    /// No envelope: the whole body is the payload, and only the HTTP status says whether the call succeeded.
    public static let raw = Envelope(EnvelopeRules())

    /// Problem details (RFC 9457), known by the media type `application/problem+json`: each is a failure, whatever its status. The
    /// code is an extension member `code`, else a `type` that is no address, else the HTTP status.
    public static let problemDetails = Envelope(.problemDetails)

    /// JSON:API: `data` is the payload, the first of `errors` says what went wrong.
    public static let jsonAPI = Envelope.raw
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
    public static let google = Envelope.raw
        .codes("error.status", "error.code")
        .failure("error")
        .message("error.message")
        .extras("error.details")
        .authentication("UNAUTHENTICATED")
        .retryable("UNAVAILABLE", "RESOURCE_EXHAUSTED")
        .validation("INVALID_ARGUMENT")
        .changed { $0.delays = (0..<10).map { "error.details[\($0)].retryDelay" } }

    /// GraphQL: `data` is the payload and `errors` is a failure, with or without one. See ``allowPartialPayload(_:)``.
    public static let graphQL = Envelope.raw
        .codes("errors[0].extensions.code")
        .failure("errors")
        .message("errors[0].message")
        .data("data")
        .extras("errors", "extensions")

    /// JSON-RPC 2.0: `result` is the payload, which may be `null`; `error` has code, message and data.
    public static let jsonRPC = Envelope.raw
        .codes("error.code")
        .failure("error")
        .message("error.message")
        .data("result")
        .missingPayload(.null)
        .extras("error.data")

    /// OAuth 2.0 (RFC 6749 §5.2): `error` and `error_description`. The whole body is the payload.
    public static let oauth = Envelope.raw
        .codes("error")
        .failure("error")
        .message("error_description")
        .extras("error_uri")
        .authentication("invalid_token", "invalid_grant", "invalid_client", "login_required")
        .retryable("temporarily_unavailable", "slow_down")
}

// Backends whose envelope nobody could guess, each in a line: names and shapes are those of their public documentation.
extension Envelope {
    /// Alipay's gateway: `{"alipay_trade_query_response": {"code": "10000", …}, "sign": …}`, or `error_response`. The code of a failure is
    /// `sub_code`, which says what happened, else `code`.
    public static let alipay = Envelope.raw.codes("*_response.sub_code", "*_response.code").success("10000")
        .message("*_response.sub_msg", "*_response.msg").data("*_response")

    /// Taobao's gateway: `{"item_get_response": {…}}`, or `error_response` with `sub_code`, `code`, `sub_msg` and `msg`.
    public static let taobao = Envelope.raw.codes("error_response.sub_code", "error_response.code").failure("error_response")
        .message("error_response.sub_msg", "error_response.msg").data("*_response").traceID("error_response.request_id", "request_id")

    /// WeChat Pay, API v3: `code` and `message` with an error status; the whole body is the payload.
    public static let wechatPay = Envelope.raw.addCodes("code", guarded: true).success("SUCCESS").message("message").extras("detail")

    /// Tencent Cloud, API 3.0: `{"Response": {…, "RequestId": …}}`, with `Error` in it if the call failed.
    public static let tencentCloud = Envelope.raw.codes("Response.Error.Code").failure("Response.Error").message("Response.Error.Message")
        .data("Response").traceID("Response.RequestId")

    /// Alibaba Cloud: `Code` and `Message` if the call failed; the values beside `RequestId` are the payload, or what is at `Data`
    /// beside a code.
    public static let aliyun = Envelope.raw.addCodes("Code", guarded: true).success("OK", "Success", 200).addFlags("Success")
        .message("Message").data("Data").missingPayload(.body).traceID("RequestId")

    /// Douyin's open platform: `data` and `extra`, either with `error_code`; its mini programs: `err_no` beside `data`.
    public static let douyin = Envelope.raw.codes("err_no", "extra.error_code", "data.error_code").success(0)
        .message("err_tips", "err_msg", "extra.sub_description", "extra.description", "data.description", "message").data("data")
        .traceID("log_id", "extra.logid")

    /// Stripe: `error` with `code`, `type` and `message`; the whole body is the payload.
    public static let stripe = Envelope.raw.codes("error.code", "error.type").failure("error").message("error.message")
        .extras("error.decline_code", "error.param", "error.doc_url")

    /// Telegram's bot API: `ok` and `result`, or `error_code` and `description`. A flood is tried again after `retry_after`.
    public static let telegram = Envelope.raw.codes("error_code").flag("ok").message("description").data("result")
        .retryable(429).retryDelay("parameters.retry_after")

    /// Slack's web API: `ok` beside the values, or `error`, which is both code and message.
    public static let slack = Envelope.raw.codes("error").flag("ok").message("response_metadata.messages[0]", "error")
        .authentication("not_authed", "invalid_auth", "token_expired", "token_revoked").retryable("ratelimited")

    /// JSend: `status` is `success`, `fail` or `error`; `data` is the payload, `code` and `message` say what went wrong.
    public static let jsend = Envelope.raw.addCodes("code", guarded: true).success(0).message("message").data("data")
        .missingPayload(.null).changed { $0.words = ["status"] }
}

// Backends whose codes mean what no rule can know.
extension Envelope {
    /// The keys of xAPI in their order, for apps that come from it: `errcode`, `code`, `errorno`, `errCode`; `errmsg`, `msg`, `errormsg`,
    /// `errMsg`; `data`, `ret`.
    ///
    /// The first value that is not null counts. A code is the integer with which it begins, as `integerValue` reads it: `"12abc"` is 12, and
    /// text that begins with none is 0, which is a success. Any status of 2xx is a success.
    public static let xAPI = Envelope.raw.codes("errcode", "code", "errorno", "errCode").success(0, 200)
        .message("errmsg", "msg", "errormsg", "errMsg").data("data", "ret").missingPayload(.body).changed { $0.readsIntegers = true }

    /// Amap's web services: `status` 1 and `infocode` 10000, or `infocode` and `info` of a failure; version 5 has `errcode`. The whole body
    /// is the payload.
    public static let amap = Envelope.raw.codes("infocode", "errcode").success(10000).message("info", "errmsg")

    /// FastAdmin: `code` 1 is a success and 0 a failure, whose text is `msg`; `data` is the payload.
    public static let fastAdmin = Envelope.raw.addCodes("code", guarded: true).success(1).message("msg").data("data").missingPayload(.null)

    /// KuCoin: `code` `"200000"` is a success; `data` is the payload.
    public static let kuCoin = Envelope.raw.codes("code").success("200000").message("msg").data("data").missingPayload(.null)

    /// Huawei's push service: `code` `"80000000"` is a success; the whole body is the payload.
    public static let huaweiPush = Envelope.raw.codes("code").success("80000000").message("msg").traceID("requestId")

    /// Doudian's open platform: `code` 10000 is a success; `sub_msg` says more of a failure than `msg`; `data` is the payload.
    public static let doudian = Envelope.raw.codes("code").success(10000).message("sub_msg", "msg").data("data").traceID("log_id")
        .missingPayload(.null)

    /// vivo's push service: `result` 0 is a success, with `desc`; the whole body is the payload.
    public static let vivoPush = Envelope.raw.codes("result").success(0).message("desc").traceID("taskId", "requestId")

    /// InfluxDB, version 1: each of `results` may have an `error`, or the body has one. The whole body is the payload.
    public static let influx = Envelope.raw.failure(["error"] + (0..<10).map { "results[\($0)].error" })

    /// Nextcloud's OCS interfaces: `ocs.meta` with `statuscode` 100 or 200 and `message`; `ocs.data` is the payload.
    public static let nextcloud = Envelope.raw.codes("ocs.meta.statuscode").success(100, 200).message("ocs.meta.message").data("ocs.data")
        .missingPayload(.null)
}

extension Envelope {
    /// Something at these places is a failure, and its words.
    fileprivate func failure(_ places: [String]) -> Envelope {
        changed {
            $0.failures = places
            $0.messages = places
        }
    }
}
