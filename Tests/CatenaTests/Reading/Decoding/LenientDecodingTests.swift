import Foundation
import Testing

@testable import Catena

@Suite("Lenient decoding", .limitedParallelism)
struct LenientDecodingTests {
    private enum Role: String, UnknownCaseDecodable {
        case admin, member, other
        static let unknownCase = Role.other
    }

    private enum Color: String, Decodable {
        case red
        case none = ""
    }

    private struct Model: Decodable, Equatable {
        var int: Int?
        var byte: UInt8?
        var text: String?
        var flag: Bool?
        var double: Double?
        var float: Float?
        var decimal: Decimal?
        var date: Date?
        var url: URL?
        var data: Data?
        var role: Role?
        var color: Color?
        var list: [Int]?
        var texts: [String]?
        var inner: Inner?
        var map: [String: Int]?
        var json: JSON?
    }

    private struct Inner: Decodable, Equatable {
        let id: Int
    }

    private func model(_ text: String, _ decoding: Decoding = .lenient) throws -> Model {
        try JSONPayloadDecoder(JSONDecoder(), decoding).decode(Model.self, from: Data(text.utf8))
    }

    private struct User: Decodable, Equatable {
        var name: String?
        var age: Int?
    }

    @Test("`{}` is an empty list, also of objects")
    func emptyObjectAsList() throws {
        func list<Item: Decodable>(_ type: Item.Type, _ text: String, _ decoding: Decoding = .lenient) throws -> [Item] {
            try JSONPayloadDecoder(JSONDecoder(), decoding).decode([Item].self, from: Data(text.utf8))
        }
        #expect(try list(User.self, "{}").isEmpty)
        #expect(try list(User.self, "{}", .lenient(.defaults)).isEmpty)
        #expect(try list([String: Int].self, "{}").isEmpty)
        #expect(try model(#"{"list":{}}"#).list == [])
        #expect(try list(User.self, #"{"age":"7"}"#) == [User(age: 7)])
        #expect(try list([String: Int].self, #"{"a":1}"#) == [["a": 1]])
        let error = #expect(throws: DecodingError.self) { try list(User.self, #"{"list":[],"page":1}"#) }
        #expect(error.map { "\($0)" }?.contains("none of the keys") == true, "\(String(describing: error))")
    }

