import Foundation
import Testing

@testable import Catena

@Suite("Params from untyped dictionaries", .limitedParallelism)
struct ParamsDictionaryTests {
    private enum Sort: String, ParameterValue { case newest }
    private struct Avatar {}

    private static let client = silentClient {
        $0.defaultHost = "https://h"
        $0.configure("form") { $0.encoding = .form }
    }

    /// Returns the JSON body of a dictionary.
    private func body(_ dictionary: [String: Any]) async throws -> String? {
        try await Self.client.post("/").params(dictionary: dictionary).preview().sentBody
    }

    @Test("all values that Params accepts are sent, nested ones too, sorted by key at each level")
    func values() async throws {
        let dictionary: [String: Any] = [
            "z": 1, "a": "x", "flag": true, "ratio": 0.5, "big": UInt64.max, "sort": Sort.newest, "ids": [1, 2],
            "mixed": [1, "x", true] as [Any],
            "user": ["name": "a", "age": 7, "tags": [["k": 1] as [String: Any]]] as [String: Any], "json": ["b": 1, "a": 2] as JSON,
            "at": Date(timeIntervalSince1970: 0), "any": AnyHashable("y"), "bytes": Data("a".utf8), "empty": [String: Any](),
        ]
        #expect(
            try await body(dictionary)
                == #"{"a":"x","any":"y","at":"1970-01-01T00:00:00Z","big":18446744073709551615,"bytes":"YQ==","empty":{},"flag":true,"#
                + #""ids":[1,2],"json":{"b":1,"a":2},"mixed":[1,"x",true],"ratio":0.5,"sort":"newest","#
                + #""user":{"age":7,"name":"a","tags":[{"k":1}]},"z":1}"#)
    }

    @Test("nil leaves out a member and is null in an array, and NSNull is null")
    func nothing() async throws {
        let dictionary: [String: Any] = [
            "a": Int?.none as Any, "b": Any?.none as Any, "c": Avatar?.none as Any, "d": String??.some(.none) as Any, "e": NSNull(),
            "f": [1, Int?.none as Any, NSNull()] as [Any], "g": [1, nil] as [Int?],
            "h": ["x": nil, "y": 1] as [String: (any ParameterValue)?],
            "i": Int?.some(3) as Any,
        ]
        #expect(try await body(dictionary) == #"{"e":null,"f":[1,null,null],"g":[1,null],"h":{"y":1},"i":3}"#)
        #expect(try await body(["a": Int?.none as Any]) == nil)
    }

    @Test("booleans and numbers that Foundation has parsed keep their types")
    func foundation() async throws {
        let text =
            #"{"a":true,"b":1,"c":0,"d":1.5,"e":null,"f":[false,0,{"z":"x"}],"g":18446744073709551615,"h":-9223372036854775808,"i":0.1}"#
        let read = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(try await body(read) == text)
        let list = try PropertyListSerialization.data(
            fromPropertyList: ["a": true, "b": 1, "c": ["x", 2]] as [String: Any], format: .xml, options: 0)
        let property = try #require(try PropertyListSerialization.propertyList(from: list, format: nil) as? [String: Any])
        #expect(try await body(property) == #"{"a":true,"b":1,"c":["x",2]}"#)
    }

    @Test("Foundation's classes are sent as the matching Swift types")
    func classes() async throws {
        let dictionary: [String: Any] = [
            "a": NSString(string: "x"), "b": NSNumber(value: true), "c": NSNumber(value: Int8(1)), "d": NSNumber(value: Float(0.1)),
            "e": NSDecimalNumber(string: "0.10"), "f": NSArray(array: [NSNumber(value: 2)]), "g": NSDictionary(dictionary: ["y": NSNull()]),
            "h": NSDate(timeIntervalSince1970: 0), "i": NSData(data: Data("a".utf8)),
        ]
        #expect(
            try await body(dictionary)
                == #"{"a":"x","b":true,"c":1,"d":0.1,"e":0.1,"f":[2],"g":{"y":null},"h":"1970-01-01T00:00:00Z","i":"YQ=="}"#)
    }

    @Test("params from a dictionary are merged with other steps, fill the path, and are sent like other params")
    func merged() async throws {
        let request = Self.client.path("/").params(["a": 1, "b": 1]).params(dictionary: ["b": 2, "room": "x/y"])
        #expect(try await request.get("/{room}").preview().sentLine == "GET https://h/x%2Fy?a=1&b=2")
        let form = try await request.tag("form").post("/{room}").params(dictionary: ["c": ["d": 1, "e": "x"] as [String: Any]]).preview()
        #expect(form.sentBody == "a=1&b=2&c%5Bd%5D=1&c%5Be%5D=x")
    }

    @Test(
        "a value that cannot be a param fails the call, and the error has its key path",
        arguments: [
            RequestRow("a value", #"params…"avatar": it is a Avatar, which has no form as a param"#) {
                $0.get("/").params(dictionary: ["avatar": Avatar()])
            },
            RequestRow("nested", #"params…"user.pictures[1].avatar": it is a Avatar"#) {
                $0.get("/").params(dictionary: [
                    "user": ["pictures": [["avatar": 1], ["avatar": Avatar()]] as [[String: Any]]] as [String: Any]
                ])
            },
            RequestRow("an optional", #"params…"avatar": it is a Avatar"#) {
                $0.get("/").params(dictionary: ["avatar": Avatar?.some(Avatar()) as Any])
            },
            RequestRow("a set", #"params…"ids": it is a Set<Int>"#) { $0.get("/").params(dictionary: ["ids": Set([1])]) },
            RequestRow("keys that are no text", #"params…"counts": it is a Dictionary<Int, Int>"#) {
                $0.get("/").params(dictionary: ["counts": [1: 2]])
            },
            RequestRow("a number that is none", #"params…"a": it is not a number"#) {
                $0.get("/").params(dictionary: ["a": NSNumber(value: Double.nan)])
            },
            RequestRow("too deep", "params…nested more than 100 levels deep") { client in
                let deep = (0..<200).reduce(into: [String: Any]()) { inner, _ in inner = ["a": inner] }
                return client.get("/").params(dictionary: deep)
            },
        ])
    func faults(row: RequestRow) async { await row.checkFault(Self.client) }
}
