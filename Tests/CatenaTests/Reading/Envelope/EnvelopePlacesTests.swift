import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite("Envelopes of a backend's own", .limitedParallelism)
struct EnvelopePlacesTests {
    static let wallet = Envelope.standard.codes("result.code").message("result.text").data("payload").success(0, "OK")

    static let rows: [(envelope: Envelope, body: String, verdict: Verdict)] = [
        (wallet, #"{"result":{"code":"OK","text":"t"},"payload":[1]}"#, .payload("[1]")),
        (wallet, #"{"result":{"code":0},"payload":null}"#, .missing),
        (wallet, #"{"payload":1,"result":{"text":"t","code":9}}"#, .business(9, "t")),
        // Success codes are replaced, and stay typed.
        (wallet, #"{"result":{"code":200},"payload":1}"#, .business(200)),
        (wallet, #"{"result":{"code":"0"},"payload":1}"#, .payload("1")),
        (wallet.lenientNumbers(false), #"{"result":{"code":"0"},"payload":1}"#, .business("0")),
        (wallet, #"{"result":{"code":"ok"},"payload":1}"#, .business("ok")),
        // The standard's places are replaced, too.
        (wallet, #"{"errcode":5,"msg":"m","success":false}"#, .whole),
        (wallet, #"{"result":5,"payload":1}"#, .payload("1")),
        (wallet, #"{"result":5,"payload":1,"name":"x"}"#, .payload("1")),
        // A declared code is a code even without a message or payload.
        (.standard.codes("code"), #"{"code":"US","name":"x"}"#, .business("US")),
        (.standard.codes("error.code").message("error.message"), #"{"data":1}"#, .payload("1")),
        (.standard.codes("errors[0].code").message("errors[0].title"), #"{"errors":[{"code":"E7","title":"t"}]}"#, .business("E7", "t")),
        (.standard.codes("errors[0].code").message("errors[0].title"), #"{"errors":[],"data":1}"#, .payload("1")),
        (.standard.codes("a", "b"), #"{"a":null,"b":4}"#, .business(4)),
        // Places may be the same or lie within each other.
        (.standard.codes("status").message("status"), #"{"status":"bad"}"#, .business("bad", "bad")),
        (.standard.codes("error.code").message("error"), #"{"error":{"code":4}}"#, .business(4, #"{"code":4}"#)),
        (.standard.data("data.list"), #"{"code":0,"data":{"list":[1],"total":1}}"#, .payload("[1]")),
        (.standard.data("data.list", "data"), #"{"code":0,"data":{"list":null}}"#, .payload(#"{"list":null}"#)),
        (.standard.codes().flag("ok"), #"{"ok":false,"msg":"m"}"#, .business("false", "m")),
        (.standard.codes().flag("ok"), #"{"ok":true,"code":5,"data":1}"#, .payload("1")),
        (.standard.flag("ok"), #"{"success":false,"data":1}"#, .payload("1")),
        (.standard.success(), #"{"code":0,"data":1}"#, .business(0)),
        (.standard.success("true"), #"{"errcode":true,"data":1}"#, .payload("1")),
        // Without codes and flags, a payload makes the envelope.
        (.raw.data("items"), #"{"items":[1]}"#, .payload("[1]")),
        (.raw.data("items"), #"{"items":null}"#, .missing),
        (.raw.data("items"), #"{"code":5,"msg":"m"}"#, .whole),
        (.raw, #"{"code":5,"msg":"m","data":1}"#, .whole),
        (.raw, #"{"success":false}"#, .whole),
    ]

    @Test("codes, message and payload are read from the declared places")
    static func placesRows() {
        each(rows.indices) { try Self().places(row: $0) }
    }

    func places(row: Int) throws {
        let (envelope, body, verdict) = Self.rows[row]
        #expect(try Verdict(body, envelope: envelope) == verdict)
    }

    @Test("an error status has the envelope's message even if no codes are declared")
    func messageOnly() throws {
        let envelope = Envelope.raw.message("error.message")
        #expect(try Verdict(#"{"error":{"message":"m"}}"#, status: 422, envelope: envelope) == .status(422, "m"))
        #expect(try Verdict(#"{"error":{"message":"m"}}"#, envelope: envelope) == .whole)
        #expect(try Verdict(#"{"msg":"m","code":5}"#, status: 422, envelope: .raw) == .status(422))
    }

    @Test("a place that is not a path rejects the call before anything is sent", arguments: ["", "a..b", "a[", "a[x]"])
    func fault(place: String) async throws {
        let stub = ClosureTransport { _ in .json(#"{"code":0}"#) }
        let request = Client(transport: stub).host("https://example.com").get("/a")
        for envelope in [Envelope.standard.codes("code", place), .standard.message(place), .standard.data(place), .standard.flag(place)] {
            let error = await #expect(throws: APIError.self) { try await request.envelope(envelope).value() }
            #expect(error?.kind == .invalidRequest)
            #expect(error?.message.hasPrefix("envelope: \"\(place)\" is not a path") == true)
        }
        #expect(stub.requests.isEmpty)
    }
}
