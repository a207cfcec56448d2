@testable import Catena

/// Responses of public APIs, as their documentation shows them, with the outcome that a caller would want without configuration. If the rules
/// give another outcome, the backend needs a step or a preset.
enum PublicShapes {
    static let all: [EnvelopeShape] = [
        EnvelopeShape(
            "GitHub, validation", 422,
            #"{"message":"Validation Failed","errors":[{"resource":"Issue","field":"title","code":"missing_field"}],"documentation_url":"u"}"#,
            .failure("missing_field", "Validation Failed")),
        EnvelopeShape(
            "GitHub, GraphQL", 200,
            #"{"data":{"repository":null},"errors":[{"type":"NOT_FOUND","path":["repository"],"message":"Could not resolve"}]}"#,
            .failure("NOT_FOUND", "Could not resolve")),
        EnvelopeShape(
            "Twitter 1.1", 404, #"{"errors":[{"code":144,"message":"No status found with that ID."}]}"#,
            .failure(144, "No status found with that ID.")),
        EnvelopeShape(
            "Twitter 2, not found", 200,
            #"{"errors":[{"detail":"Could not find tweet","title":"Not Found Error","resource_type":"tweet","type":"https://api.twitter.com/2/problems/resource-not-found"}]}"#,
            .failure("false", "Could not find tweet")),
        EnvelopeShape("Twitter 2", 200, #"{"data":[{"id":"1"}],"meta":{"result_count":1}}"#, .payload(#"[{"id":"1"}]"#)),
        EnvelopeShape("Discord, code 0", 401, #"{"message":"401: Unauthorized","code":0}"#, .failure(401, "401: Unauthorized")),
        EnvelopeShape(
            "Discord, limited", 429, #"{"message":"You are being rate limited.","retry_after":64.57,"global":false}"#,
            .failure(429, "You are being rate limited.")),
        EnvelopeShape(
            "Facebook", 400,
            #"{"error":{"message":"Error validating access token","type":"OAuthException","code":190,"error_subcode":463,"fbtrace_id":"A"}}"#,
            .failure(190, "Error validating access token")),
        EnvelopeShape("Facebook, list", 200, #"{"data":[{"id":"1"}],"paging":{"cursors":{"after":"a"}}}"#, .whole),
        EnvelopeShape(
            "Spotify", 401, #"{"error":{"status":401,"message":"The access token expired"}}"#, .failure(401, "The access token expired")),
        EnvelopeShape(
            "OpenAI, key", 401,
            #"{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}"#,
            .failure("invalid_api_key", "Incorrect API key provided")),
        EnvelopeShape(
            "OpenAI, limit", 429, #"{"error":{"message":"Rate limit reached","type":"tokens","param":null,"code":null}}"#,
            .failure("tokens", "Rate limit reached")),
        EnvelopeShape(
            "OpenAI, completion", 200,
            #"{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0}],"usage":{"total_tokens":3}}"#, .whole),
        EnvelopeShape(
            "Anthropic", 400, #"{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: required"}}"#,
            .failure("invalid_request_error", "max_tokens: required")),
        EnvelopeShape("Cloudflare", 200, #"{"result":{"id":"z"},"success":true,"errors":[],"messages":[]}"#, .payload(#"{"id":"z"}"#)),
        EnvelopeShape(
            "Cloudflare, failure", 403,
            #"{"success":false,"errors":[{"code":9109,"message":"Invalid access token"}],"messages":[],"result":null}"#,
            .failure(9109, "Invalid access token")),
        EnvelopeShape(
            "DigitalOcean", 404, #"{"id":"not_found","message":"The resource could not be found."}"#,
            .failure(404, "The resource could not be found.")),
        EnvelopeShape(
            "Shopify, key", 401, #"{"errors":"[API] Invalid API key or access token"}"#,
            .failure(401, "[API] Invalid API key or access token")),
        EnvelopeShape("Twilio", 404, #"{"code":20404,"message":"not found","more_info":"u","status":404}"#, .failure(20404, "not found")),
        EnvelopeShape(
            "SendGrid", 401, #"{"errors":[{"message":"authorization required","field":null,"help":null}]}"#,
            .failure(401, "authorization required")),
        EnvelopeShape(
            "Dropbox", 409, #"{"error_summary":"path/not_found/..","error":{".tag":"path","path":{".tag":"not_found"}}}"#,
            .failure(409, "path/not_found/..")),
        EnvelopeShape("Jira", 400, #"{"errorMessages":["Issue does not exist"],"errors":{}}"#, .failure(400, "Issue does not exist")),
        EnvelopeShape(
            "GitLab, fields", 400, #"{"message":{"name":["has already been taken"]}}"#,
            .failure(400, "has already been taken")),
        EnvelopeShape(
            "Bitbucket", 404, #"{"type":"error","error":{"message":"Repository not found"}}"#, .failure(404, "Repository not found")),
        EnvelopeShape(
            "Notion", 400, #"{"object":"error","status":400,"code":"validation_error","message":"body failed"}"#,
            .failure("validation_error", "body failed")),
        EnvelopeShape("Trello", 400, "invalid id", .failure(400, "")),
        EnvelopeShape("Airtable, text", 404, #"{"error":"NOT_FOUND"}"#, .failure(404, "NOT_FOUND")),
        EnvelopeShape(
            "Airtable", 422, #"{"error":{"type":"INVALID_REQUEST_UNKNOWN","message":"Invalid request"}}"#,
            .failure("INVALID_REQUEST_UNKNOWN", "Invalid request")),
        EnvelopeShape(
            "Elasticsearch", 404,
            #"{"error":{"root_cause":[{"type":"index_not_found_exception"}],"type":"index_not_found_exception","reason":"no such index [x]"},"status":404}"#,
            .failure("index_not_found_exception", "no such index [x]")),
        EnvelopeShape("CouchDB", 404, #"{"error":"not_found","reason":"missing"}"#, .failure("not_found", "missing")),
        EnvelopeShape("CouchDB, saved", 200, #"{"ok":true,"id":"doc","rev":"1-a"}"#, .whole),
        EnvelopeShape(
            "FastAPI", 422, #"{"detail":[{"loc":["body","price"],"msg":"field required","type":"value_error.missing"}]}"#,
            .failure(422, "field required")),
        EnvelopeShape(
            "Django REST", 403, #"{"detail":"Authentication credentials were not provided."}"#,
            .failure(403, "Authentication credentials were not provided.")),
        EnvelopeShape(
            "Spring Boot", 404, #"{"timestamp":"2024-01-01T00:00:00Z","status":404,"error":"Not Found","path":"/x"}"#,
            .failure(404, "Not Found")),
        EnvelopeShape(
            "ASP.NET", 400,
            #"{"type":"https://tools.ietf.org/html/rfc7231#section-6.5.1","title":"One or more validation errors occurred.","status":400,"traceId":"00-a","errors":{"Name":["required"]}}"#,
            .failure(400, "One or more validation errors occurred.")),
        EnvelopeShape(
            "Laravel", 422, #"{"message":"The given data was invalid.","errors":{"email":["required"]}}"#,
            .failure(422, "The given data was invalid.")),
        EnvelopeShape(
            "NestJS", 400, #"{"statusCode":400,"message":["email must be an email"],"error":"Bad Request"}"#,
            .failure(400, #"["email must be an email"]"#), given: .failure(400, "email must be an email")),
        EnvelopeShape(
            "PayPal", 422, #"{"name":"UNPROCESSABLE_ENTITY","message":"could not be performed","debug_id":"d","details":[{"issue":"X"}]}"#,
            .failure(422, "could not be performed")),
        EnvelopeShape(
            "Square", 404, #"{"errors":[{"category":"INVALID_REQUEST_ERROR","code":"NOT_FOUND","detail":"Payment not found"}]}"#,
            .failure("NOT_FOUND", "Payment not found")),
        EnvelopeShape("Kraken, failure", 200, #"{"error":["EQuery:Unknown asset pair"]}"#, .failure("false", "EQuery:Unknown asset pair")),
        EnvelopeShape("Kraken", 200, #"{"error":[],"result":{"XXBTZUSD":{}}}"#, .payload(#"{"XXBTZUSD":{}}"#)),
        EnvelopeShape("Binance", 400, #"{"code":-1121,"msg":"Invalid symbol."}"#, .failure(-1121, "Invalid symbol.")),
        EnvelopeShape("OKX", 200, #"{"code":"0","msg":"","data":[{"instId":"BTC"}]}"#, .payload(#"[{"instId":"BTC"}]"#)),
        EnvelopeShape(
            "OKX, failure", 200, #"{"code":"51001","msg":"Instrument ID does not exist","data":[]}"#,
            .failure("51001", "Instrument ID does not exist")),
        EnvelopeShape(
            "Bybit", 200, #"{"retCode":0,"retMsg":"OK","result":{"list":[]},"retExtInfo":{},"time":1}"#, .payload(#"{"list":[]}"#)),
        EnvelopeShape(
            "Bybit, failure", 200, #"{"retCode":10001,"retMsg":"params error","result":{},"retExtInfo":{},"time":1}"#,
            .failure(10001, "params error")),
        EnvelopeShape("KuCoin", 200, #"{"code":"200000","data":{"time":1}}"#, .payload(#"{"time":1}"#), given: .failure("200000", "")),
        EnvelopeShape("Huobi", 200, #"{"status":"ok","ch":"market","ts":1,"tick":{"id":1}}"#, .whole),
        EnvelopeShape(
            "Huobi, failure", 200, #"{"status":"error","err-code":"invalid-parameter","err-msg":"invalid symbol","ts":1}"#,
            .failure("invalid-parameter", "invalid symbol")),
        EnvelopeShape("NetEase music", 200, #"{"code":200,"songs":[1]}"#, .whole),
        EnvelopeShape("NetEase music, failure", 200, #"{"code":301,"msg":"需要登录"}"#, .failure(301, "需要登录")),
        EnvelopeShape("NetEase IM, failure", 200, #"{"code":414,"desc":"bad accid"}"#, .failure(414, "bad accid")),
        EnvelopeShape("Xiaohongshu", 200, #"{"code":0,"success":true,"msg":"成功","data":{"a":1}}"#, .payload(#"{"a":1}"#)),
        EnvelopeShape(
            "Kuaishou, failure", 200, #"{"result":100200100,"error":"invalid_request","error_msg":"bad app_id"}"#,
            .failure("invalid_request", "bad app_id")),
        EnvelopeShape("QQ music", 200, #"{"code":0,"subcode":0,"data":{"song":1}}"#, .payload(#"{"song":1}"#)),
        EnvelopeShape("Baidu translate", 200, #"{"from":"en","to":"zh","trans_result":[{"src":"a","dst":"b"}]}"#, .whole),
        EnvelopeShape(
            "Baidu translate, failure", 200, #"{"error_code":"54001","error_msg":"Invalid Sign"}"#, .failure("54001", "Invalid Sign")),
        EnvelopeShape("Youdao", 200, #"{"errorCode":"0","translation":["x"],"query":"q"}"#, .whole),
        EnvelopeShape("Youdao, failure", 200, #"{"errorCode":"108"}"#, .failure("108", "")),
        EnvelopeShape(
            "Feishu, failure", 200, #"{"code":99991663,"msg":"token invalid","error":{"log_id":"l"}}"#,
            .failure(99_991_663, "token invalid")),
        EnvelopeShape(
            "DingTalk, new", 400, #"{"code":"InvalidAuthentication","requestid":"r","message":"不合法的access_token"}"#,
            .failure("InvalidAuthentication", "不合法的access_token")),
        EnvelopeShape("Qiniu", 401, #"{"error":"bad token"}"#, .failure(401, "bad token")),
        EnvelopeShape(
            "Huawei Cloud", 401, #"{"error_code":"APIGW.0301","error_msg":"Incorrect IAM authentication","request_id":"r"}"#,
            .failure("APIGW.0301", "Incorrect IAM authentication")),
        EnvelopeShape(
            "JPush", 401, #"{"error":{"code":1004,"message":"basic auth failed"},"msg_id":1}"#, .failure(1004, "basic auth failed")),
        EnvelopeShape("Tencent map", 200, #"{"status":0,"message":"query ok","result":{"location":1}}"#, .payload(#"{"location":1}"#)),
        EnvelopeShape("Baidu map", 200, #"{"status":0,"result":{"location":1}}"#, .payload(#"{"location":1}"#)),
        EnvelopeShape("Baidu map, failure", 200, #"{"status":240,"message":"APP 服务被禁用"}"#, .failure(240, "APP 服务被禁用")),
        EnvelopeShape("Juhe", 200, #"{"reason":"查询成功","result":{"a":1},"error_code":0}"#, .payload(#"{"a":1}"#)),
        EnvelopeShape(
            "Juhe, failure", 200, #"{"resultcode":"101","reason":"错误的请求KEY","result":null,"error_code":10001}"#, .failure(10001, "错误的请求KEY")
        ),
        EnvelopeShape(
            "iFlytek, failure", 200, #"{"code":"10105","desc":"illegal access","data":"","sid":"x"}"#, .failure("10105", "illegal access")),
        EnvelopeShape(
            "Microsoft Graph", 401,
            #"{"error":{"code":"InvalidAuthenticationToken","message":"Access token is empty.","innerError":{"request-id":"r"}}}"#,
            .failure("InvalidAuthenticationToken", "Access token is empty.")),
        EnvelopeShape(
            "Azure AD", 400,
            #"{"error":"invalid_grant","error_description":"AADSTS70000","error_codes":[70000],"timestamp":"t","trace_id":"x","correlation_id":"c"}"#,
            .failure("invalid_grant", "AADSTS70000")),
        EnvelopeShape(
            "AWS", 400, #"{"__type":"ResourceNotFoundException","message":"not found"}"#, .failure(400, "not found"),
            given: .failure("ResourceNotFoundException", "not found")),
        EnvelopeShape("Zendesk", 404, #"{"error":"RecordNotFound","description":"Not found"}"#, .failure(404, "Not found")),
        EnvelopeShape(
            "HubSpot", 404, #"{"status":"error","message":"Contact does not exist","correlationId":"c","category":"OBJECT_NOT_FOUND"}"#,
            .failure(404, "Contact does not exist")),
        EnvelopeShape(
            "Intercom", 401, #"{"type":"error.list","request_id":"r","errors":[{"code":"unauthorized","message":"Access Token Invalid"}]}"#,
            .failure("unauthorized", "Access Token Invalid")),
        EnvelopeShape(
            "Plaid", 400,
            #"{"error_type":"INVALID_INPUT","error_code":"INVALID_FIELD","error_message":"bad","display_message":null,"request_id":"r"}"#,
            .failure("INVALID_FIELD", "bad")),
        EnvelopeShape("Reddit", 403, #"{"message":"Forbidden","error":403}"#, .failure(403, "Forbidden")),
        EnvelopeShape(
            "Reddit, form", 200, #"{"json":{"errors":[["RATELIMIT","you are doing that too much","ratelimit"]]}}"#,
            .failure("RATELIMIT", "you are doing that too much"), given: .failure("false", "you are doing that too much")),
        EnvelopeShape(
            "TMDB", 404, #"{"success":false,"status_code":34,"status_message":"The resource could not be found."}"#,
            .failure(34, "The resource could not be found.")),
        EnvelopeShape("OMDb", 200, #"{"Response":"False","Error":"Movie not found!"}"#, .failure("false", "Movie not found!")),
        EnvelopeShape(
            "exchangerate", 200, #"{"success":false,"error":{"code":101,"type":"missing_access_key","info":"No API Key"}}"#,
            .failure(101, "No API Key")),
        EnvelopeShape(
            "PostgREST", 406, #"{"code":"PGRST116","details":"0 rows","hint":null,"message":"JSON object requested"}"#,
            .failure("PGRST116", "JSON object requested")),
        EnvelopeShape(
            "Viber, failure", 200, #"{"status":2,"status_message":"invalidAuthToken"}"#, .failure(2, "invalidAuthToken")),
    ]
}