    private static let taken: [(text: String, expected: Model)] = [
        (#"{"int":"12"}"#, Model(int: 12)), (#"{"int":" -7 "}"#, Model(int: -7)), (#"{"int":"12.0"}"#, Model(int: 12)),
        (#"{"byte":"255"}"#, Model(byte: 255)), (#"{"int":""}"#, Model()), (#"{"int":null}"#, Model()),
        (#"{"text":12}"#, Model(text: "12")), (#"{"text":1.50}"#, Model(text: "1.50")), (#"{"text":""}"#, Model(text: "")),
        (#"{"flag":1}"#, Model(flag: true)), (#"{"flag":0}"#, Model(flag: false)), (#"{"flag":"True"}"#, Model(flag: true)),
        (#"{"flag":"0"}"#, Model(flag: false)), (#"{"flag":""}"#, Model()),
        (#"{"double":"1.5","float":"-0.25"}"#, Model(double: 1.5, float: -0.25)), (#"{"double":"1e3"}"#, Model(double: 1000)),
        (#"{"decimal":"1.5"}"#, Model(decimal: Decimal(string: "1.5"))), (#"{"decimal":""}"#, Model()),
        (#"{"decimal":"12345678901234567890.125"}"#, Model(decimal: Decimal(string: "12345678901234567890.125"))),
        (#"{"date":"86400"}"#, Model(date: Date(timeIntervalSinceReferenceDate: 86400))), (#"{"date":""}"#, Model()),
        (#"{"url":""}"#, Model()), (#"{"data":""}"#, Model(data: Data())),
        (#"{"role":"owner"}"#, Model(role: .other)), (#"{"role":"admin"}"#, Model(role: .admin)), (#"{"role":7}"#, Model(role: .other)),
        (#"{"role":""}"#, Model()), (#"{"color":""}"#, Model(color: Color.none)),
        (#"{"list":5}"#, Model(list: [5])), (#"{"list":"5"}"#, Model(list: [5])), (#"{"list":["1",2,3.0]}"#, Model(list: [1, 2, 3])),
        (#"{"list":""}"#, Model()), (#"{"list":[]}"#, Model(list: [])), (#"{"texts":"a"}"#, Model(texts: ["a"])),
        (#"{"inner":[]}"#, Model()), (#"{"inner":""}"#, Model()), (#"{"inner":{"id":"7"}}"#, Model(inner: Inner(id: 7))),
        (#"{"map":[]}"#, Model()), (#"{"map":{"a":"1"}}"#, Model(map: ["a": 1])),
        // The escapes of a text do not matter, nor does white space around a number or a truth value.
        (#"{"int":"12\n"}"#, Model(int: 12)), (#"{"int":"\t12"}"#, Model(int: 12)), (#"{"int":"1e\u002B3"}"#, Model(int: 1000)),
        (#"{"double":"1e\u002B3","float":"1.5\r\n"}"#, Model(double: 1000, float: 1.5)), (#"{"list":["1\n"]}"#, Model(list: [1])),
        (#"{"decimal":"\n1.5"}"#, Model(decimal: Decimal(string: "1.5"))),
        (#"{"flag":"\u0074rue"}"#, Model(flag: true)), (#"{"flag":" 0\n"}"#, Model(flag: false)),
        (#"{"role":0.7}"#, Model(role: .other)), (#"{"role":"\u006fwner"}"#, Model(role: .other)),
        // A dynamic value is not converted.
        (#"{"json":12}"#, Model(json: 12)), (#"{"json":"12"}"#, Model(json: "12")),
        (#"{"json":[1,{"a":""}]}"#, Model(json: [1, ["a": ""]])),
    ]

    @Test("lenient decoding accepts the usual substitutes for a type's values")
    func isTaken() {
        each(Self.taken.indices) { row in
            let (text, expected) = Self.taken[row]
            let decoded = try model(text)
            #expect(decoded == expected, "\(text)")
        }
    }

    private enum Ratio: Double, UnknownCaseDecodable {
        case half = 0.5
        case whole = 1
        case other = -1
        static let unknownCase = Ratio.other
    }

    @Test(
        "a number that no case has is the unknown case, with or without a fraction",
        arguments: [("0.5", 0.5), ("1.0", 1), ("0.7", -1), ("1e-3", -1), ("2", -1)] as [(String, Double)])
    func unknownNumber(text: String, expected: Double) throws {
        #expect(try JSONPayloadDecoder(JSONDecoder(), .lenient).decode(Ratio.self, from: Data(text.utf8)).rawValue == expected)
        #expect(throws: DecodingError.self) { try JSONPayloadDecoder().decode(Ratio.self, from: Data("0.7".utf8)) }
    }

    /// A value of any type, which tries an array before an object.
    private indirect enum AnyValue: Decodable, Equatable {
        case number(Int)
        case array([AnyValue])
        case object([String: AnyValue])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                self = .number(number)
            } else if let array = try? container.decode([AnyValue].self) {
                self = .array(array)
            } else {
                self = .object(try container.decode([String: AnyValue].self))
            }
        }
    }

    private static let once: [(String, AnyValue)] = [
        (#"{"a":{"b":1}}"#, .array([.object(["a": .array([.object(["b": .number(1)])])])])),
        (#"[{"a":1}]"#, .array([.array([.object(["a": .number(1)])])])), ("1", .number(1)),
    ]

    @Test("a single value stands for one array only, whatever the type tries", arguments: once.indices)
    func standsOnce(row: Int) throws {
        let (text, expected) = Self.once[row]
        #expect(try JSONPayloadDecoder(JSONDecoder(), .lenient).decode(AnyValue.self, from: Data(text.utf8)) == expected)
    }

    @Test("a single value stands for arrays in each other")
    func nestedArrays() throws {
        let decoder = JSONPayloadDecoder(JSONDecoder(), .lenient)
        #expect(try decoder.decode([[Int]].self, from: Data("5".utf8)) == [[5]])
        #expect(try decoder.decode([String: [[Inner]]].self, from: Data(#"{"a":{"id":7}}"#.utf8)) == ["a": [[Inner(id: 7)]]])
    }

    /// A tree whose inner nodes are arrays, and which is tried as such first.
    private struct Tree: Decodable {
        let children: [Tree]

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            var children: [Tree] = []
            while !container.isAtEnd { children.append(try container.decode(Tree.self)) }
            self.children = children
        }
    }

    @Test("a type that consists of arrays only refuses a single value")
    func onlyArrays() throws {
        let decoder = JSONPayloadDecoder(JSONDecoder(), .lenient)
        #expect(try decoder.decode(Tree.self, from: Data("[[],[]]".utf8)).children.count == 2)
        #expect(throws: DecodingError.self) { try decoder.decode(Tree.self, from: Data("1".utf8)) }
    }

    @Test("an optional integer of 128 bits is nil for an empty text, in an object and in an array")
    func wideOptionals() throws {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        struct Keyed: Decodable {
            let signed: Int128?
            let unsigned: UInt128?
        }
        struct Unkeyed: Decodable {
            let signed: Int128?
            let unsigned: UInt128?

            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                signed = try container.decodeIfPresent(Int128.self)
                unsigned = try container.decodeIfPresent(UInt128.self)
            }
        }
        let decoder = JSONPayloadDecoder(JSONDecoder(), .lenient)
        let keyed = try decoder.decode(Keyed.self, from: Data(#"{"signed":"","unsigned":""}"#.utf8))
        #expect(keyed.signed == nil && keyed.unsigned == nil)
        let unkeyed = try decoder.decode(Unkeyed.self, from: Data(#"["",""]"#.utf8))
        #expect(unkeyed.signed == nil && unkeyed.unsigned == nil)
    }

    private static let refused: [(text: String, path: String, reason: String)] = [
        (#"{"int":"x"}"#, "int", #"wanted Int, but it is the string "x""#), (#"{"int":"0x10"}"#, "int", #"the string "0x10""#),
        (#"{"int":true}"#, "int", "wanted Int, but it is true"), (#"{"int":"1.5"}"#, "int", #"the string "1.5""#),
        (#"{"byte":"256"}"#, "byte", #"wanted UInt8, but it is the string "256""#), (#"{"byte":256}"#, "byte", "the number 256"),
        (#"{"flag":2}"#, "flag", "wanted Bool, but it is the number 2"), (#"{"double":"inf"}"#, "double", #"the string "inf""#),
        (#"{"text":true}"#, "text", "wanted String, but it is true"),
        (#"{"list":{"a":1}}"#, "list", "wanted Int, but it is an object"),
        (#"{"inner":[1]}"#, "inner", "wanted an object, but it is an array of 1"), (#"{"inner":{}}"#, "inner", "there is no such key"),
        (#"{"inner":{"id":null}}"#, "inner.id", "wanted Int, but it is null"), (#"{"color":"blue"}"#, "color", "blue"),
        (#"{"int":[]}"#, "int", "wanted Int, but it is an empty array"), (#"{"password":{"id":1},"int":}"#, "", "a value is expected"),
    ]

    @Test("lenient decoding refuses other values, with the path, the wanted type and the value", arguments: refused.indices)
    func isRefused(row: Int) throws {
        let (text, path, reason) = Self.refused[row]
        let error = #expect(throws: DecodingError.self) { try model(text) }
        let context = try #require(error?.context)
        #expect(context.codingPath.map(\.stringValue).joined(separator: ".") == path)
        #expect(context.debugDescription.contains(reason), "\(context.debugDescription)")
    }

    @Test(
        "strict decoding accepts no substitute",
        arguments: [#"{"int":"12"}"#, #"{"text":12}"#, #"{"flag":1}"#, #"{"int":""}"#, #"{"list":5}"#, #"{"role":"x"}"#])
    func strictly(text: String) {
        #expect(throws: DecodingError.self) { try model(text, .strict) }
    }

    private struct Plain: Decodable, Equatable {
        var int = 1
        var text = "x"
        var flag = true
        var double = 1.0
        var list = [1]
        var role = Role.admin
        var id: Int? = 7
    }

    @Test(
        "with defaults, a missing key decodes as empty text, 0, false or an empty array",
        arguments: ["{}", #"{"int":null,"text":null,"list":null}"#])
    func defaults(text: String) throws {
        let decoder = JSONPayloadDecoder(JSONDecoder(), .lenient(.defaults))
        let plain = try decoder.decode(Plain.self, from: Data(text.utf8))
        #expect(plain == Plain(int: 0, text: "", flag: false, double: 0, list: [], role: .other, id: nil))
        #expect(throws: DecodingError.self) { try model(#"{"inner":{}}"#) }
        #expect(try model(#"{"inner":{}}"#, .lenient(.defaults)).inner == Inner(id: 0))
    }

    private struct Record: Decodable {
        let inner: Inner
        let created: Date
    }

    private struct Link: Decodable {
        let url: URL
    }

    @Test("with defaults, a missing object, date or address is still an error")
    func noDefault() throws {
        let decoder = JSONPayloadDecoder(JSONDecoder(), .lenient(.defaults))
        for (text, key) in [(#"{"created":1}"#, "inner"), (#"{"inner":{}}"#, "created")] {
            let error = #expect(throws: DecodingError.self) { try decoder.decode(Record.self, from: Data(text.utf8)) }
            guard case .keyNotFound(let missing, let context) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(missing.stringValue == key)
            #expect(context.codingPath.isEmpty)
        }
        #expect(throws: DecodingError.self) { try decoder.decode(Link.self, from: Data("{}".utf8)) }
    }

    @Test("the strategies of the decoder apply")
    func strategies() throws {
        struct Post: Decodable, Equatable {
            let createdAt: Date
            let userName: String
            let ratio: Double
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        let text = #"{"created_at":"86400","user_name":7,"ratio":"inf"}"#
        let post = try JSONPayloadDecoder(decoder, .lenient).decode(Post.self, from: Data(text.utf8))
        #expect(post == Post(createdAt: Date(timeIntervalSince1970: 86400), userName: "7", ratio: .infinity))
    }
}

extension DecodingError {
    fileprivate var context: Context? {
        switch self {
        case .keyNotFound(_, let context), .valueNotFound(_, let context), .typeMismatch(_, let context), .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }
}
