import Catena
import CatenaTesting
import Foundation
import Testing

private struct User: Codable, Equatable, Sendable {
    let name: String
    var age: Int?
}

private enum Level: String, Codable, Sendable { case low, high }
private struct Member: Codable, Sendable { let level: Level }
private struct Box: Codable, Sendable { let user: User }

private struct Row: Codable, Sendable {
    let id: Int32
    var score: Double?
    var kind: Kind?

    enum Kind: Int, Codable, Sendable { case usual = 200 }
}

private struct Unwilling: Decodable, Sendable {
    struct Refusal: Error { let reason = "made up" }
    init(from decoder: any Decoder) throws { throw Refusal() }
}

private func request(_ body: String, status: Int = 200, headers: HTTPHeaders = [:]) -> Request {
    Client(transport: ClosureTransport { _ in .json(body, status: status, headers: headers) }).absoluteURL("https://forum.example.com/x")
}

/// Returns the error that a call throws.
private func failure<Value: Sendable>(_ value: () async throws -> Value) async -> APIError? {
    await #expect(throws: APIError.self) { _ = try await value() }
}

@Suite("Results of calls", .limitedParallelism)
struct ResultDecoderTests {
    @Test("models, arrays, scalars and optionals are decoded from the payload")
    func typed() async throws {
        #expect(try await request(#"{"code":0,"data":[{"name":"a"},{"name":"b","age":2}]}"#).value(as: [User].self).count == 2)
        #expect(try await request(#"{"code":0,"data":{"name":"a"}}"#).value(as: User.self) == User(name: "a"))
        #expect(try await request(#"{"code":0,"data":7}"#).value(as: Int.self) == 7)
        #expect(try await request(#"{"code":0,"data":"s"}"#).value(as: String.self) == "s")
        #expect(try await request(#"{"code":0,"data":""}"#).value(as: String.self) == "")
        #expect(try await request(#"{"code":0,"data":false}"#).value(as: Bool.self) == false)
        #expect(try await request(#"{"code":0,"data":7}"#).value(as: Int?.self) == 7)
        #expect(try await request("[1,2]").value(as: [Int].self) == [1, 2])
        #expect(try await request("7").value(as: Int.self) == 7)
        #expect(try await request(#""s""#).value(as: String.self) == "s")
        #expect(try await request("\u{FEFF}[1]").value(as: [Int].self) == [1])
        #expect(try await request(#"{"name":"a"}"#).value(as: User.self) == User(name: "a"))
        #expect(try await request(#"{"code":0,"data":{"a":1}}"#).value(as: JSON.self) == ["a": 1])
    }

    @Test("a dynamic value is the payload, or the whole envelope if that has none")
    func dynamic() async throws {
        #expect(try await request(#"{"code":0,"data":{"a":[1]}}"#).value() == ["a": [1]])
        #expect(try await request(#"{"code":0,"msg":"m","data":null}"#).value().msg.string == "m")
        #expect(try await request(#"{"code":0}"#).value() == ["code": 0])
        #expect(try await request(#"{"code":"US","name":"x"}"#).value().name.string == "x")
        #expect(try await request("null").value().isNull)
        #expect(try await request("7").value().int == 7)
    }

