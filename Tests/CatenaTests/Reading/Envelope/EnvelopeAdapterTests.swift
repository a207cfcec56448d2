import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// `code|message|payload`
private struct Piped: EnvelopeAdapter {
    struct Unreadable: Error {}

    func read(_ response: HTTPResponse) throws -> EnvelopeResult? {
        let parts = String(decoding: response.body, as: UTF8.self).split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        if parts.count == 1 { return nil }
        guard parts.count == 3 else { throw Unreadable() }
        if parts[0] != "0" { throw APIError(.business, code: .string(parts[0]), message: parts[1]) }
        return EnvelopeResult(
            response, payload: parts[2].isEmpty ? nil : Data(parts[2].utf8), code: .string(parts[0]), message: parts[1], traceID: "t")
    }
}

/// Reverses the bytes of the body and reads it with the standard envelope.
private struct Turned: EnvelopeAdapter {
    func read(_ response: HTTPResponse) throws -> EnvelopeResult? {
        var response = response
        response.body = Data(response.body.reversed())
        return try Envelope.standard.read(response)
    }
}

@Suite("Envelopes of other formats", .limitedParallelism)
struct EnvelopeAdapterTests {
    static let rows: [(body: String, status: Int, verdict: Verdict)] = [
        ("0|ok|[1]", 200, .payload("[1]")), ("0||", 200, .missing), ("7|m|", 200, .business("7", "m")),
        ("7|m|", 500, .business("7", "m")), ("0|m|1", 500, .status(500, "m")), ("[2]", 200, .whole), ("x", 200, .notJSON),
        ("", 200, .empty),
    ]

    @Test("an adapter reads a format that no rule describes", arguments: rows)
    func adapter(row: (body: String, status: Int, verdict: Verdict)) throws {
        #expect(try Verdict(row.body, status: row.status, envelope: .adapter(Piped())) == row.verdict)
    }

    @Test("an error that an adapter throws rejects the call, with the response and the class of its code")
    func failure() throws {
        let other = try #require(throws: APIError.self) { try Envelope.adapter(Piped()).read(answer("a|b")) }
        #expect(other.underlying is Piped.Unreadable)
        #expect(other.status == 200)
        #expect(other.body == Data("a|b".utf8))
        let envelope = Envelope.adapter(Piped()).authentication("7")
        let business = try #require(throws: APIError.self) { try envelope.read(answer("7|m|")) }
        #expect(business.category == .authentication)
    }

    @Test("an adapter can leave the rest to other envelopes")
    func composition() throws {
        #expect(try Verdict(#"}1:"atad",0:"edoc"{"#, envelope: .adapter(Turned())) == .payload("1"))
        #expect(try Verdict(#"}"m":"gsm",5:"edoc"{"#, envelope: .adapter(Turned())) == .business(5, "m"))
        let either = Envelope.anyOf([.standard, .adapter(Piped())])
        #expect(try Verdict("0||1", envelope: either) == .payload("1"))
        #expect(try Verdict(#"{"code":5,"msg":"m"}"#, envelope: either) == .business(5, "m"))
    }

    @Test("a call can ask for another part than the payload that an adapter returns")
    func unwrap() async throws {
        let body = String(#"{"code":0,"data":{"list":[1,2],"total":2}}"#.reversed())
        let client = Client(transport: ClosureTransport { _ in .text(body) })
        let request = client.absoluteURL("https://forum.example.com/x").envelope(.adapter(Turned()))
        #expect(try await request.set(\.unwrap, .path("data.list")).value(as: [Int].self) == [1, 2])
        #expect(try await request.set(\.unwrap, .path("data.list")).value() == [1, 2])
        #expect(try await request.set(\.unwrap, .body).value().code.int == 0)
        #expect(try await request.value().total.int == 2)
        #expect(try await request.set(\.unwrap, .path("data.none")).value(as: [Int]?.self) == nil)
        try await request.set(\.unwrap, .path("data.none")).execute(.void).value
        for place in ["data.none", "none.at.all"] {
            let error = await #expect(throws: APIError.self) { try await request.set(\.unwrap, .path(place)).value() }
            #expect(error?.kind == .missingPayload)
        }
    }

    @Test("unwrap with a path fails for a body that is not JSON")
    func unwrapOther() async throws {
        let client = Client(transport: ClosureTransport { _ in .text("0|m|[1,2]") })
        let request = client.absoluteURL("https://forum.example.com/x").envelope(.adapter(Piped()))
        let error = await #expect(throws: APIError.self) { try await request.set(\.unwrap, .path("list")).value() }
        #expect(error?.kind == .missingPayload)
        #expect(try await request.set(\.unwrap, .body).execute(.string).value == "0|m|[1,2]")
    }

    @Test("the payload that an adapter returns is decoded")
    func call() async throws {
        let client = Client(transport: ClosureTransport { _ in .text("0|m|[1,2]") })
        let request = client.absoluteURL("https://forum.example.com/x").envelope(.adapter(Piped()))
        let response = try await request.execute(.response(as: [Int].self)).value
        #expect(response.payload == [1, 2])
        #expect(response.message == "m")
        #expect(response.traceID == "t")
        #expect(try await request.value() == [1, 2])
    }
}

private struct WalletError: Error, Equatable { let name: String }
private struct PaymentError: Error, Equatable { let name: String }

private protocol WalletAnswer: ResponseFamily {}

extension WalletAnswer {
    static func commonError(in reading: EnvelopeResult) -> (any Error)? {
        String(decoding: reading.response.body, as: UTF8.self).contains("common") ? WalletError(name: "common") : nil
    }
}

private struct Payment: WalletAnswer, Decodable, Equatable {
    let id: Int

