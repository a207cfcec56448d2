import Foundation
import Testing

@testable import Catena

@Suite("Envelopes of well-known backends", .limitedParallelism)
struct EnvelopeServiceTests {
    typealias Row = (envelope: Envelope, status: Int, body: String, outcome: EnvelopeShape.Outcome)

    static let rows: [Row] = [
        (
            .alipay, 200, #"{"alipay_trade_query_response":{"code":"10000","msg":"Success","trade_no":"1"},"sign":"S"}"#,
            .payload(#"{"code":"10000","msg":"Success","trade_no":"1"}"#)
        ),
        (
            .alipay, 200,
            #"{"alipay_trade_query_response":{"code":"40004","msg":"Business Failed","sub_code":"ACQ.TRADE_NOT_EXIST","sub_msg":"no"},"sign":"S"}"#,
            .failure("ACQ.TRADE_NOT_EXIST", "no")
        ),
        (
            .alipay, 200, #"{"error_response":{"code":"40002","msg":"Invalid Arguments"},"sign":"S"}"#,
            .failure("40002", "Invalid Arguments")
        ),
        (
            .taobao, 200, #"{"item_get_response":{"item":{"num_iid":1},"request_id":"r"}}"#,
            .payload(#"{"item":{"num_iid":1},"request_id":"r"}"#)
        ),
        (
            .taobao, 200, #"{"error_response":{"code":15,"msg":"Remote service error","sub_code":"isv.x","sub_msg":"bad"}}"#,
            .failure("isv.x", "bad")
        ),
        (.taobao, 200, #"{"error_response":{"code":15,"msg":"Remote service error"}}"#, .failure(15, "Remote service error")),
        (.wechatPay, 200, #"{"prepay_id":"wx2"}"#, .whole),
        (.wechatPay, 200, #"{"code":"SUCCESS","message":"成功"}"#, .whole),
        (.wechatPay, 400, #"{"code":"PARAM_ERROR","message":"bad","detail":{"field":"/amount"}}"#, .failure("PARAM_ERROR", "bad")),
        (.tencentCloud, 200, #"{"Response":{"TotalCount":1,"RequestId":"r"}}"#, .payload(#"{"TotalCount":1,"RequestId":"r"}"#)),
        (.tencentCloud, 200, #"{"Response":{"Error":{"Code":"AuthFailure","Message":"m"},"RequestId":"r"}}"#, .failure("AuthFailure", "m")),
        (.aliyun, 200, #"{"RequestId":"r","Instances":{"Instance":[]}}"#, .whole),
        (.aliyun, 200, #"{"RequestId":"r","BizId":"1","Code":"OK","Message":"OK"}"#, .whole),
        (.aliyun, 200, #"{"RequestId":"r","Success":true,"Code":"200","Message":"ok","Data":{"a":1}}"#, .payload(#"{"a":1}"#)),
        (
            .aliyun, 200, #"{"RequestId":"r","Code":"isv.BUSINESS_LIMIT_CONTROL","Message":"流控"}"#,
            .failure("isv.BUSINESS_LIMIT_CONTROL", "流控")
        ),
        (
            .aliyun, 404, #"{"RequestId":"r","HostId":"ecs.aliyuncs.com","Code":"InvalidInstanceId.NotFound","Message":"m"}"#,
            .failure("InvalidInstanceId.NotFound", "m")
        ),
        (
            .douyin, 200, #"{"data":{"error_code":0,"description":"","list":[1]},"extra":{"error_code":0,"logid":"L"}}"#,
            .payload(#"{"error_code":0,"description":"","list":[1]}"#)
        ),
        (
            .douyin, 200,
            #"{"data":{"error_code":10008,"description":"token expired"},"extra":{"logid":"L","error_code":10008,"description":"token expired"},"message":"error"}"#,
            .failure(10008, "token expired")
        ),
        (.douyin, 200, #"{"data":{"task_id":"t"},"err_no":0,"err_msg":"","log_id":"L"}"#, .payload(#"{"task_id":"t"}"#)),
        (.douyin, 200, #"{"err_no":28001003,"err_msg":"accesstoken无效","log_id":"L"}"#, .failure(28_001_003, "accesstoken无效")),
        (.stripe, 200, #"{"id":"ch_1","object":"charge","amount":1}"#, .whole),
        (
            .stripe, 402,
            #"{"error":{"code":"card_declined","decline_code":"lost_card","message":"Your card was declined.","type":"card_error"}}"#,
            .failure("card_declined", "Your card was declined.")
        ),
        (
            .stripe, 401, #"{"error":{"message":"Invalid API Key","type":"invalid_request_error"}}"#,
            .failure("invalid_request_error", "Invalid API Key")
        ),
        (.telegram, 200, #"{"ok":true,"result":{"id":1}}"#, .payload(#"{"id":1}"#)),
        (
            .telegram, 400, #"{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}"#,
            .failure(400, "Bad Request: chat not found")
        ),
        (.slack, 200, #"{"ok":true,"channel":{"id":"C1"}}"#, .whole),
        (.slack, 200, #"{"ok":false,"error":"channel_not_found"}"#, .failure("channel_not_found", "channel_not_found")),
        (.jsend, 200, #"{"status":"success","data":{"post":1}}"#, .payload(#"{"post":1}"#)),
        (.jsend, 200, #"{"status":"success","data":null}"#, .payload("null")),
        (.jsend, 200, #"{"status":"fail","data":{"title":"A title is required"}}"#, .failure("fail", "")),
        (
            .jsend, 200, #"{"status":"error","message":"Unable to communicate with database","code":17}"#,
            .failure(17, "Unable to communicate with database")
        ),
        (.jsend, 200, #"{"status":"error","message":"m"}"#, .failure("error", "m")),
    ]

    @Test("each preset reads its backend's successes and failures, with code and message")
    static func serviceRows() {
        each(rows.indices) { try Self().service(row: $0) }
    }

    func service(row: Int) throws {
        let (envelope, status, body, outcome) = Self.rows[row]
        #expect(try EnvelopeShape.Outcome.of(answer(body, status: status), envelope).outcome == outcome)
    }

    @Test("the presets read trace ids, waits and classes")
    func companions() throws {
        func failure(_ envelope: Envelope, _ body: String, status: Int = 200) throws -> APIError {
            try #require(throws: APIError.self) { try envelope.read(answer(body, status: status)) }
        }
        #expect(try failure(.tencentCloud, #"{"Response":{"Error":{"Code":"x"},"RequestId":"r1"}}"#).traceID == "r1")
        let flood = try failure(.telegram, #"{"ok":false,"error_code":429,"description":"m","parameters":{"retry_after":5}}"#, status: 429)
        #expect(flood.category == .retryable && flood.retryAfter == .seconds(5))
        #expect(try failure(.slack, #"{"ok":false,"error":"token_expired"}"#).category == .authentication)
        #expect(
            try failure(.slack, #"{"ok":false,"error":"invalid_arguments","response_metadata":{"messages":["[ERROR] missing: channel"]}}"#)
                .message
                == "[ERROR] missing: channel")
    }

    @Test("a payload that a preset wraps is read back unchanged", arguments: [Envelope.alipay, .tencentCloud, .douyin, .telegram])
    func wrapped(envelope: Envelope) throws {
        let body = try envelope.wrap(payload: Data(#"{"a":1}"#.utf8), code: nil, message: "")
        #expect(try ResultDecoder<JSON>.json.value(envelope.read(answer(body))) { JSONDecoder() }.a == 1)
    }

    @Test("a key with the declared suffix is found at any position")
    func endings() throws {
        let envelope = Envelope.raw.codes("*_response.code").success(0).data("*_response.data")
        #expect(
            try EnvelopeShape.Outcome.of(answer(#"{"x":1,"a_response":{"code":0,"data":[1]},"sign":"_response"}"#), envelope).outcome
                == .payload("[1]"))
        #expect(try EnvelopeShape.Outcome.of(answer(#"{"\u0061_response":{"code":7}}"#), envelope).outcome == .failure(7, ""))
        // A key that consists of the suffix alone does not match.
        #expect(try EnvelopeShape.Outcome.of(answer(#"{"_response":{"code":7}}"#), envelope).outcome == .whole)
        #expect(throws: JSONPathError.self) { try JSONPath("*") }
    }
}
