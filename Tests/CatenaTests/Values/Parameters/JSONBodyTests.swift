import Foundation
import Testing

@testable import Catena

private let moment = Date(timeIntervalSince1970: 978_307_323.456)

struct JSONBodyCase: Sendable, CustomTestStringConvertible {
    let node: ParameterNode
    let expected: String
    let style: ParameterStyle

    init(_ value: any ParameterValue, _ expected: String, _ change: (inout ParameterStyle) -> Void = { _ in }) {
        node = value.parameterNode
        self.expected = expected
        var style = ParameterStyle()
        change(&style)
        self.style = style
    }

    var testDescription: String { expected }
}

@Suite("JSON body", .limitedParallelism)
struct JSONBodyTests {
    @Test(
        "values keep their JSON type, and members keep their order",
        arguments: [
            JSONBodyCase([:] as Params, "{}"),
            JSONBodyCase(["b": 1, "a": "x"] as Params, #"{"b":1,"a":"x"}"#),
            JSONBodyCase(
                ["foo": "bar", "baz": JSON(array: ["a", 1, true]), "qux": ["a": 1, "b": [1, 2]] as Params] as Params,
                #"{"foo":"bar","baz":["a",1,true],"qux":{"a":1,"b":[1,2]}}"#),
            JSONBodyCase(
                ["n": .null, "e": [Int](), "o": [:] as Params, "l": [nil, 1]] as Params, #"{"n":null,"e":[],"o":{},"l":[null,1]}"#
            ) {
                $0.nulls = .drop
                $0.booleans = .numeric
            },
            JSONBodyCase(["t": true, "f": false] as Params, #"{"t":true,"f":false}"#) { $0.booleans = .numeric },
            JSONBodyCase([1.0, 0.1, -0.0, 1e21, 1.5e-9], "[1,0.1,0,1e+21,1.5e-09]"),
            JSONBodyCase([Int64.min, Int64.max], "[-9223372036854775808,9223372036854775807]"),
            JSONBodyCase([UInt64.max], "[18446744073709551615]"),
            JSONBodyCase([ParameterNode.number("0.10"), .number("1e400"), .number("-0")], "[0.10,1e400,-0]"),
            JSONBodyCase([Decimal(string: "12345678901234567890.5")], "[12345678901234567890.5]"),
            JSONBodyCase(["k\"": "\"\\\n\u{1}/é😃"] as Params, #"{"k\"":"\"\\\n\u0001/é😃"}"#),
            JSONBodyCase(moment, #""2001-01-01T00:02:03.456Z""#),
            JSONBodyCase(moment, "978307323.456") { $0.dates = .seconds },
            JSONBodyCase(moment, "978307323456") { $0.dates = .milliseconds },
            JSONBodyCase(moment, #""+""#) { $0.dates = .formatted { _ in "+" } },
            JSONBodyCase(Data([0xFB, 0xFF]), #""+/8=""#),
            JSONBodyCase(Data([0xFB, 0xFF]), #""-_8""#) { $0.data = .base64URL },
            JSONBodyCase("x", #""x""#),
            JSONBodyCase(["bKey": 1, "aKey": ["d": 1, "c": [2, 1]] as Params] as Params, #"{"a_key":{"c":[2,1],"d":1},"b_key":1}"#) {
                $0.keyCase = .snake
                $0.order = .sorted
            },
        ])
    func values(row: JSONBodyCase) throws {
        let body = try JSONBody.encode(row.node, style: row.style)
        #expect(String(decoding: body, as: UTF8.self) == row.expected)
        _ = try JSON(parsing: Array(body))
    }

    @Test("a value without a JSON form fails when it is encoded, and does not become null")
    func notJSON() {
        for node in [ParameterNode.double(.nan), .double(.infinity), .number("x")] {
            let json = JSON(["bad": node])
            #expect(!json.bad.isNull)
            #expect(throws: ParameterError.self) { try JSONBody.encode(json.parameterNode, style: .init()) }
        }
    }

    @Test("a JSON value made from params keeps their order, and encodes to the original values")
    func jsonFromParams() throws {
        let params: Params = [
            "b": 1, "a": ["x", "y"], "n": .null, "big": UInt64.max, "half": 0.5, "whole": 2.0, "t": true, "date": moment, "data": Data([1]),
            "decimal": Decimal(string: "0.1"),
        ]
        let json = JSON(params)
        #expect(json.b.int == 1)
        #expect(json.whole.int == 2)
        #expect(json.date.string == "2001-01-01T00:02:03.456Z")
        #expect(json.data.string == "AQ==")
        let body = try JSONBody.encode(json.parameterNode, style: .init())
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"b":1,"a":["x","y"],"n":null,"big":18446744073709551615,"half":0.5,"whole":2,"t":true,"#
                + #""date":"2001-01-01T00:02:03.456Z","data":"AQ==","decimal":0.1}"#)
    }

    @Test(
        "a number in a JSON value has the form that the parser would produce",
        arguments: [
            (ParameterNode.number("18446744073709551615"), ParameterNode.unsigned(.max)), (.number("12"), .integer(12)),
            (.number("-0"), .number("-0")),
            (.decimal(7), .integer(7)), (.double(0.5), .number("0.5")), (.number("18446744073709551616"), .number("18446744073709551616")),
        ])
    func numberForm(node: ParameterNode, expected: ParameterNode) {
        #expect(JSON(["n": node]).n.parameterNode == expected)
    }
}