    @Test("the context can determine the result type of a promise or an awaited value, which is JSON without one")
    func inferred() async throws {
        let call = request(#"{"code":0,"data":[{"name":"Ann"}]}"#)
        func promised() -> Promise<[User]> { call.execute() }
        func awaited() async throws -> [User] { try await call.value() }
        #expect(try await promised().value.map(\.name) == ["Ann"])
        #expect(try await awaited().map(\.name) == ["Ann"])
        #expect(try await call.execute().value[0].name.string == "Ann")
        #expect(try await call.value()[0].name.string == "Ann")
        let nobody: [User]? = try await request(#"{"code":0}"#).value()
        #expect(nobody == nil)
        let error = await failure { let _: [Int] = try await call.value() }
        #expect(error?.kind == .decoding)
    }

    static let withoutPayload: [(body: String, status: Int)] = [
        (#"{"code":0}"#, 200), (#"{"code":0,"data":null}"#, 200), (#"{"success":true,"total":1}"#, 200), (" \n", 200), ("null", 200),
        ("", 200), ("", 204),
    ]

    @Test("without a payload a typed call fails, and an optional is nil", arguments: withoutPayload)
    func missing(row: (body: String, status: Int)) async throws {
        let request = request(row.body, status: row.status)
        let error = await failure { try await request.value(as: [User].self) }
        #expect(error?.kind == .missingPayload)
        #expect(error?.code == -3)
        #expect(error?.status == row.status)
        #expect(error?.message.contains("Array<User>") == true)
        #expect(try await request.value(as: User?.self) == nil)
        #expect(try await request.value(as: [Int]?.self) == nil)
        #expect(try await request.value(as: Int??.self) == Int??.none)
        try await request.execute(.void).value
        #expect(try await request.execute(.data).value == Data(row.body.utf8))
        #expect(try await request.execute(.string).value == row.body)
    }

    @Test("an empty body is a missing payload for a dynamic value", arguments: [200, 204])
    func empty(status: Int) async {
        #expect(await failure { try await request("", status: status).value() }?.kind == .missingPayload)
    }

    @Test("data() and string() return the whole body, whether it is JSON or not")
    func bytes() async throws {
        let envelope = #"{"code":0,"data":1}"#
        #expect(try await request(envelope).execute(.data).value == Data(envelope.utf8))
        #expect(try await request(envelope).execute(.string).value == envelope)
        #expect(try await request("<p>").execute(.string).value == "<p>")
        try await request("<p>").execute(.void).value
    }

    @Test("string() decodes the body with the response's charset")
    func charset() async throws {
        let stub = ClosureTransport { _ in
            TransportResponse(status: 200, headers: ["Content-Type": "text/plain; charset=gbk"], body: TransportBody(Data([0xC4, 0xE3])))
        }
        #expect(try await Client(transport: stub).absoluteURL("https://forum.example.com/x").execute(.string).value == "你")
        #expect(try await Client(transport: stub).absoluteURL("https://forum.example.com/x").execute(.data).value == Data([0xC4, 0xE3]))
    }

    @Test("a business error rejects every kind of call")
    func business() async {
        let request = request(#"{"code":5,"msg":"m","data":[1]}"#)
        #expect(await failure { try await request.value() }?.code == 5)
        #expect(await failure { try await request.value(as: [Int].self) }?.code == 5)
        #expect(await failure { try await request.value(as: [Int]?.self) }?.code == 5)
        #expect(await failure { try await request.execute(.data).value }?.code == 5)
        #expect(await failure { try await request.execute(.string).value }?.code == 5)
        #expect(await failure { try await request.execute(.void).value }?.code == 5)
        #expect(await failure { try await request.execute(.response(as: [Int].self)).value }?.code == 5)
    }
}

@Suite("Responses that cannot be decoded", .limitedParallelism)
struct DecodingErrorTests {
    @Test("the error of a missing key has type, path and first bytes")
    func missingKey() async throws {
        let error = try #require(await failure { try await request(#"{"code":0,"data":[{"name":"a"},{"x":1}]}"#).value(as: [User].self) })
        #expect(error.kind == .decoding)
        #expect(error.code == -2)
        #expect(error.status == 200)
        #expect(error.underlying is DecodingError)
        #expect(
            error.message
                == #"Cannot decode Array<User> at "[1].name" (there is no such key). It begins: [{"name":"a"},{"x":1}]"#)
    }

    @Test("the error of a value of another type has its path")
    func mismatch() async throws {
        let error = try #require(await failure { try await request(#"{"user":{"name":"a","age":"x"}}"#).value(as: Box.self) })
        #expect(error.message.hasPrefix(#"Cannot decode Box at "user.age" ("#))
        #expect(error.message.hasSuffix(#"). It begins: {"user":{"name":"a","age":"x"}}"#))
    }

    static let unfitNumbers: [(body: String, reason: String)] = [
        (#"[{"id":1,"score":1.5},{"id":1.5,"score":2.5},{"id":2}]"#, #"at "[1].id" (wanted Int32, but it is the number 1.5)"#),
        (#"[{"id":99999999999}]"#, #"at "[0].id" (wanted Int32, but it is the number 99999999999)"#),
        (#"[{"id":-2147483649},{"id":2147483648}]"#, #"at "[0].id" (wanted Int32, but it is the number -2147483649)"#),
        (#"[{"score":1e400,"id":1}]"#, #"at "[0].score" (wanted Double, but it is the number 1e400)"#),
        // The first error in the document is reported.
        (#"[{"id":1.5,"kind":200}]"#, #"at "[0].id" (wanted Int32, but it is the number 1.5)"#),
        (#"[{"id":1.5},{"id":"x"}]"#, #"at "[0].id" (wanted Int32, but it is the number 1.5)"#),
    ]

    @Test("the error of a number that does not fit has its path", arguments: unfitNumbers)
    func numbers(row: (body: String, reason: String)) async throws {
        let error = try #require(await failure { try await request(#"{"code":0,"data":\#(row.body)}"#).value(as: [Row].self) })
        #expect(error.kind == .decoding)
        #expect(error.underlying is DecodingError)
        #expect(error.message == "Cannot decode Array<Row> \(row.reason). It begins: \(row.body)")
    }

    @Test("the error of an unfit number also covers the whole payload, and hides a secret")
    func otherNumbers() async throws {
        let whole = try #require(await failure { try await request("1.5").value(as: Int.self) })
        #expect(whole.message == "Cannot decode Int (wanted Int, but it is the number 1.5). It begins: 1.5")
        let secret = try #require(await failure { try await request(#"{"token":1.5}"#).value(as: [String: Int].self) })
        #expect(secret.message.hasPrefix(#"Cannot decode Dictionary<String, Int> at "token" (the value cannot be used)"#))
    }

    static let unfit: [(body: String, start: String)] = [
        // PHP's empty object, an empty text, JSON within a string, and an envelope without the model's keys.
        (#"{"code":0,"data":[]}"#, "It begins: []"),
        (#"{"code":0,"data":""}"#, #"It begins: """#),
        (#"{"code":0,"data":"{\"name\":\"a\"}"}"#, #"It begins: "{\"name\":\"a\"}""#),
        (#"{"msg":"m"}"#, #"It begins: {"msg":"m"}"#),
        ("[\n1]", "It begins: [ 1]"),
    ]

    @Test("a payload that does not fit the model rejects the call", arguments: unfit)
    func rejects(row: (body: String, start: String)) async throws {
        let error = try #require(await failure { try await request(row.body).value(as: User.self) })
        #expect(error.kind == .decoding)
        #expect(error.message.hasPrefix("Cannot decode User"))
        #expect(error.message.hasSuffix(row.start))
        #expect(await failure { try await request(row.body).value(as: User?.self) }?.kind == .decoding)
    }

    @Test("an error quotes only the beginning of a large payload")
    func bounded() async throws {
        let error = try #require(
            await failure { try await request("[" + String(repeating: "1,", count: 5_000) + "1]").value(as: User.self) })
        #expect(error.message.count < 300)
    }

    @Test("an error that the type throws is the cause of the decoding error")
    func foreign() async throws {
        let error = try #require(await failure { try await request("{}").value(as: Unwilling.self) })
        #expect(error.kind == .decoding)
        #expect(error.underlying is Unwilling.Refusal)
        #expect(error.message.hasPrefix("Cannot decode Unwilling ("))
        #expect(error.message.contains("made up"))
    }

    @Test("the error quotes a value that does not fit")
    func quoted() async throws {
        let error = try #require(await failure { try await request(#"{"level":"odd"}"#).value(as: Member.self) })
        #expect(error.message.contains("level") && error.message.contains("odd"))
    }

    @Test("an HTML page instead of JSON rejects the call", arguments: ["application/json", "text/html"])
    func page(contentType: String) async throws {
        let page = "<html><title>Login</title></html>"
        let error = try #require(await failure { try await request(page, headers: ["Content-Type": contentType]).value(as: User.self) })
        #expect(error.kind == .decoding)
        #expect(error.status == 200)
        #expect(error.message.contains("<title>Login"))
        #expect(error.body == Data(page.utf8))
        #expect(await failure { try await request(page, headers: ["Content-Type": contentType]).value() }?.kind == .decoding)
        #expect(await failure { try await request(page, headers: ["Content-Type": contentType]).value(as: User?.self) }?.kind == .decoding)
    }

    @Test("JSON is read even if its content type says otherwise", arguments: ["text/html", "text/plain", "application/octet-stream"])
    func contentType(contentType: String) async throws {
        #expect(try await request(#"{"code":0,"data":[1]}"#, headers: ["Content-Type": contentType]).value(as: [Int].self) == [1])
    }
}
