import Catena
import CatenaTesting
import Foundation
import TestSupport
import Testing

private struct User: Codable, Equatable, Sendable {
    var name: String?
}

private struct Named: Codable, Sendable {
    let name: String
}

private func request(_ body: String, status: Int = 200, headers: HTTPHeaders = [:], _ envelope: Envelope = .standard) -> Request {
    let client = Client(transport: ClosureTransport { _ in .json(body, status: status, headers: headers) })
    return client.absoluteURL("https://forum.example.com/x").envelope(envelope)
}

private func failure<Value: Sendable>(_ value: () async throws -> Value) async throws -> APIError {
    try #require(await #expect(throws: APIError.self) { _ = try await value() })
}

@Suite("Calls and their envelopes", .limitedParallelism)
struct EnvelopeCallTests {
    private static let list = #"{"code":0,"msg":"m","data":{"list":[{"name":"a"}],"total":1}}"#

    @Test("a call selects the part of the response that it wants")
    func unwrap() async throws {
        let request = request(Self.list)
        #expect(try await request.set(\.unwrap, .path("data.list")).value(as: [User].self) == [User(name: "a")])
        #expect(try await request.set(\.unwrap, .path("data.list[0].name")).value() == "a")
        #expect(try await request.set(\.unwrap, .body).value().msg.string == "m")
        #expect(try await request.set(\.unwrap, .path("data.total")).set(\.unwrap, .payload).value().total.int == 1)
        #expect(try await request.set(\.unwrap, .path("data.none")).value(as: Int?.self) == nil)
        #expect(try await failure { try await request.set(\.unwrap, .path("data.none")).value(as: Int.self) }.kind == .missingPayload)
        #expect(try await failure { try await request.set(\.unwrap, .path("data.none")).value() }.kind == .missingPayload)
        #expect(try await failure { try await request.set(\.unwrap, .path("a..b")).value() }.kind == .invalidRequest)
    }

