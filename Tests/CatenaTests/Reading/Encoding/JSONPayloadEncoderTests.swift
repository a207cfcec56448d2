import Foundation
import Testing

@testable import Catena

@Suite("Encoded values", .limitedParallelism)
struct JSONPayloadEncoderTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let value: any Encodable & Sendable
        let text: String

        init(_ value: any Encodable & Sendable, _ text: String) {
            self.value = value
            self.text = text
        }

        var testDescription: String { text }
    }

    @Test(
        "a value without members has the bytes that JSONEncoder writes, without its help",
        arguments: [
            Row(1.0, "1"), Row(-0.0, "-0"), Row(0.1, "0.1"), Row(1e-5, "1e-05"), Row(1e16, "1e+16"), Row(1e300, "1e+300"),
            Row(Double.leastNonzeroMagnitude, "5e-324"),
            Row(Float(0.1), "0.1"), Row(Float(16_777_216), "16777216"), Row(123_456.789, "123456.789"),
            Row(0.30000000000000004, "0.30000000000000004"),
            Row(Int.min, "-9223372036854775808"), Row(UInt64.max, "18446744073709551615"), Row(Int8(-7), "-7"), Row(true, "true"),
            Row(Decimal(string: "1234567890.0987654321"), "1234567890.0987654321"), Row(Int?.none, "null"), Row([Int](), "[]"),
            Row([String: Int](), "{}"), Row(["a": [1, 2]], #"{"a":[1,2]}"#), Row([7: "b"], #"{"7":"b"}"#),
            Row([nil, 1] as [Int?], "[null,1]"),
            Row(
                "a/b\"\\\n\r\t\u{8}\u{c}\u{0}\u{1f}\u{7f}\u{2028}\u{4f60}\u{1F600}",
                #""a\/b\"\\\n\r\t\b\f\u0000\u001f"# + "\u{7f}\u{2028}\u{4f60}\u{1F600}\""),
            Row(URL(string: "https://example.com/a"), #""https:\/\/example.com\/a""#),
            Row(Data([0xFF, 0xEF, 0xFF]), #""\/+\/\/""#),
            Row(Date(timeIntervalSinceReferenceDate: 1.5), "1.5"), Row([Float(1.5)], "[1.5]"), Row([Bool](), "[]"), Row(Data(), "\"\""),
        ])
    func bytes(row: Row) throws {
        #expect(String(decoding: try #require(try JSONPayloadEncoder(JSONEncoder()).direct(row.value)), as: UTF8.self) == row.text)
        #expect(String(decoding: try JSONEncoder().encode(row.value), as: UTF8.self) == row.text)
    }

    private struct Room: Encodable, Sendable {
        let name: String
        let id: Int
        let topic: String?
        let opened: Date
        let icon: Data
        let ratio: Double
    }

    private static let room = Room(
        name: "a/b", id: 7, topic: nil, opened: Date(timeIntervalSince1970: 1_700_000_000.75), icon: Data([1, 2, 3]), ratio: .infinity)

    @Test("members have the order in which they are encoded, and optional ones without a value are left out")
    func order() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        encoder.dateEncodingStrategy = .iso8601
        encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        let text = String(decoding: try JSONPayloadEncoder(encoder).encode(Self.room), as: UTF8.self)
        #expect(text == #"{"name":"a/b","id":7,"opened":"2023-11-14T22:13:20Z","icon":"AQID","ratio":"inf"}"#)
    }

    private final class OwnEncoder: JSONEncoder, @unchecked Sendable {
        override func encode<Value: Encodable>(_ value: Value) throws -> Data { Data("own".utf8) }
    }

    struct Setting: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let isDirect: Bool
        let encoder: @Sendable () -> JSONEncoder

        init(_ name: String, isDirect: Bool = false, _ change: @escaping @Sendable (JSONEncoder) -> Void) {
            testDescription = name
            self.isDirect = isDirect
            encoder = {
                let encoder = JSONEncoder()
                change(encoder)
                return encoder
            }
        }
    }

    @Test(
        "settings that the library's encoder does not know are left to the JSONEncoder",
        arguments: [
            Setting("none", isDirect: true) { _ in },
            Setting("slashes", isDirect: true) { $0.outputFormatting = .withoutEscapingSlashes },
            Setting("pretty") { $0.outputFormatting = .prettyPrinted },
            Setting("sorted") { $0.outputFormatting = [.sortedKeys, .withoutEscapingSlashes] },
            Setting("snake case") { $0.keyEncodingStrategy = .convertToSnakeCase },
            Setting("own dates") { $0.dateEncodingStrategy = .custom { _, encoder in try "then".encode(to: encoder) } },
            Setting("seconds", isDirect: true) { $0.dateEncodingStrategy = .secondsSince1970 },
            Setting("milliseconds", isDirect: true) { $0.dateEncodingStrategy = .millisecondsSince1970 },
            Setting("bytes", isDirect: true) { $0.dataEncodingStrategy = .deferredToData },
            Setting("own bytes") { $0.dataEncodingStrategy = .custom { _, encoder in try 1.encode(to: encoder) } },
        ])
    func settings(setting: Setting) throws {
        let value = ["a": [Date(timeIntervalSince1970: 1.5)]]
        let encoder = setting.encoder()
        #expect(try JSONPayloadEncoder(encoder).encode(value) == encoder.encode(value))
        #expect(try (JSONPayloadEncoder(encoder).direct(value) != nil) == setting.isDirect)
    }

    @Test("a subclass of JSONEncoder encodes")
    func subclass() throws {
        #expect(try JSONPayloadEncoder(OwnEncoder()).encode(1) == Data("own".utf8))
    }

    /// A value that encodes itself by a closure.
    private struct Written: Encodable {
        let write: (any Encoder) throws -> Void

        func encode(to encoder: any Encoder) throws { try write(encoder) }
    }

    private static func result(_ write: @escaping (any Encoder) throws -> Void) throws -> (text: String, isDirect: Bool) {
        let encoder = JSONPayloadEncoder(JSONEncoder())
        let value = Written(write: write)
        return (String(decoding: try encoder.encode(value), as: UTF8.self), try encoder.direct(value) != nil)
    }

    @Test(
        "a key that is encoded twice has the last value, in any spelling",
        arguments: [["a", "a"], ["caf\u{e9}", "cafe\u{301}"], ["K", "\u{212a}"]])
    func twice(keys: [String]) throws {
        let found = try Self.result { encoder in
            var container = encoder.container(keyedBy: PlainKey.self)
            for (index, key) in keys.enumerated() { try container.encode(index, forKey: PlainKey(key)) }
        }
        #expect(found.text.hasSuffix(":1}"))
        #expect(!found.isDirect)
    }

    @Test("many distinct keys are written directly, and one of them twice is found")
    func manyKeys() throws {
        for twice in [false, true] {
            let found = try Self.result { encoder in
                var container = encoder.container(keyedBy: PlainKey.self)
                for index in 0..<100 { try container.encode(index, forKey: PlainKey("key \(index)")) }
                if twice { try container.encode(7, forKey: PlainKey("key 50")) }
            }
            #expect(found.isDirect != twice)
        }
    }

    @Test("a superclass is encoded under its key, whether or not a member follows before")
    func superclass() throws {
        let direct = try Self.result { encoder in
            var container = encoder.container(keyedBy: PlainKey.self)
            try ["x": 1].encode(to: container.superEncoder())
            _ = container.superEncoder(forKey: PlainKey("empty"))
        }
        #expect(direct.text == #"{"super":{"x":1},"empty":{}}"#)
        #expect(direct.isDirect)
        let late = try Self.result { encoder in
            var container = encoder.container(keyedBy: PlainKey.self)
            let above = container.superEncoder()
            try container.encode(1, forKey: PlainKey("y"))
            try ["x": 1].encode(to: above)
        }
        #expect(try JSON(parsing: Data(late.text.utf8)) == JSON(parsing: Data(#"{"super":{"x":1},"y":1}"#.utf8)))
        #expect(!late.isDirect)
    }

    @Test("a nested container that is used again keeps what it has")
    func interleaved() throws {
        let found = try Self.result { encoder in
            var list = encoder.unkeyedContainer()
            var nested = list.nestedUnkeyedContainer()
            try nested.encode(1)
            try list.encode(2)
            try nested.encode(3)
        }
        #expect(found.text == "[[1,3],2]")
        #expect(!found.isDirect)
    }

    @Test("code that reads its path finds one that leads to it")
    func path() throws {
        let found = try Self.result { encoder in
            var list = encoder.unkeyedContainer()
            try list.encode(0)
            try list.encode(["k\"y": Written { try ($0.codingPath.last?.stringValue ?? "none").encode(to: $0) }])
        }
        #expect(found.text == #"[0,{"k\"y":"k\"y"}]"#)
        var paths: [[String]] = []
        _ = try Self.result { encoder in
            var container = encoder.container(keyedBy: PlainKey.self)
            try container.encode(["a": [Written { paths.append($0.codingPath.map(\.stringValue)) }]], forKey: PlainKey("top"))
        }
        #expect(Set(paths) == [["top", "a", "Index 0"]])
    }

    private final class Node: Encodable {
        var next: [Node] = []
    }

    @Test("a value that contains itself fails, and ends neither the process nor the test")
    func circle() {
        let node = Node()
        node.next = [node]
        defer { node.next = [] }
        #expect(throws: EncodingError.self) { try JSONPayloadEncoder(JSONEncoder()).encode(node) }
        struct Wrapper: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(self)
            }
        }
        #expect(throws: EncodingError.self) { try JSONPayloadEncoder(JSONEncoder()).encode(Wrapper()) }
    }

    @Test("511 containers in each other are written, and 512 are refused as by JSONEncoder", arguments: [510, 511])
    func depth(nodes: Int) throws {
        let value = (0..<nodes).reduce(Written { _ = $0.unkeyedContainer() }) { inner, _ in
            Written {
                var container = $0.unkeyedContainer()
                try container.encode(inner)
            }
        }
        let expected = Result { try JSONEncoder().encode(value) }
        let found = Result { try JSONPayloadEncoder(JSONEncoder()).encode(value) }
        #expect((try? expected.get()) == (try? found.get()))
        #expect(((try? found.get()) != nil) == (nodes == 510))
    }

    @Test("400 objects in each other are written, each with three values that are no containers")
    func wrapped() throws {
        let value = (0..<400).reduce(Written { _ = $0.container(keyedBy: PlainKey.self) }) { inner, _ in
            let wrapped = (0..<3).reduce(inner) { inner, _ in
                Written {
                    var container = $0.singleValueContainer()
                    try container.encode(inner)
                }
            }
            return Written {
                var container = $0.container(keyedBy: PlainKey.self)
                try container.encode(wrapped, forKey: PlainKey("a"))
            }
        }
        #expect(try JSONPayloadEncoder(JSONEncoder()).encode(value) == JSONEncoder().encode(value))
    }

    private struct Refusal: Error, Equatable {
        let number: Int
    }

    @Test("an error of the value's code is thrown as it is, and ignored if the code ignores it")
    func errors() throws {
        let failing = Written { _ in throw Refusal(number: 7) }
        #expect(throws: Refusal(number: 7)) { try JSONPayloadEncoder(JSONEncoder()).encode(["a": failing]) }
        let found = try Self.result { encoder in
            var container = encoder.container(keyedBy: PlainKey.self)
            try? container.encode(failing, forKey: PlainKey("a"))
            try container.encode(1, forKey: PlainKey("b"))
        }
        #expect(found.text == #"{"b":1}"#)
    }

    @Test("a number without a form fails with its path")
    func unusualNumber() throws {
        do {
            _ = try JSONPayloadEncoder(JSONEncoder()).encode(["list": [1, .nan]])
            Issue.record("nothing was thrown")
        } catch EncodingError.invalidValue(let value, let context) {
            #expect((value as? Double)?.isNaN == true)
            #expect(context.codingPath.map(\.stringValue) == ["list", "Index 1"])
        }
    }

    @Test("a value that encodes nothing fails at the top, and is an empty object elsewhere")
    func nothing() throws {
        let nothing = Written { _ in }
        #expect(throws: EncodingError.self) { try JSONPayloadEncoder(JSONEncoder()).encode(nothing) }
        #expect(String(decoding: try JSONPayloadEncoder(JSONEncoder()).encode([nothing]), as: UTF8.self) == "[{}]")
    }

    @Test("an encoder that is kept after the end writes nothing")
    func keptEncoder() throws {
        var kept: (any Encoder)?
        let found = try Self.result { encoder in
            kept = encoder
            var container = encoder.unkeyedContainer()
            try container.encode(1)
        }
        #expect(found.text == "[1]")
        var container = try #require(kept).unkeyedContainer()
        for _ in 0..<3 { try container.encode("text") }
    }

    @Test("code that waits for a count comes to an end, also after the encoder has given up")
    func counts() throws {
        let found = try Self.result { encoder in
            var list = encoder.unkeyedContainer()
            _ = encoder.codingPath
            while list.count < 3 { try list.encode(list.count) }
        }
        #expect(found.text == "[0,1,2]")
    }
}
