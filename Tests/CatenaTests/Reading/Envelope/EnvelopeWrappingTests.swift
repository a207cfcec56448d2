import Foundation
import Testing

@testable import Catena

@Suite(.limitedParallelism) struct EnvelopeWrappingTests {
    static let envelopes: [Envelope] = [
        .standard,
        .standard.codes("errno"),
        .standard.codes("result.code").message("result.text").data("payload").success(0, "OK"),
        .standard.codes("result.code").message("result.text").data("payload").success("OK"),
        .standard.codes("data.code").data("data"),
        .standard.codes("errors[1].code").message("errors[1].text").data("data.items"),
        .raw.codes("c").data("d").message("m").success(1),
    ]

    @Test("a wrapped payload is read back unchanged, with its code and message", arguments: envelopes, [nil, "E1"] as [ErrorCode?])
    func roundTrip(envelope: Envelope, code: ErrorCode?) throws {
        let wrapped = try envelope.wrap(payload: Data(#"{"b":1.10,"a":2}"#.utf8), code: code, message: "told")
        let address = try HTTPAddress(parsing: "https://example.com")
        let response = HTTPResponse(status: 200, body: wrapped, address: address)
        let reader = EnvelopeReader(envelope: envelope, decoded: JSON.self)
        guard code == nil else {
            let error = #expect(throws: APIError.self) { try reader.read(response) }
            #expect(error?.code == code)
            #expect(error?.message == "told")
            return
        }
        let reading = try reader.read(response)
        #expect(reading.message == "told")
        let value = try ResultDecoder<JSON>.json.value(reading) { JSONDecoder() }
        #expect(value.b == 1.1)
        #expect(value.a == 2)
    }

    @Test(
        "an envelope writes code, message and payload at its places",
        arguments: [
            (Envelope.standard, nil, #"{"errcode":0,"errmsg":"m","data":1}"#),
            (.standard.success(200), nil, #"{"errcode":200,"errmsg":"m","data":1}"#),
            (.standard, 7, #"{"errcode":7,"errmsg":"m","data":1}"#),
            (.standard.codes().flag("ok"), nil, #"{"ok":true,"errmsg":"m","data":1}"#),
        ] as [(Envelope, ErrorCode?, String)])
    func text(envelope: Envelope, code: ErrorCode?, text: String) throws {
        #expect(String(decoding: try envelope.wrap(payload: Data("1".utf8), code: code, message: "m"), as: UTF8.self) == text)
    }

    @Test("without an envelope the payload is written unchanged")
    func none() throws {
        #expect(try Envelope.raw.wrap(payload: Data(" 1 ".utf8), code: nil, message: "") == Data(" 1 ".utf8))
        #expect(try Envelope.raw.wrap(payload: nil, code: nil, message: "").isEmpty)
    }

    @Test(
        "wrapping fails if the envelope has no place for the code, message or payload",
        arguments: [
            (Envelope.raw, 7, "", "envelope: it has no place for a code"),
            (.raw, nil, "m", "envelope: it has no place for a message"),
            (.standard.codes().flag("ok"), 7, "", "envelope: it has no place for a code"),
            (.standard.data(), nil, "", "envelope: it has no place for a payload"),
            (.standard.codes("data.code").data("data"), nil, "", #"envelope: the place "data" is taken by something else"#),
        ] as [(Envelope, ErrorCode?, String, String)])
    func noPlace(envelope: Envelope, code: ErrorCode?, message: String, reason: String) {
        let error = #expect(throws: APIError.self) { try envelope.wrap(payload: Data("1".utf8), code: code, message: message) }
        #expect(error?.message == reason)
    }
}