    static func specificError(in reading: EnvelopeResult) -> (any Error)? {
        String(decoding: reading.response.body, as: UTF8.self).contains("specific") ? PaymentError(name: "specific") : nil
    }
}

private struct Receipt: WalletAnswer {
    struct Unreadable: Error {}
    let text: String

    static func value(in reading: EnvelopeResult) throws -> Receipt {
        guard reading.response.body.first != UInt8(ascii: "?") else { throw Unreadable() }
        return Receipt(text: String(decoding: reading.response.body, as: UTF8.self))
    }
}

@Suite("Families of responses", .limitedParallelism)
struct ResponseFamilyTests {
    private func request(_ body: String, status: Int = 200) -> Request {
        Client(transport: ClosureTransport { _ in .text(body, status: status) }).absoluteURL("https://wallet.example.com/x")
    }

    private func failure(_ body: String, status: Int = 200) async throws -> APIError {
        try #require(await request(body, status: status).execute(as: Payment.self).result.error as? APIError)
    }

    @Test("values are decoded from the payload, or made by the family")
    func values() async throws {
        #expect(try await request(#"{"code":0,"data":{"id":7}}"#).value(as: Payment.self) == Payment(id: 7))
        #expect(try await request(#"{"id":7}"#).execute(as: Payment.self).value == Payment(id: 7))
        #expect(try await request("<receipt/>").value(as: Receipt.self).text == "<receipt/>")
        #expect(try await request("<receipt/>").execute(as: Receipt.self).value.text == "<receipt/>")
    }

    @Test("the common error comes first, then the specific one, then the envelope, the status and the value")
    func order() async throws {
        let common = try await failure(#"{"code":5,"msg":"common specific"}"#, status: 500)
        #expect(common.underlying as? WalletError == WalletError(name: "common"))
        #expect(common.code == 5 && common.status == 500 && common.message == "common specific")
        let specific = try await failure(#"{"code":5,"msg":"specific"}"#)
        #expect(specific.underlying as? PaymentError == PaymentError(name: "specific"))
        #expect(specific.kind == .business)
        let envelope = try await failure(#"{"code":5,"msg":"m"}"#, status: 500)
        #expect(envelope.underlying == nil && envelope.code == 5)
        #expect(try await failure("{}", status: 500).kind == .status)
        #expect(try await failure("{}").kind == .decoding)
    }

    @Test("a family finds its errors in successful responses and in bodies that are not JSON, too")
    func anywhere() async throws {
        #expect(try await failure(#"{"code":0,"data":{"id":7,"x":"specific"}}"#).underlying is PaymentError)
        let page = try await failure("<html>common</html>")
        #expect(page.underlying is WalletError)
        #expect(page.kind == .business)
        await #expect(throws: WalletError.self) { try await request("common").value(as: Receipt.self) }
        #expect(await #expect(throws: APIError.self) { try await request("?").value(as: Receipt.self) }?.underlying is Receipt.Unreadable)
    }

    @Test(
        "a family can return its error for every failure, by code, flag, status or decoding",
        arguments: [
            (#"{"code":0,"data":{"id":7}}"#, 200, false), (#"{"id":7}"#, 200, false), (#"{"code":200,"data":{"id":7}}"#, 200, false),
            (#"{"code":5,"msg":"m"}"#, 200, true), (#"{"success":false,"msg":"m"}"#, 200, true), (#"{"id":7}"#, 404, true),
            (#"{"code":0,"data":{"id":7}}"#, 500, true), ("<html>", 200, true),
        ])
    func anyFailure(body: String, status: Int, fails: Bool) async throws {
        struct Refusal: Error {}
        struct Order: ResponseFamily, Decodable {
            let id: Int
            static func commonError(in reading: EnvelopeResult) -> (any Error)? { reading.isFailure ? Refusal() : nil }
        }
        let client = Client(transport: ClosureTransport { _ in .text(body, status: status) })
        let result = await client.absoluteURL("https://wallet.example.com/x").execute(as: Order.self).result
        #expect(((result.error as? APIError)?.underlying is Refusal) == fails)
    }

    @Test("a chain receives the family's error by its type")
    func chain() async throws {
        let seen = Counter()
        let promise = request("specific").execute(as: Payment.self).catch(as: PaymentError.self, on: .global()) { _ in seen.increment() }
        _ = await promise.result
        #expect(seen.count == 1)
    }
}
