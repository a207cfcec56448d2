import CatenaTesting
import Foundation
import Testing

@testable import Catena

/// Decodes different keys for each value of `kind`.
private enum Notice: Decodable, Sendable, Equatable {
    case text(String)
    case alarm(code: Int, level: String)

    private enum Keys: String, CodingKey {
        case kind, text, code, level
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        if try container.decodeIfPresent(String.self, forKey: .kind) == "alarm" {
            self = .alarm(code: try container.decode(Int.self, forKey: .code), level: try container.decode(String.self, forKey: .level))
        } else {
            self = .text(try container.decode(String.self, forKey: .text))
        }
    }
}

private struct Status: Codable, Sendable, Equatable {
    let code: Int
    let message: String
    let severity: String
}

private struct Count: Codable, Sendable, Equatable { let count: Int }
private struct Plain: Codable, Sendable, Equatable {
    let code: Int
    let msg: String
}
private struct Nothing: Codable, Sendable, Equatable {}
private struct Body: Codable, Sendable, Equatable {
    var message: String?
    var body: String?
}
private struct Failing: Codable, Sendable, Equatable { let errorCode: Int; let deviceName: String }

@Suite("Keys that a type asks for belong to the type", .limitedParallelism)
struct AskedKeyTests {
    private func value<Value: Decodable & Sendable>(
        _ body: String, as type: Value.Type, _ decoder: JSONDecoder = JSONDecoder(), _ decoding: Decoding = .strict
    ) throws -> Value {
        try Envelope.standard.value(of: answer(body), as: type, decoder: decoder, decoding)
    }

    private func failure<Value: Decodable & Sendable>(_ body: String, as type: Value.Type) throws -> APIError {
        try #require(throws: APIError.self) { try value(body, as: type) }
    }

    @Test("a code beside a message fails the call, even if it is a key of the model")
    func model() throws {
        let body = #"{"code":1044,"message":"Battery low","severity":"warn"}"#
        #expect(try failure(body, as: Status.self).code == 1044)
        #expect(try failure(body, as: Count.self).code == 1044)
        #expect(try failure(body, as: Plain.self).code == 1044)
    }

    @Test("an enum whose cases ask for different keys keeps those of the case that it decodes")
    func cases() throws {
        let alarm = #"{"kind":"alarm","code":7,"level":"high"}"#
        #expect(try value(alarm, as: Notice.self) == .alarm(code: 7, level: "high"))
        #expect(try failure(#"{"kind":"note","text":"t","code":7,"message":"m"}"#, as: Notice.self).code == 7)
        #expect(try value(#"{"kind":"note","text":"t"}"#, as: Notice.self) == .text("t"))
        #expect(try value(alarm, as: Notice.self) == .alarm(code: 7, level: "high"))
        #expect(try value(#"{"code":0,"data":{"text":"t"}}"#, as: Notice.self) == .text("t"))
    }

    @Test("a type can ask for the members beside a code, and for the code")
    func beside() throws {
        #expect(try value(#"{"code":0,"msg":"ok","count":3}"#, as: Count.self).count == 3)
        #expect(try value(#"{"code":0,"msg":"ok"}"#, as: Plain.self) == Plain(code: 0, msg: "ok"))
        #expect(try value(#"{"code":0,"msg":"ok"}"#, as: Nothing.self) == Nothing())
        #expect(try value(#"{"code":0,"message":"ok","data":{}}"#, as: Body.self) == Body())
    }

    @Test("the keys of a type follow the decoder's key strategy")
    func strategy() throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let body = #"{"error_code":7,"device_name":"a door","x":1}"#
        #expect(try failure(body, as: Failing.self).code == 7)
        let payload = #"{"error_code":0,"data":{"error_code":7,"device_name":"a door"}}"#
        #expect(try value(payload, as: Failing.self, decoder) == Failing(errorCode: 7, deviceName: "a door"))
    }

    @Test("void() and string() judge as value() does")
    func void() async throws {
        let client = Client(transport: ClosureTransport { _ in .json(#"{"code":10001,"note":"x"}"#) })
        let request = client.absoluteURL("https://forum.example.com/x")
        #expect(try await request.value()["note"] == "x")
        try await request.execute(.void).value
        #expect(try await request.execute(.string).value == #"{"code":10001,"note":"x"}"#)
    }
}
