import CatenaRules
import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Envelopes and the types and calls that are easily misread", .limitedParallelism)
struct EnvelopeBadCaseTests {
    private struct Room: Decodable, Sendable {
        var id: Int?
        var name: String?
        var code: Int?
    }

    private struct Renamed: Decodable, Sendable {
        let number: Int
        enum CodingKeys: String, CodingKey { case number = "id" }
    }

    private struct Nested: Decodable, Sendable {
        let id: Int
        enum Outer: String, CodingKey { case owner }
        enum Inner: String, CodingKey { case id }

        init(from decoder: any Decoder) throws {
            id = try decoder.container(keyedBy: Outer.self).nestedContainer(keyedBy: Inner.self, forKey: .owner).decode(
                Int.self, forKey: .id)
        }
    }

    private struct Lossy: Decodable, Sendable {
        @LossyArray var tags: [Int]
    }

    private enum Shape: Decodable, Sendable {
        case room(id: Int)
        case other(name: String)
    }

    /// A type that decodes anything.
    private struct Anything: Decodable, Sendable {
        init(from decoder: any Decoder) {}
    }

    /// A type that refuses each value by itself.
    private struct Refusing: Decodable, Sendable {
        struct Refusal: Error {}
        init(from decoder: any Decoder) throws { throw Refusal() }
    }

    private typealias Read = @Sendable (Envelope, HTTPResponse) throws -> Void

    private static func reading<Value: Decodable & Sendable>(_ type: Value.Type) -> Read {
        { _ = try $0.value(of: $1, as: type, decoder: JSONDecoder()) }
    }

    /// The types, whether they decode the payload of a success, and how they are read.
    private static let types: [(name: String, decodes: Bool, read: Read)] = [
        ("a model of optionals", true, reading(Room.self)), ("custom keys", true, reading(Renamed.self)),
        ("nested containers", true, reading(Nested.self)), ("@LossyArray", true, reading(Lossy.self)),
        ("a dictionary", true, reading([String: JSON].self)), ("a dictionary of numbers", false, reading([String: Int].self)),
        ("an optional", true, reading(Room?.self)), ("an optional of an optional", true, reading(Room??.self)),
        ("an enum with payloads", true, reading(Shape.self)), ("a dynamic value", true, reading(JSON.self)),
        ("an array of models", false, reading([Room].self)), ("a type that decodes anything", true, reading(Anything.self)),
        ("a type that refuses", false, reading(Refusing.self)), ("a number", false, reading(Int.self)),
    ]

    private static let strict = Envelope(code: "code", success: 0, message: "msg", data: "data")
    private static let payload = #"{"id":7,"name":"a","owner":{"id":1},"tags":[1,"x"],"room":{"id":7}}"#

