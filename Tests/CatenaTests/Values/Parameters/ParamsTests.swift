import Foundation
import Testing

@testable import Catena

private enum Sort: String, ParameterValue { case newest }
private enum Level: Int, ParameterValue { case high = 3 }

private func generic<Value: ParameterValue>(_ value: Value) -> Params {
    ["value": value]
}

@Suite("Params", .limitedParallelism)
struct ParamsTests {
    @Test("a literal takes every kind of value, in order")
    func literal() {
        let size = 20
        let optionalText: String? = nil
        let params: Params = [
            "page": 1, "size": size, "ids": [1, 2, 3], "q": optionalText, "n": .null, "o": ["a": 1],
            "nested": ["b": 1, "a": "x"] as Params,
            "mixed": JSON(array: [1, "a"]),
        ]
        #expect(params.keys == ["page", "size", "ids", "n", "o", "nested", "mixed"])
        #expect(params["page"]?.parameterNode == .integer(1))
        #expect(params["size"]?.parameterNode == .integer(20))
        #expect(params["ids"]?.parameterNode == .array([.integer(1), .integer(2), .integer(3)]))
        #expect(params["n"]?.parameterNode == .null)
        #expect(params["o"]?.parameterNode == .object(["a": 1]))
        #expect(params["nested"]?.parameterNode == .object(["b": 1, "a": "x"]))
        #expect(params["mixed"]?.parameterNode == .array([.integer(1), .string("a")]))
    }

    @Test("a nil value leaves out the param, however it is written")
    func leavesOut() {
        let text: String? = nil
        let doubled: String?? = .some(nil)
        let flag = text != nil
        let none: (any ParameterValue)? = nil
        let params: Params = [
            "a": text, "b": doubled, "c": flag ? "x" : nil, "d": [String: Int]()["x"], "e": none, "f": nil, "g": text.map { $0.count },
        ]
        #expect(params.isEmpty)
        #expect(generic(text).isEmpty)
        #expect(generic(Optional("x")).keys == ["value"])
    }

    @Test("nil in a dictionary is left out, and nil in an array keeps its place")
    func nilInside() {
        let text: String? = nil
        let params: Params = ["object": ["a": text, "b": "x"], "array": [1, nil, 3]]
        #expect(params["object"]?.parameterNode == .object(["b": "x"]))
        #expect(params["array"]?.parameterNode == .array([.integer(1), .null, .integer(3)]))
    }

    @Test("a repeated key keeps its first place and takes its last value")
    func repeatedKey() {
        let params: Params = ["a": 1, "b": 2, "a": 3, "b": nil]
        #expect(params == Params([.init(key: "a", node: .integer(3)), .init(key: "b", node: .integer(2))]))
    }

    @Test("the subscript reads, sets in place, adds at the end and removes")
    func access() {
        var params: Params = ["a": 1, "b": 2]
        params["a"] = "x"
        params["c"] = .null
        params["b"] = nil
        #expect(params == ["a": "x", "c": .null])
        #expect(params["b"] == nil)
        #expect(params.contains("c"))
        #expect(!params.contains("b"))
        #expect(params.count == 2)
    }

    @Test("merging takes the later value in the earlier place", arguments: [1, 40])
    func merging(repetitions: Int) {
        var left = Params()
        var right = Params()
        for index in 0..<repetitions {
            left["left\(index)"] = index
            left["both\(index)"] = index
            right["both\(index)"] = "right"
            right["right\(index)"] = index
        }
        let merged = left.merging(right)
        #expect(merged.keys == left.keys + (0..<repetitions).map { "right\($0)" })
        #expect(merged["both0"]?.parameterNode == .string("right"))
        #expect(Params().merging(left) == left)
        #expect(left.merging([:]) == left)
    }

    @Test("after a removal all other members are found, among few members and many", arguments: [3, 16, 17, 18, 200])
    func removing(count: Int) {
        var params = Params()
        for index in 0..<count { params["k\(index)"] = index }
        params.remove("k1")
        params.remove("absent")
        #expect(params.keys == (0..<count).filter { $0 != 1 }.map { "k\($0)" })
        for index in 0..<count where index != 1 {
            #expect(params["k\(index)"]?.parameterNode == .integer(Int64(index)))
        }
        params["k\(count - 1)"] = "last"
        params["new"] = 1
        #expect(params.count == count)
        #expect(params.keys.last == "new")
    }

    @Test("params are equal if their keys, values and order are equal, however they were made")
    func equality() {
        var long = Params()
        for index in 0..<20 { long["k\(index)"] = index }
        var shortened = long
        for index in 2..<20 { shortened.remove("k\(index)") }
        #expect(shortened == ["k0": 0, "k1": 1])
        #expect(shortened != ["k1": 1, "k0": 0])
        #expect(shortened != ["k0": 0, "k1": 2])
    }

    @Test("params from a dictionary are sorted by key")
    func dictionary() {
        #expect(Params(["b": 2, "c": 3, "a": 1]).keys == ["a", "b", "c"])
    }

    @Test("params grow by hundreds of thousands of keys in linear time")
    func growth() {
        var params = Params()
        for index in 0..<200_000 { params["k\(index)"] = index }
        #expect(params.count == 200_000)
        #expect(params["k199999"]?.parameterNode == .integer(199_999))
    }

    static let values: [(any ParameterValue, ParameterNode)] = [
        ("x", .string("x")), ("xyz".dropFirst(), .string("yz")), (true, .bool(true)), (Sort.newest, .string("newest")),
        (Level.high, .integer(3)),
        (Int8.min, .integer(-128)), (Int16.max, .integer(32_767)), (Int32.min, .integer(-2_147_483_648)), (Int64.min, .integer(.min)),
        (UInt8.max, .integer(255)), (UInt16.max, .integer(65_535)), (UInt32.max, .integer(4_294_967_295)), (UInt(7), .integer(7)),
        (UInt64.max, .unsigned(.max)), (UInt64(7), .integer(7)), (1.5, .double(1.5)), (Float(0.1), .double(0.1)),
        (Float.infinity, .double(.infinity)),
        (CGFloat(0.5), .double(0.5)),
        (Decimal(3), .decimal(3)), (Date(timeIntervalSince1970: 1), .date(Date(timeIntervalSince1970: 1))), (Data([1]), .data(Data([1]))),
        ([["a": 1]], .array([.object(["a": 1])])),
    ]

    @Test("every supported type has its node")
    static func nodesRows() {
        each(values.indices) { Self().nodes(row: $0) }
    }

    func nodes(row: Int) {
        let (value, node) = Self.values[row]
        #expect(value.parameterNode == node)
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test("a number of 128 bits has the node of its value")
    func wide() {
        #expect(Int128.max.parameterNode == .number("170141183460469231731687303715884105727"))
        #expect(UInt128(7).parameterNode == .integer(7))
    }

    @Test("a URL is its absolute address and a UUID its upper-case text")
    func addresses() throws {
        let url = try #require(URL(string: "b?c=1", relativeTo: URL(string: "https://example.com/a/")))
        let uuid = try #require(UUID(uuidString: "e621e1f8-c36c-495a-93fc-0c247a3e6e5f"))
        #expect(url.parameterNode == .string("https://example.com/a/b?c=1"))
        #expect(uuid.parameterNode == .string("E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    }
}
