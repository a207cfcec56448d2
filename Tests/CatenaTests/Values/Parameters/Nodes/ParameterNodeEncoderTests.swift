import Foundation
import Testing

@testable import Catena

/// An `Encodable` value that runs a closure of the test.
private struct Custom: Encodable, Sendable {
    let body: @Sendable (any Encoder) throws -> Void

    init(_ body: @escaping @Sendable (any Encoder) throws -> Void) { self.body = body }

    func encode(to encoder: any Encoder) throws { try body(encoder) }
}

private struct Key: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init(stringLiteral value: String) { stringValue = value }
    init?(intValue: Int) { nil }
}

private struct All: Encodable, Sendable {
    enum Level: String, Codable, Sendable { case high }
    enum Place: Encodable, Sendable { case here, there(room: Int) }
    struct Inner: Encodable, Sendable { let a = "a" }

    let one = "one"
    let two = 2
    let three = true
    let four = [1, 2, 3]
    let five = ["a": "a"]
    let six = ["a": ["b": "b"]]
    let seven = Inner()
    let level = Level.high
    let place = Place.there(room: 7)
    let nothing: Int? = nil
    let noInner: Inner? = nil
    let inners = [Inner(), nil]
}

private struct Scalars: Encodable, Sendable {
    let whole = 1.0
    let float = Float(0.1)
    let decimal = Decimal(string: "0.10")
    let big = UInt64.max
    let date = Date(timeIntervalSince1970: 978_307_323)
    let data = Data("data".utf8)
    let url = URL(string: "https://h/a?b")
    let uuid = UUID(uuidString: "e621e1f8-c36c-495a-93fc-0c247a3e6e5f")
    let json = JSON(["b": 1, "a": ParameterNode.number("0.10")])
    let bytes: [UInt8] = [1, 2]
}

private class Parent: Encodable {
    var inherited = 1

    private enum Keys: CodingKey { case inherited }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(inherited, forKey: .inherited)
    }
}

/// Shares its parent's encoder.
private final class SharingChild: Parent {
    override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(true, forKey: "own")
    }
}

/// Encodes its parent into separate encoders, under the standard key `super` and under a custom key.
private final class NestingChild: Parent {
    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try super.encode(to: container.superEncoder())
        try super.encode(to: container.superEncoder(forKey: "named"))
        try container.encode("x", forKey: "own")
    }
}

private final class Ring: Encodable {
    var next: Ring?
    var list: [Ring] = []
}

struct EncodableCase: Sendable, CustomTestStringConvertible {
    let row: String
    let value: any Encodable & Sendable
    let expected: String
    let style: ParameterStyle

    init(_ row: String, _ value: any Encodable & Sendable, _ expected: String, _ change: (inout ParameterStyle) -> Void = { _ in }) {
        self.row = row
        self.value = value
        self.expected = expected
        style = ParameterStyle(change)
    }

    var testDescription: String { "\(row): \(expected.prefix(80))" }
}

