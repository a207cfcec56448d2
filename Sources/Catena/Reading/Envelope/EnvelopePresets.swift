extension Envelope {
    /// The default envelope, which finds the parts by the keys that most backends use.
    ///
    /// The keys include `errcode` and `code`; `errmsg`, `msg` and `message`; `data`, `ret` and `result`; `success`, `status` and `error`. The guide
    /// to envelopes lists the rules. An object without a sign of success or failure passes unchanged. A body of type `application/problem+json` is
    /// read as ``problemDetails``.
    public static let standard = Envelope(EnvelopeRules.standard)

    /// No envelope: the whole body is the payload, and only the HTTP status determines success.
    public static let raw = Envelope(EnvelopeRules())

    /// Problem details (RFC 9457), recognized by the media type `application/problem+json`. Each is a failure, whatever its status. The code is an
    /// extension member `code`, otherwise a `type` that is not a URL, otherwise the HTTP status.
    public static let problemDetails = Envelope(.problemDetails)

    /// JSON:API: `data` is the payload, and the first of `errors` describes a failure.
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
    /// The code is a string such as `"NOT_FOUND"`, because the number only repeats the HTTP status. A `RetryInfo` among the first ten details
    /// determines the wait before a retry.
    public static let google = Envelope.raw
        .codes("error.status", "error.code")
        .failure("error")
        .message("error.message")
        .extras("error.details")
        .authentication("UNAUTHENTICATED")
        .retryable("UNAVAILABLE", "RESOURCE_EXHAUSTED")
        .validation("INVALID_ARGUMENT")
        .changed { $0.delays = (0..<10).map { "error.details[\($0)].retryDelay" } }

    /// GraphQL: `data` is the payload. `errors` means failure, even beside a payload; see ``allowPartialPayload(_:)``.
    public static let graphQL = Envelope.raw
        .codes("errors[0].extensions.code")
        .failure("errors")
        .message("errors[0].message")
        .data("data")
        .extras("errors", "extensions")
        .authentication("UNAUTHENTICATED")

    /// JSON-RPC 2.0: `result` is the payload, which may be `null`. `error` contains code, message and data.
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

// Backends whose envelopes cannot be guessed. Names and shapes follow their public documentation.
extension Envelope {
    /// Alipay's gateway: `{"alipay_trade_query_response": {"code": "10000", …}, "sign": …}`, or `error_response`. The code of a failure is the more
    /// specific `sub_code`, otherwise `code`.
    public static let alipay = Envelope.raw.codes("*_response.sub_code", "*_response.code").success("10000")
        .message("*_response.sub_msg", "*_response.msg").data("*_response")

    /// Taobao's gateway: `{"item_get_response": {…}}`, or `error_response` with `sub_code`, `code`, `sub_msg` and `msg`.
    public static let taobao = Envelope.raw.codes("error_response.sub_code", "error_response.code").failure("error_response")
        .message("error_response.sub_msg", "error_response.msg").data("*_response").traceID("error_response.request_id", "request_id")

    /// WeChat Pay, API v3: `code` and `message` with an error status; the whole body is the payload.
    public static let wechatPay = Envelope.raw.guardedCodes("code").success("SUCCESS").message("message").extras("detail")

    /// Tencent Cloud, API 3.0: `{"Response": {…, "RequestId": …}}`, which contains `Error` if the call failed.
    public static let tencentCloud = Envelope.raw.codes("Response.Error.Code").failure("Response.Error").message("Response.Error.Message")
        .data("Response").traceID("Response.RequestId")

    /// Alibaba Cloud: `Code` and `Message` if the call failed. The payload is the value at `Data`, otherwise the whole body.
    public static let aliyun = Envelope.raw.guardedCodes("Code").success("OK", "Success", 200).flag("Success")
        .message("Message").data("Data").missingPayload(.body).traceID("RequestId")

    /// Douyin's open platform: `data` and `extra`, either with `error_code`. Its mini programs: `err_no` beside `data`.
    public static let douyin = Envelope.raw.codes("err_no", "extra.error_code", "data.error_code").success(0)
        .message("err_tips", "err_msg", "extra.sub_description", "extra.description", "data.description", "message").data("data")
        .traceID("log_id", "extra.logid")

    /// Stripe: `error` with `code`, `type` and `message`. The whole body is the payload.
    public static let stripe = Envelope.raw.codes("error.code", "error.type").failure("error").message("error.message")
        .extras("error.decline_code", "error.param", "error.doc_url")

    /// Telegram's bot API: `ok` and `result`, or `error_code` and `description`. A flood error is retried after `retry_after`.
    public static let telegram = Envelope(flag: "ok", message: "description", data: "result").codes("error_code")
        .retryable(429).retryDelay("parameters.retry_after")

    /// Slack's web API: `ok` beside the values, or `error`, which is both code and message.
    public static let slack = Envelope(flag: "ok").codes("error").message("response_metadata.messages[0]", "error")
        .authentication("not_authed", "invalid_auth", "token_expired", "token_revoked").retryable("ratelimited")

    /// JSend: `status` is `success`, `fail` or `error`. `data` is the payload; `code` and `message` describe a failure.
    public static let jsend = Envelope.raw.guardedCodes("code").success(0).message("message").data("data")
        .missingPayload(.null).changed { $0.words = ["status"] }
}

// Backends with codes that no rule can guess.
extension Envelope {
    /// The keys of xAPI in its order, for apps that migrate from it: `errcode`, `code`, `errorno`, `errCode`; `errmsg`, `msg`, `errormsg`, `errMsg`;
    /// `data`, `ret`.
    ///
    /// The first value that is not null is used. A code is read as the integer at its start, like `integerValue` does: `"12abc"` is 12. A string
    /// without a leading integer is 0, which means success. Every 2xx status means success.
    public static let xAPI = Envelope.raw.codes("errcode", "code", "errorno", "errCode").success(0, 200)
        .message("errmsg", "msg", "errormsg", "errMsg").data("data", "ret").missingPayload(.body).changed { $0.readsIntegers = true }

    /// Amap's web services: `infocode` 10000 means success; otherwise `infocode` and `info` describe the failure. Version 5 uses `errcode`. The whole
    /// body is the payload.
    public static let amap = Envelope.raw.codes("infocode", "errcode").success(10000).message("info", "errmsg")

    /// FastAdmin: `code` 1 means success, and 0 a failure with the message `msg`. `data` is the payload.
    public static let fastAdmin = Envelope(code: "code", success: 1, message: "msg", data: "data").missingPayload(.null)

    /// KuCoin: `code` `"200000"` means success. `data` is the payload.
    public static let kuCoin = Envelope(code: "code", success: "200000", message: "msg", data: "data").missingPayload(.null)

    /// Huawei's push service: `code` `"80000000"` means success. The whole body is the payload.
    public static let huaweiPush = Envelope(code: "code", success: "80000000", message: "msg").traceID("requestId")

    /// Doudian's open platform: `code` 10000 means success. `sub_msg` describes a failure better than `msg`. `data` is the payload.
    public static let doudian = Envelope(code: "code", success: 10000, data: "data").message("sub_msg", "msg").traceID("log_id")
        .missingPayload(.null)

    /// vivo's push service: `result` 0 means success; `desc` is the message. The whole body is the payload.
    public static let vivoPush = Envelope(code: "result", success: 0, message: "desc").traceID("taskId", "requestId")

    /// InfluxDB, version 1: an `error` in the body, or in one of the first ten `results`. The whole body is the payload.
    public static let influx = Envelope.raw.failure(["error"] + (0..<10).map { "results[\($0)].error" })

    /// Nextcloud's OCS APIs: `ocs.meta` with `statuscode` 100 or 200 and `message`. `ocs.data` is the payload.
    public static let nextcloud = Envelope(code: "ocs.meta.statuscode", success: 100, 200, message: "ocs.meta.message", data: "ocs.data")
        .missingPayload(.null)
}

extension Envelope {
    /// Sets places that mean failure if they have a value, which is also the message.
    fileprivate func failure(_ places: [String]) -> Envelope {
        changed {
            $0.failures.set = places
            $0.messages.set = places
        }
    }

    /// Sets the place of a code that counts only beside a message or a payload, or in an object that has only envelope keys.
    fileprivate func guardedCodes(_ place: String) -> Envelope {
        changed {
            $0.codes.set = [place]
            $0.guarded = [place]
        }
    }
}
