import Foundation
import Testing

@testable import Catena

@Suite("Settings of an envelope for unusual responses", .limitedParallelism)
struct EnvelopePolicyTests {
    typealias Row = (envelope: Envelope, body: String, verdict: Verdict)

    static let success: [Row] = [
        (.standard.success { ($0.integer ?? -1) < 100 && ($0.integer ?? -1) >= 0 }, #"{"code":42,"data":1}"#, .payload("1")),
        (.standard.success { ($0.integer ?? -1) < 100 && ($0.integer ?? -1) >= 0 }, #"{"code":142,"data":1}"#, .business(142)),
        (.standard.success { $0 == 42 }, #"{"code":0,"data":1}"#, .payload("1")),
        (.standard.success { $0 == 42 }.success(7), #"{"code":42,"data":1}"#, .payload("1")),
        (.standard.success(0), #"{"code":"0","data":1}"#, .payload("1")),
        (.standard.success(0).lenientNumbers(false), #"{"code":"0","data":1}"#, .business("0")),
        (.standard.success(0).lenientNumbers(), #"{"code":"0","data":1}"#, .payload("1")),
        (.standard.success("0").lenientNumbers(), #"{"code":0,"data":1}"#, .payload("1")),
        (.standard.success(0).lenientNumbers(), #"{"code":false,"data":1}"#, .payload("1")),
        (.standard.success(0).lenientNumbers(), #"{"code":"00","data":1}"#, .business("00")),
        (.standard.success(0).lenientNumbers(), #"{"code":"","data":1}"#, .payload("1")),
        (.standard.success(0).lenientNumbers(), #"{"code":null,"data":1}"#, .payload("1")),
        (.standard.success { $0 == 7 }.lenientNumbers(), #"{"code":"7","data":1}"#, .payload("1")),
    ]

    @Test("an envelope's settings decide which codes mean success", arguments: success.indices)
    func successRow(row: Int) throws {
        let (envelope, body, verdict) = Self.success[row]
        #expect(try Verdict(body, envelope: envelope) == verdict)
    }

    static let detection: [Row] = [
        (.standard.addCodes("status", guarded: true), #"{"status":500,"message":"m"}"#, .business(500, "m")),
        (.standard.addCodes("status", guarded: true), #"{"status":500,"name":"x"}"#, .whole),
        (.standard.addCodes("status"), #"{"status":500,"name":"x"}"#, .business(500)),
        (.standard.addCodes("status"), #"{"code":0,"status":500,"data":1}"#, .business(500)),
        (.standard.missingCode(.fail), #"{"code":0,"data":1}"#, .payload("1")),
        (.standard.missingCode(.fail), #"{"name":"x"}"#, .unrecognized),
        (.standard.missingCode(.fail), "[1]", .unrecognized),
        (.standard.missingCode(.require(["id", "user.name"])), #"{"id":1,"user":{"name":"x"}}"#, .whole),
        (.standard.missingCode(.require(["id", "user.name"])), #"{"id":1,"user":{"name":null}}"#, .unrecognized),
        (.standard.missingCode(.require(["id"])), "[1]", .unrecognized),
        (.standard.missingCode(.require(["id"])), #"{"code":0,"data":1}"#, .payload("1")),
        (.standard.missingPayload(.body), #"{"errcode":0,"token":"made-up"}"#, .whole),
        (.standard.missingPayload(.body), #"{"errcode":0,"data":1}"#, .payload("1")),
        (.standard.missingPayload(.null), #"{"errcode":0}"#, .payload("null")),
        (.standard.failure("error"), #"{"error":"no such user"}"#, .business("false", "no such user")),
        (.standard.failure("error"), #"{"code":0,"data":1,"error":null}"#, .payload("1")),
        (.standard.failure("error"), #"{"code":0,"data":1,"error":""}"#, .payload("1")),
        (.standard.failure("error"), #"{"code":0,"data":1,"error":[ ]}"#, .payload("1")),
        (.standard.failure("error"), #"{"code":0,"data":1,"error":false}"#, .payload("1")),
        (.standard.failure("error"), #"{"code":0,"data":1,"error":0}"#, .payload("1")),
        (.standard.failure("error"), #"{"code":0,"data":1,"error":{"a":1}}"#, .business("false")),
        (.standard.payloadInText(), #"{"code":0,"data":"{\"a\":[1]}"}"#, .payload(#"{"a":[1]}"#)),
        (.standard.payloadInText(), #"{"code":0,"data":"plain"}"#, .payload(#""plain""#)),
        (.standard.payloadInText(), #"{"code":0,"data":"{\"a\":"}"#, .notJSON),
        (.standard.payloadInText(), #""[1]""#, .payload("[1]")),
    ]

    @Test("an envelope's settings decide which bodies are envelopes, and which value is the payload")
    static func detectionRowRows() {
        each(detection.indices) { try Self().detectionRow(row: $0) }
    }

    func detectionRow(row: Int) throws {
        let (envelope, body, verdict) = Self.detection[row]
        #expect(try Verdict(body, envelope: envelope) == verdict)
    }

    @Test("the error for a missing code names the place of the code, unless the status is an error")
    func missingCode() throws {
        let error = try #require(throws: APIError.self) { try Envelope.standard.codes("rc").missingCode(.fail).read(answer("{}")) }
        #expect(error.message.contains(#"it has no code; it was looked for at "rc"."#))
        #expect(try Verdict("{}", status: 404, envelope: .standard.missingCode(.fail)) == .status(404))
    }

    static let spellings: [String?] = [
        "application/json", "application/json;charset=utf-8", "application/json; charset=utf-8", "application/json ; charset=utf-8",
        "Application/JSON", "APPLICATION/JSON; charset=utf-8", nil,
    ]

    @Test("an envelope for JSON reads each spelling of its media type, and a response without one")
    static func mediaTypeRows() {
        each(spellings, ["application/json", "Application/JSON", "application/json; charset=utf-8"] as [String]) {
            try Self().mediaType(header: $0, type: $1)
        }
    }

    func mediaType(header: String?, type: String) throws {
        let headers: HTTPHeaders = if let header { ["Content-Type": header] } else { [:] }
        let response = try answer(#"{"code":1,"msg":"bad"}"#, headers: headers)
        #expect(try Verdict(response, envelope: .standard.mediaType(type)) == .business(1, "bad"))
        #expect(try Verdict(response, envelope: .standard.mediaType("application/vnd.forum+json")) == .whole)
        #expect(MediaType(foreignTo: header)?.name == nil)
    }

    private static let decoded: [Any.Type?] = [nil, Void.self, JSON.self]

    @Test(
        "a scalar without a code also fails a call for the raw body or for no value",
        arguments: ["42", "-1.5", #""x""#, "true", "false", "null"])
    func scalar(body: String) throws {
        for decoded in Self.decoded {
            #expect(try Verdict(body, envelope: .standard.missingCode(.fail), decoded: decoded) == .unrecognized)
            #expect(try Verdict(body, envelope: .standard.missingCode(.require(["id"])), decoded: decoded) == .unrecognized)
            #expect(try Verdict(body, status: 404, envelope: .standard.missingCode(.fail), decoded: decoded) == .status(404))
        }
        #expect(try Verdict(body, decoded: nil) == .whole)
        #expect(try Verdict(body + " x", envelope: .standard.missingCode(.fail), decoded: nil) == .whole)
    }

    private struct Refusal: Error {}

    private static func reversed(_ bytes: Data) -> Data { Data(bytes.reversed()) }

    @Test("a payload is transformed before it is decoded")
    func transform() throws {
        let envelope = Envelope.standard.transformPayload(Self.reversed)
        #expect(try Verdict(#"{"code":0,"data":"]2,1["}"#, envelope: envelope) == .payload("[1,2]"))
        #expect(try Verdict(#"{"code":0,"data":21}"#, envelope: envelope) == .payload("12"))
        #expect(try Verdict(#"{"code":0,"data":"llun"}"#, envelope: envelope) == .missing)
        #expect(try Verdict(#"{"code":0,"data":null}"#, envelope: envelope) == .missing)
        #expect(try Verdict(#"{"code":0,"data":"x"}"#, envelope: envelope) == .notJSON)
        #expect(try Verdict(#"{"code":4,"data":"x"}"#, envelope: envelope) == .business(4, "x"))
        #expect(try Verdict(#"{"code":0,"data":"x"}"#, envelope: envelope, decoded: nil) == .payload(#""x""#))
    }

    @Test("a transform that throws rejects the call and is named")
    func transformFails() throws {
        let envelope = Envelope.standard.transformPayload { _ in throw Refusal() }
        let error = try #require(throws: APIError.self) { try envelope.read(answer(#"{"code":0,"data":1}"#)) }
        #expect(error.kind == .decoding)
        #expect(error.message.hasPrefix("transformPayload: "))
        #expect(error.underlying is Refusal)
    }

    @Test("successes and errors have the trace id and the extras")
    func companions() throws {
        let envelope = Envelope.standard.extras("meta.time", "absent")
        let reading = try envelope.read(answer(#"{"code":0,"data":1,"requestId":"r1","meta":{"time":7}}"#))
        #expect(reading.traceID == "r1")
        #expect(reading.extras == ["meta.time": 7])
        let error = try #require(throws: APIError.self) { try envelope.read(answer(#"{"errcode":5,"trace_id":8}"#)) }
        #expect(error.traceID == "8")
        #expect(try Envelope.standard.traceID("x.id").read(answer(#"{"code":0,"data":1,"x":{"id":"t"}}"#)).traceID == "t")
        #expect(try Envelope.standard.read(answer(#"{"requestId":"r1","name":"x"}"#)).traceID == nil)
    }

    static let classes: [(status: Int, body: String, category: APIError.Category?, wait: Duration?)] = [
        (200, #"{"code":10001}"#, .authentication, nil),
        (401, "", .authentication, nil),
        (401, #"{"errcode":7}"#, .authentication, nil),
        (200, #"{"errcode":"BUSY"}"#, .retryable, .seconds(2)),
        (200, #"{"code":"BUSY","data":{"wait":5}}"#, .retryable, .seconds(5)),
        (200, #"{"code":"BUSY","data":{"wait":"1.5s"}}"#, .retryable, .milliseconds(1500)),
        (200, #"{"code":"BUSY","data":{"wait":"soon"}}"#, .retryable, .seconds(2)),
        (200, #"{"code":"BUSY","data":{"wait":-1}}"#, .retryable, .seconds(2)),
        (200, #"{"code":"BUSY","data":{"wait":1e300}}"#, .retryable, .seconds(2)),
        (422, #"{"message":"m"}"#, .validation, nil),
        (200, #"{"code":"CLOSED","data":{"wait":5}}"#, .maintenance, nil),
        (200, #"{"errcode":"10001"}"#, .authentication, nil),
        (200, #"{"code":11}"#, nil, nil),
        (500, "", nil, nil),
    ]

    @Test("codes and statuses have the declared classes and waits", arguments: classes)
    func classRow(row: (status: Int, body: String, category: APIError.Category?, wait: Duration?)) throws {
        let envelope = Envelope.standard.authentication(401, 10001).retryable("BUSY", after: .seconds(2)).retryDelay("data.wait")
            .validation(422).maintenance("CLOSED")
        let error = try #require(throws: APIError.self) { try envelope.read(answer(row.body, status: row.status)) }
        #expect(error.category == row.category)
        #expect(error.retryAfter == row.wait)
    }

    @Test("classes compare numbers leniently, and a repeated step replaces the codes of its class")
    func lenientClasses() throws {
        let envelope = Envelope.standard.authentication(1)
        #expect(throws: APIError.self) { try envelope.read(answer(#"{"errcode":"1"}"#)) }
        let error = try #require(throws: APIError.self) { try envelope.read(answer(#"{"errcode":"1"}"#)) }
        #expect(error.category == .authentication)
        let other = try #require(throws: APIError.self) { try envelope.authentication(2).read(answer(#"{"code":1}"#)) }
        #expect(other.category == nil)
    }

    @Test("the matchers for unauthorized and validation errors match by class, too")
    func matchers() throws {
        let envelope = Envelope.standard.authentication(10001).validation("INVALID")
        let signedOut = try #require(throws: APIError.self) { try envelope.read(answer(#"{"code":10001}"#)) }
        let invalid = try #require(throws: APIError.self) { try envelope.read(answer(#"{"errcode":"INVALID"}"#)) }
        #expect(ErrorMatcher.unauthorized.matches(signedOut) && !ErrorMatcher.unauthorized.matches(invalid))
        #expect(ErrorMatcher.validation.matches(invalid) && !ErrorMatcher.validation.matches(signedOut))
    }
}