@Suite("Params of Encodable values", .limitedParallelism)
struct ParameterNodeEncoderTests {
    private static func text(of value: some Encodable, style: ParameterStyle = .init()) throws -> String {
        let text = try URLQueryEncoder.encode(Params(encoding: value), style: style)
        return PercentDecoding.decode(text, plusIsSpace: false)
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test("numbers of 128 bits are sent exactly")
    func wide() throws {
        let values = ["one": Int128.min, "two": Int128.max]
        let text = "one=-170141183460469231731687303715884105728&two=170141183460469231731687303715884105727"
        #expect(try Self.text(of: values) == text)
        #expect(try Self.text(of: ["list": [UInt128.max]]) == "list[]=340282366920938463463374607431768211455")
    }

    @Test(
        "members keep the order in which they are encoded, and values keep their type",
        arguments: [
            EncodableCase(
                "declared order",
                All(),
                "one=one&two=2&three=true&four[]=1&four[]=2&four[]=3&five[a]=a&six[a][b]=b&seven[a]=a&level=high&place[there][room]=7"
                    + "&inners[][a]=a&inners[]="),
            EncodableCase(
                "sorted",
                All(),
                "five[a]=a&four[]=1&four[]=2&four[]=3&inners[][a]=a&inners[]=&level=high&one=one&place[there][room]=7&seven[a]=a"
                    + "&six[a][b]=b&three=1&two=2"
            ) {
                $0.order = .sorted
                $0.booleans = .numeric
            },
            EncodableCase(
                "values",
                Scalars(),
                "whole=1&float=0.1&decimal=0.1&big=18446744073709551615"
                    + "&date=2001-01-01T00:02:03Z&data=ZGF0YQ==&url=https://h/a?b&uuid=E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
                    + "&json[b]=1&json[a]=0.10&bytes[]=1&bytes[]=2"),
            EncodableCase("styles", ["d": [Date(timeIntervalSince1970: 1)], "userId": []], "d=1000") {
                $0.dates = .milliseconds
                $0.arrays = .repeat
            },
            EncodableCase("key case", ["userInfo": ["firstName": All.Inner()]], "user_info.first_name.a=a") {
                $0.keyCase = .snake
                $0.nesting = .dots
            },
            EncodableCase("a dictionary", ["b": All.Inner(), "c": .init(), "a": .init()], "a[a]=a&b[a]=a&c[a]=a"),
            EncodableCase("a dictionary of params", ["b": 2, "a": 1], "a=1&b=2"),
            EncodableCase("a JSON object", JSON(["b": 1, "a": ["x", nil]]), "b=1&a[]=x&a[]="),
            EncodableCase("keys that are numbers", [2: All.Inner(), 1: .init()], "1[a]=a&2[a]=a"),
            EncodableCase("nothing", Custom { _ in }, ""),
        ])
    func values(row: EncodableCase) throws {
        #expect(try Self.text(of: row.value, style: row.style) == row.expected)
    }

    @Test("a class and its parent share one object, or the parent has its own")
    func inheritance() throws {
        #expect(try Self.text(of: SharingChild()) == "inherited=1&own=true")
        #expect(try Self.text(of: NestingChild()) == "super[inherited]=1&named[inherited]=1&own=x")
    }

    @Test(
        "nested containers keep their positions, whenever they are filled",
        arguments: [
            EncodableCase(
                "nested in keys",
                Custom { encoder in
                    var container = encoder.container(keyedBy: Key.self)
                    var object = container.nestedContainer(keyedBy: Key.self, forKey: "object")
                    var array = container.nestedUnkeyedContainer(forKey: "array")
                    try container.encode(1, forKey: "last")
                    try object.encode("x", forKey: "late")
                    try array.encode(2)
                    #expect(array.count == 1)
                    #expect(array.codingPath.map(\.stringValue) == ["array"])
                }, "object[late]=x&array[]=2&last=1"),
            EncodableCase(
                "nested in elements",
                Custom { encoder in
                    var container = encoder.container(keyedBy: Key.self)
                    var list = container.nestedUnkeyedContainer(forKey: "list")
                    var object = list.nestedContainer(keyedBy: Key.self)
                    var array = list.nestedUnkeyedContainer()
                    try list.encode("last")
                    try list.encodeNil()
                    try All.Inner().encode(to: list.superEncoder())
                    try object.encode(1, forKey: "k")
                    try array.encode(2)
                    #expect(list.count == 5)
                    #expect(list.superEncoder().codingPath.map(\.stringValue) == ["list", "5"])
                }, "list[0][k]=1&list[1][0]=2&list[2]=last&list[3]=&list[4][a]=a"
            ) {
                $0.arrays = .index
            },
            EncodableCase(
                "the same key again",
                Custom { encoder in
                    var container = encoder.container(keyedBy: Key.self)
                    try container.encode(1, forKey: "a")
                    var first = container.nestedContainer(keyedBy: Key.self, forKey: "b")
                    var second = container.nestedContainer(keyedBy: Key.self, forKey: "b")
                    try first.encode(1, forKey: "x")
                    try second.encode(2, forKey: "y")
                    _ = container.nestedUnkeyedContainer(forKey: "c")
                    try container.encode(3, forKey: "c")
                    try container.encode(2, forKey: "a")
                }, "a=2&b[x]=1&b[y]=2&c=3"),
            EncodableCase(
                "a single value of a single value",
                [
                    "a": Custom { encoder in
                        var container = encoder.singleValueContainer()
                        try container.encode(Custom { try 5.encode(to: $0) })
                    }
                ], "a=5"),
        ])
    func containers(row: EncodableCase) throws {
        #expect(try Self.text(of: row.value, style: row.style) == row.expected)
    }

    private static let optionals = Custom { encoder in
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(Int?.none, forKey: "absent")
        try container.encodeNil(forKey: "null")
        try container.encode(Int?.none, forKey: "none")
        try container.encode(["a", nil], forKey: "list")
        try container.encode(All.Inner?.none, forKey: "inner")
    }

    @Test(
        "a member that is not encoded is left out, and one encoded as nil is a null",
        arguments: [
            EncodableCase("empty", optionals, "null=&none=&list[]=a&list[]=&inner="),
            EncodableCase("dropped", optionals, "list[]=a&list[]=") { $0.nulls = .drop },
            EncodableCase("literal", optionals, "null=null&none=null&list[]=a&list[]=null&inner=null") { $0.nulls = .literal },
        ])
    func nulls(row: EncodableCase) throws {
        #expect(try Self.text(of: row.value, style: row.style) == row.expected)
    }

    private struct Refusal: Error, Equatable {}

    struct FaultCase: Sendable, CustomTestStringConvertible {
        let keyPath: String
        let reason: String
        let value: any Encodable & Sendable

        init(_ keyPath: String, _ reason: String, _ value: any Encodable & Sendable) {
            self.keyPath = keyPath
            self.reason = reason
            self.value = value
        }

        var testDescription: String { "\(keyPath): \(reason)" }
    }

    @Test(
        "a value that cannot be encoded fails, and the error has its key path",
        arguments: [
            FaultCase("", "encoding it failed: Refusal()", Custom { _ in throw Refusal() }),
            FaultCase("a[1].b", "encoding it failed: Refusal()", ["a": [["b": ok], ["b": Custom { _ in throw Refusal() }]]]),
            FaultCase(
                "a[0].k", "encoding it failed: Refusal()",
                Custom { encoder in
                    var container = encoder.container(keyedBy: Key.self)
                    var list = container.nestedUnkeyedContainer(forKey: "a")
                    var object = list.nestedContainer(keyedBy: Key.self)
                    try object.encode(Custom { _ in throw Refusal() }, forKey: "k")
                }),
            FaultCase(
                "a", "told by itself",
                [
                    "a": Custom { encoder in
                        throw EncodingError.invalidValue(1, .init(codingPath: encoder.codingPath, debugDescription: "told by itself"))
                    }
                ]),
            FaultCase(
                "a", "its type encodes it both as an object and as an array",
                [
                    "a": Custom { encoder in
                        _ = encoder.container(keyedBy: Key.self)
                        _ = encoder.unkeyedContainer()
                    }
                ]),
            FaultCase(
                "a[0].super", "its type encodes it both as an array and as a single value",
                [
                    "a": [
                        Custom { encoder in
                            var container = encoder.container(keyedBy: Key.self)
                            let parent = container.superEncoder()
                            _ = parent.unkeyedContainer()
                            var single = parent.singleValueContainer()
                            try single.encode(1)
                        }
                    ]
                ]),
        ])
    func faults(row: FaultCase) {
        let error = #expect(throws: ParameterError.self) { try ParameterNode(encoding: row.value) }
        #expect(error?.keyPath == row.keyPath)
        #expect(error?.reason == row.reason)
        if row.reason.contains("Refusal") { #expect(error?.underlying as? Refusal == Refusal()) }
    }

    private static let ok = Custom { try 1.encode(to: $0) }

    @Test(
        "only an object has names for its values",
        arguments: [
            ([1, 2] as any Encodable & Sendable, "params: an array has no names to send its elements under"),
            ("x", "params: a single value"),
            (JSON.null, "params: a single value"), (ok, "params: a single value"),
        ])
    func roots(value: any Encodable & Sendable, message: String) {
        let error = #expect(throws: APIError.self) { try Params(encoding: value) }
        #expect(error?.kind == .invalidRequest)
        #expect(error?.message.hasPrefix(message) == true)
    }

    @Test("a value that contains itself in any way is refused before the stack overflows", arguments: 0..<4)
    func recursion(way: Int) async {
        let reason = await onSmallStack { () -> String? in
            let ring = Ring()
            ring.next = way == 0 ? ring : nil
            ring.list = way == 1 ? [ring] : []
            defer {
                ring.next = nil
                ring.list = []
            }
            let single = Custom { encoder in
                var container = encoder.singleValueContainer()
                try container.encode(Endless())
            }
            let value: any Encodable = way < 2 ? ring : way == 2 ? single : Custom(Self.descend)
            do throws(ParameterError) {
                _ = try ParameterNode(encoding: value)
                return nil
            } catch {
                return error.reason
            }
        }
        #expect(reason == "it is nested more than 100 levels deep")
    }

    private struct Endless: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(self)
        }
    }

    /// Nests only containers, without values.
    @Sendable private static func descend(_ encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(1, forKey: "a")
        try descend(container.superEncoder())
    }

    @Test("values may nest as deeply as params")
    func depth() async {
        let isEncoded = await onSmallStack { () -> Bool in
            let ring = (1..<ParameterError.deepest).reduce(Ring()) { inner, _ in
                let outer = Ring()
                outer.next = inner
                return outer
            }
            return (try? ParameterNode(encoding: ring)) != nil
        }
        #expect(isEncoded)
    }

    @Test("hundreds of thousands of members and elements are encoded in linear time")
    func volume() throws {
        let wide = Custom { encoder in
            var container = encoder.container(keyedBy: Key.self)
            for index in 0..<50_000 {
                try container.encode(All.Inner(), forKey: Key(stringValue: String(index)))
                _ = container.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: "n\(index)"))
            }
        }
        #expect(try Params(encoding: wide).count == 100_000)
        let long = try Params(encoding: ["list": (0..<200_000).map { [$0] }])
        #expect(try URLQueryEncoder.encode(long, style: ParameterStyle { $0.arrays = .repeat }).utf8.count == 1_088_890 + 1_200_000 - 1)
    }
}
