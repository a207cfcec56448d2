import CatenaTesting
import Foundation
import Testing

@testable import Catena

private enum Role: String, Codable, CaseIterable, Sendable { case admin, member }
private enum Level: String, Codable, UnknownCaseDecodable {
    case low, high, other
    static let unknownCase = Level.other
}
private struct User: Codable, Equatable, Sendable { let name: String }
private struct Account: Decodable, Sendable { let role: Role }
private struct Meeting: Decodable, Sendable { let at: Date }
private struct Alarm: Decodable, Equatable, Sendable { let level: Level }
private struct Labels: Decodable, Equatable, Sendable { let labels: [String: Int] }
private struct Tags: Decodable, Sendable { let tags: [Int] }
private struct Users: Decodable, Sendable { let users: [User] }

@Suite("Advice in decoding errors, and special cases of decoding", .limitedParallelism)
struct DecodingAdviceTests {
    private func value<Value: Decodable & Sendable>(
        _ body: String, as type: Value.Type, _ envelope: Envelope = .standard, _ decoder: JSONDecoder = JSONDecoder(),
        _ decoding: Decoding = .strict
    ) throws -> Value {
        try envelope.value(of: answer(body), as: type, decoder: decoder, decoding)
    }

    private func message<Value: Decodable & Sendable>(
        _ body: String, as type: Value.Type, _ envelope: Envelope = .standard, _ decoder: JSONDecoder = JSONDecoder(),
        _ decoding: Decoding = .strict
    ) throws -> String {
        try #require(throws: APIError.self) { try value(body, as: type, envelope, decoder, decoding) }.message
    }

    @Test("the error of a type that fits the payload key names the unwrap step")
    func payload() throws {
        let body = #"{"result":{"name":"a"},"x":1}"#
        let text = try message(body, as: User.self, .raw)
        #expect(text.hasSuffix(#"The type fits what is at "result": set(\.unwrap, .path("result"))"#))
        #expect(try value(body, as: User.self, Envelope.raw.unwrapping(.path("result"))) == User(name: "a"))
        #expect(try !message(#"{"result":{"title":"a"},"x":1}"#, as: User.self, .raw).contains("unwrap"))
    }

    @Test("an enum's error names its cases")
    func cases() throws {
        let text = try message(#"{"role":"owner"}"#, as: Account.self, .raw)
        #expect(text.contains(#"at "role" (wanted a case of Role ("admin", "member"), but it is the string "owner". UnknownCaseDecodable"#))
    }

    @Test(
        "a date's error names the format",
        arguments: [
            (JSONDecoder.DateDecodingStrategy.deferredToDate, "seconds since 2001"), (.secondsSince1970, "seconds since 1970"),
            (.millisecondsSince1970, "milliseconds since 1970"), (.iso8601, "ISO 8601 such as"), (.lenient(), "RFC 3339"),
        ])
    func dates(row: (strategy: JSONDecoder.DateDecodingStrategy, words: String)) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = row.strategy
        let text = try message(#"{"at":"tomorrow"}"#, as: Meeting.self, .raw, decoder)
        #expect(text.contains(row.words), "\(text)")
        #expect(text.contains(#"but it is the string "tomorrow""#), "\(text)")
        #expect(text.contains(#"at "at""#), "\(text)")
    }

    @Test("a custom date strategy is tried with a strict decoder first")
    func customDates() throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Double.self) { return Date(timeIntervalSince1970: number) }
            return Date(timeIntervalSince1970: Double(try container.decode(String.self).count))
        }
        for decoding in [Decoding.strict, .lenient] {
            #expect(try value(#"{"at":"20260131"}"#, as: Meeting.self, .raw, decoder, decoding).at == Date(timeIntervalSince1970: 8))
            #expect(try value(#"{"at":7}"#, as: Meeting.self, .raw, decoder, decoding).at == Date(timeIntervalSince1970: 7))
        }
        let plain = JSONDecoder()
        plain.dateDecodingStrategy = .custom { Date(timeIntervalSince1970: try $0.singleValueContainer().decode(Double.self)) }
        #expect(try value(#"{"at":"7"}"#, as: Meeting.self, .raw, plain, .lenient).at == Date(timeIntervalSince1970: 7))
    }

    @Test("with defaults, null and a missing key decode as the unknown case of an enum")
    func unknownCases() throws {
        for body in [#"{"level":null}"#, "{}", #"{"level":"odd"}"#] {
            #expect(try value(body, as: Alarm.self, .raw, JSONDecoder(), .lenient(.defaults)) == Alarm(level: .other))
        }
        #expect(throws: APIError.self) { try value(#"{"level":null}"#, as: Alarm.self, .raw, JSONDecoder(), .lenient) }
    }

    @Test("with defaults, a null payload decodes as an empty array, but not as a model")
    func nullPayload() throws {
        let body = #"{"code":0,"data":null}"#
        #expect(try value(body, as: [Int].self, .standard, JSONDecoder(), .lenient(.defaults)) == [])
        #expect(try value(body, as: [Int].self, .raw.codes("code").success(0).data("data"), JSONDecoder(), .lenient(.defaults)) == [])
        #expect(try value(body, as: [User].self, .standard, JSONDecoder(), .lenient(.defaults)) == [])
        #expect(throws: APIError.self) { try value(body, as: User.self, .standard, JSONDecoder(), .lenient(.defaults)) }
        #expect(throws: APIError.self) { try value(body, as: [Int].self, .standard, JSONDecoder(), .lenient) }
    }

    @Test("lenient decoding takes an empty array for an empty dictionary")
    func dictionaries() throws {
        #expect(try value(#"{"labels":[]}"#, as: Labels.self, .raw, JSONDecoder(), .lenient) == Labels(labels: [:]))
        #expect(throws: APIError.self) { try value(#"{"labels":[1]}"#, as: Labels.self, .raw, JSONDecoder(), .lenient) }
        #expect(throws: APIError.self) { try value(#"{"labels":[]}"#, as: Labels.self, .raw) }
    }

    @Test("JSON5 and documents without braces are read if the decoder allows them")
    func moreThanJSON() throws {
        let five = JSONDecoder()
        five.allowsJSON5 = true
        #expect(try value("{name: 'a',}", as: User.self, .standard, five) == User(name: "a"))
        let bare = JSONDecoder()
        bare.assumesTopLevelDictionary = true
        #expect(try value(#""name": "a""#, as: User.self, .standard, bare) == User(name: "a"))
        #expect(throws: APIError.self) { try value("{name: 'a',}", as: User.self) }
        #expect(throws: APIError.self) { try value("{name: 'a',}", as: User.self, .standard, five, .lenient) }
    }

    @Test("the error path of a single value in place of a list has no index")
    func paths() throws {
        #expect(try message(#"{"tags":"x"}"#, as: Tags.self, .raw, JSONDecoder(), .lenient).contains(#"at "tags" ("#))
        #expect(try message(#"{"users":{"id":1}}"#, as: Users.self, .raw, JSONDecoder(), .lenient).contains(#"at "users.name" ("#))
        #expect(try message(#"{"users":[{"id":1}]}"#, as: Users.self, .raw, JSONDecoder(), .lenient).contains(#"at "users[0].name" ("#))
    }
}