    @Test("whatever part a call wants, the envelope decides whether it succeeded")
    func unwrapFailure() async throws {
        let refused = request(#"{"code":5,"msg":"m","data":{"list":[1]}}"#)
        #expect(try await failure { try await refused.set(\.unwrap, .path("data.list")).value() }.code == 5)
        #expect(try await failure { try await refused.set(\.unwrap, .body).value() }.code == 5)
        #expect(try await request(#"{"items":[1]}"#).set(\.unwrap, .path("items")).value() == [1])
        #expect(try await request("[[7]]").set(\.unwrap, .path("[0][0]")).value() == 7)
    }

    @Test("PHP's empty array is an object where one is needed")
    func emptyArray() async throws {
        let body = #"{"code":0,"data":[ ]}"#
        #expect(try await request(body, .standard.emptyArrayIsObject()).value(as: User.self) == User())
        #expect(try await request(body, .standard.emptyArrayIsObject()).value(as: User?.self) == User())
        #expect(try await request(body, .standard.emptyArrayIsObject()).value(as: [User].self) == [])
        #expect(try await request(body, .standard.emptyArrayIsObject()).value() == [])
        #expect(try await failure { try await request(body).value(as: User.self) }.kind == .decoding)
        let named = try await failure { try await request(body, .standard.emptyArrayIsObject()).value(as: Named.self) }
        #expect(named.message.contains(#"at "name" (there is no such key)"#))
        #expect(
            try await failure { try await request(#"{"code":0,"data":[1]}"#, .standard.emptyArrayIsObject()).value(as: User.self) }.kind
                == .decoding)
    }

    @Test("a value beside the code is decoded where there is no other payload")
    func besideTheCode() async throws {
        let body = #"{"errcode":0,"errmsg":"ok","name":"a"}"#
        #expect(try await request(body, .standard.missingPayload(.body)).value(as: User.self) == User(name: "a"))
        #expect(try await request(body, .standard.missingPayload(.null)).value(as: User?.self) == nil)
        #expect(try await request(body, .standard.missingPayload(.null)).value().isNull)
        #expect(try await request(body).value(as: User.self) == User(name: "a"))
        #expect(try await failure { try await request(body, .standard.missingPayload(.fail)).value(as: User.self) }.kind == .missingPayload)
    }

    @Test("JSON in text and transformed payloads are decoded")
    func changed() async throws {
        let text = #"{"code":0,"data":"{\"name\":\"a\"}"}"#
        #expect(try await request(text, .standard.payloadInText()).value(as: User.self) == User(name: "a"))
        #expect(try await request(text, .standard.payloadInText()).value().name == "a")
        let sealed = #"{"code":0,"data":"eyJuYW1lIjoiYSJ9"}"#
        let opening = Envelope.standard.transformPayload { Data(base64Encoded: $0) ?? Data() }
        #expect(try await request(sealed, opening).value(as: User.self) == User(name: "a"))
        #expect(try await request(sealed, opening).execute(.response(as: User.self)).value.body == Data(sealed.utf8))
    }

    @Test("a transform that takes the request sees what was sent by the last attempt, also for a kept response")
    func requested() async throws {
        let stubs = Stubs()
        let client = Client(testing: stubs)
        stubs.get("/a").sequence(.status(503), .json(["code": 0, "data": "x"]))
        client.commonHeaders { _ in ["X-Key-ID": "k\(stubs.requests.count)"] }
        client.configureDefaults { defaults in
            defaults.cache = .memory(limit: 1 << 16)
            defaults.retry = .exponential(limit: 1)
            defaults.envelope = .standard.transformPayload { sealed, request in
                Data(#"{"name":"\#(String(decoding: sealed, as: UTF8.self)) \#(request.headers["X-Key-ID"] ?? "none")"}"#.utf8)
            }
        }
        #expect(try await client.get("/a").value(as: User.self) == User(name: "x k1"))
        client.commonHeaders { _ in ["X-Key-ID": "k"] }
        stubs.get("/b").reply(json: ["code": 0, "data": "x"])
        for _ in 0..<2 { #expect(try await client.get("/b").cache(.always).value(as: User.self) == User(name: "x k")) }
        #expect(stubs.requests.count == 3)
    }

    @Test("a transform that takes the request fails a response without one, and is named")
    func unrequested() throws {
        let envelope = Envelope.standard.transformPayload { sealed, _ in sealed }
        let error = try #require(throws: APIError.self) { try envelope.read(answer(#"{"code":0,"data":"1"}"#)) }
        #expect(error.kind == .decoding)
        #expect(error.message == "transformPayload: it needs the request of the response, and this response has none")
        #expect(throws: Never.self) { try envelope.transformPayload { $0 }.read(answer(#"{"code":0,"data":"1"}"#)) }
    }

    @Test("errors have precedence: the envelope, then the status, then the decoding")
    func precedence() async throws {
        let both = try await failure { try await request(#"{"code":5,"msg":"m","data":"x"}"#, status: 500).value(as: Int.self) }
        #expect(both.kind == .status && both.code == 5 && both.status == 500)
        let status = try await failure { try await request(#"{"code":0,"data":"x"}"#, status: 500).value(as: Int.self) }
        #expect(status.kind == .status && status.code == 500)
        let business = try await failure { try await request(#"{"code":5,"data":"x"}"#).value(as: Int.self) }
        #expect(business.kind == .business && business.code == 5)
        #expect(try await failure { try await request(#"{"code":0,"data":"x"}"#).value(as: Int.self) }.kind == .decoding)
    }

    @Test("property lists are decoded by their media type, where the tag accepts it")
    func propertyList() async throws {
        let body = try PropertyListEncoder().encode([User(name: "a")])
        for type in ["application/x-plist", "Application/X-Apple-Binary-Plist; q=1"] {
            let client = Client(
                transport: ClosureTransport { _ in
                    TransportResponse(status: 200, headers: ["Content-Type": type], body: TransportBody(body))
                }
            )
            client.configureDefaults { $0.acceptedTypes = ["application/x-plist", "application/x-apple-binary-plist"] }
            #expect(try await client.absoluteURL("https://forum.example.com/x").value(as: [User].self) == [User(name: "a")])
            #expect(try await client.absoluteURL("https://forum.example.com/x").value() == [["name": "a"]])
            #expect(try await failure { try await client.absoluteURL("https://forum.example.com/x").value(as: Int.self) }.kind == .decoding)
        }
    }

    private struct Pairs: PayloadDecoder {
        func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
            let pair = String(decoding: data, as: UTF8.self).split(separator: "=")
            return try JSONDecoder().decode(type, from: JSONEncoder().encode([String(pair[0]): String(pair[1])]))
        }
    }

    @Test("a tag's decoders decode responses of their media types, beside the default decoders")
    func decoders() async throws {
        let client = Client(
            transport: ClosureTransport { request in
                .text("name=a", headers: ["Content-Type": request.address.path == "/b" ? "text/b" : "text/a; x=y"])
            })
        client.configureDefaults {
            $0.host = "https://forum.example.com"
            $0.decoders["text/a"] = Pairs()
        }
        client.configure("forum") { $0.decoders["text/b"] = Pairs() }
        #expect(try await client.tag("forum").get("/a").value(as: User.self) == User(name: "a"))
        #expect(try await client.tag("forum").get("/b").value(as: User.self) == User(name: "a"))
        #expect(try await failure { try await client.get("/b").value(as: User.self) }.kind == .decoding)
        #expect(try await client.get("/b").execute(.string).value == "name=a")
    }

    @Test("a decoder for a vendor's JSON media type decodes the payload of the envelope")
    func vendorJSON() async throws {
        let client = Client(
            transport: ClosureTransport { _ in
                .json(#"{"code":0,"data":{"user_name":"a"}}"#, headers: ["Content-Type": "application/vnd.forum+json"])
            })
        struct Account: Codable, Sendable { let userName: String }
        client.configureDefaults {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            $0.decoders["application/vnd.forum+json"] = decoder
        }
        #expect(try await client.absoluteURL("https://forum.example.com/x").value(as: Account.self).userName == "a")
    }

    @Test("a call with a retryable code is retried after the wait that the response asks for")
    func retry() async throws {
        let clock = VirtualClock()
        let count = Counter()
        let stub = ClosureTransport { _ in
            count.increment()
            return .json(count.count == 1 ? #"{"code":"BUSY","msg":"m","wait":7}"# : #"{"code":0,"data":1}"#)
        }
        let client = Client(transport: stub, clock: clock, random: 0)
        client.configureDefaults {
            $0.retry = .exponential(limit: 1, baseDelay: .milliseconds(1))
            $0.envelope = .standard.retryable("BUSY").retryDelay("wait")
        }
        let promise = client.absoluteURL("https://forum.example.com/x").execute(as: Int.self)
        await clock.scheduled(.seconds(7))
        clock.advance(by: .seconds(7))
        #expect(try await promise.value == 1)
        #expect(stub.requests.count == 2)
    }
}