    @Test("a failure with words fails for each type with its code, and a success is decoded or fails as such")
    func eachType() {
        each(Self.types, [Envelope.standard, Self.strict]) { type, envelope in
            for extra in ["", #","id":7"#, #","data":null"#, #","data":\#(Self.payload)"#] {
                let error = #expect(throws: APIError.self) {
                    try type.read(envelope, answer(#"{"code":10086,"msg":"The room is closed"\#(extra)}"#))
                }
                #expect(error?.kind == .business)
                #expect(error?.code == 10086)
                #expect(error?.message == "The room is closed")
            }
            let success = try answer(#"{"code":0,"msg":"","data":\#(Self.payload)}"#)
            if type.decodes {
                try type.read(envelope, success)
            } else {
                #expect(throws: APIError.self) { try type.read(envelope, success) }.map { #expect($0.kind == .decoding) }
            }
        }
    }

    @Test("a body that is cut, repeats keys, is deep, is a page or is empty fails or is read, alike for each way to ask")
    func bodies() {
        let deep = String(repeating: "[", count: 2000)
        let large = #"{"code":0,"data":{"text":"\#(String(repeating: "a", count: 1_000_000))"}}"#
        each([
            (#"{"code":5,"msg":"m","data":{"#, "fail unrecognized", "decoding"),
            (#"{"code":0,"data":{"id":1"#, "fail unrecognized", "decoding"),
            (#"{"code":5,"msg":"m","code":0,"data":1}"#, "fail 5", "fail 5"), (#"{"code":0,"code":5,"msg":"m","data":1}"#, "ok", "ok"),
            (#"{"code":0,"data":"# + deep, "fail unrecognized", "decoding"), ("<html>Sign in</html>", "fail unrecognized", "decoding"),
            ("", "fail unrecognized", "missing"), ("7", "fail unrecognized", "ok"), (#""text""#, "fail unrecognized", "ok"),
            (large, "ok", "ok"),
        ]) { body, strict, standard in
            let response = try answer(body)
            #expect(RuleOutcome(response, Self.strict, .untyped).kind == strict)
            #expect(RuleOutcome(response, .standard, .untyped).kind == standard)
        }
    }

    // MARK: Calls

    private func client(_ bodies: String..., type: String = "application/json", envelope: Envelope = Self.strict) -> Client {
        let sent = Counter()
        let stub = ClosureTransport { _ in
            sent.increment()
            return TransportResponse(
                status: 200, headers: ["Content-Type": type], body: TransportBody(Data(bodies[min(sent.count, bodies.count) - 1].utf8)))
        }
        let client = Client(transport: stub)
        client.configureDefaults { defaults in
            defaults.host = "https://wallet.example.com"
            defaults.envelope = envelope
        }
        return client
    }

    @Test("a body of 50 MB is judged by its code, wherever that stands")
    func large() async throws {
        let text = String(repeating: "a", count: 50_000_000)
        for body in [#"{"code":0,"data":"\#(text)"}"#, #"{"data":"\#(text)","code":0}"#] {
            #expect(try await client(body).get("/a").value(as: String.self).utf8.count == text.utf8.count)
        }
        let error = await #expect(throws: APIError.self) {
            try await client(#"{"data":"\#(text)","msg":"no","code":7}"#).get("/a").value(as: String.self)
        }
        #expect(error?.code == 7)
    }

    private struct RoomError: Error, Equatable { let code: Int? }

    private struct FamilyRoom: ResponseFamily, Decodable {
        let id: Int

        static func commonError(in reading: EnvelopeResult) -> (any Error)? {
            reading.code?.integer == 8 ? RoomError(code: 8) : nil
        }
    }

    @Test(
        "a family decides before the strict envelope, which decides the rest",
        arguments: [(7, false), (8, true), (nil, false)] as [(Int?, Bool)])
    func family(code: Int?, isOwn: Bool) async throws {
        let body = code.map { #"{"code":\#($0),"msg":"no","id":1}"# } ?? #"{"id":1}"#
        let error = try #require(await client(body).get("/a").execute(as: FamilyRoom.self).result.apiError)
        #expect((error.contents.own is RoomError) == isOwn)
        #expect(error.kind == (code == nil ? .unrecognizedResponse : .business))
    }

    @Test("a rule from a file uses the strict envelope of the defaults")
    func rule() async throws {
        let client = client(#"{"code":7,"msg":"no","data":1}"#, #"{"id":1}"#, #"{"code":0,"data":1}"#)
        try client.rules.load(Data(#"{"R": {"Path": "x"}}"#.utf8))
        for kind in [APIError.Kind.business, .unrecognizedResponse] {
            let error = await #expect(throws: APIError.self) { try await client.request(named: "R").value(as: Int.self) }
            #expect(error?.kind == kind)
        }
        #expect(try await client.request(named: "R").value(as: Int.self) == 1)
    }

    @Test("a page of a list that is a failure of the strict envelope fails the list")
    func pages() async throws {
        let client = client(#"{"code":0,"data":[1,2]}"#, #"{"code":7,"msg":"no","data":[3]}"#)
        let error = await #expect(throws: APIError.self) {
            for try await _ in client.get("/a").items(of: Int.self, by: .number()) {}
        }
        #expect(error?.code == 7)
    }

    @Test("a call of a batch fails by the strict envelope, and leaves the others alone")
    func batch() async throws {
        let client = client(#"{"code":7,"msg":"no"}"#)
        let results = try await client.batch([client.get("/a"), client.get("/b")], as: JSON.self).value
        #expect(results.count == 2)
        for result in results { #expect(throws: APIError.self) { try result.get() } }
    }

    @Test("each event of a stream is judged by the strict envelope")
    func events() async throws {
        let client = client(
            "data: {\"code\":0,\"data\":{\"id\":1}}\n\ndata: {\"id\":2}\n\n", type: "text/event-stream")
        var ids: [Int?] = []
        let error = await #expect(throws: APIError.self) {
            for try await room in client.get("/a").events(as: Room.self) { ids.append(room.id) }
        }
        #expect(ids == [1])
        #expect(error?.kind == .unrecognizedResponse)
    }

    @Test("a failure whose body fits the type is reported once for the tag, and names .envelope(.raw)")
    func fitting() async throws {
        let client = client(#"{"code":86,"name":"China","message":"m"}"#, envelope: .standard)
        let told = Recorder<DiagnosticEvent>()
        client.onDiagnostic { told.note($0) }
        for _ in 0..<2 {
            let error = await #expect(throws: APIError.self) { try await client.get("/a").value(as: Room.self) }
            #expect(error?.explanation?.contains(".envelope(.raw)") == true)
        }
        #expect(told.events.map(\.kind) == [.unrecognizedSuccess])
        #expect(try await client.get("/a").envelope(.raw).value(as: Room.self).code == 86)
    }
}
