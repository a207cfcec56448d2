import Foundation
import Testing

@testable import Catena

@Suite("Params as XML", .limitedParallelism)
struct XMLParameterEncoderTests {
    private static func text(_ params: Params, root: String = "xml", _ style: ParameterStyle = ParameterStyle()) throws -> String {
        String(decoding: try XMLParameterEncoder(root: root).body(params, style: style).data, as: UTF8.self)
    }

    @Test("each param is an element, in order, with the text that it has in a query")
    func elements() throws {
        #expect(try Self.text(["b": 2.0, "a": true, "n": .null, "x": nil, "t": ""]) == "<xml><b>2</b><a>true</a><n></n><t></t></xml>")
        #expect(try Self.text([:], root: "r_1.a-b") == "<r_1.a-b></r_1.a-b>")
        var style = ParameterStyle()
        (style.nulls, style.booleans, style.order, style.keyCase) = (.drop, .numeric, .sorted, .snake)
        #expect(try Self.text(["bC": true, "a": 1, "n": .null], style) == "<xml><a>1</a><b_c>1</b_c></xml>")
    }

    @Test("characters of markup are escaped, so that a parser reads them as text")
    func escapes() throws {
        let value = "<a>&amp;]]>\"'\r\n\t订单😀"
        let document = try Self.text(["v": value])
        #expect(document == "<xml><v>&lt;a&gt;&amp;amp;]]&gt;\"'&#13;\n\t订单😀</v></xml>")
    }

    @Test(
        "a value or a name without an XML form fails, and the error has its key path",
        arguments: [
            (["l": [1]], "l"), (["o": ["x": 1] as Params], "o"), (["a b": 1], "a b"), (["1a": 1], "1a"), (["": 1], ""), (["é": 1], "é"),
            (["a>": 1], "a>"), (["c": "\u{0}"], "c"), (["c": "a\u{1B}"], "c"), (["c": "\u{FFFF}"], "c"), (["d": Double.nan], "d"),
        ] as [(Params, String)])
    func faults(params: Params, path: String) {
        let error = #expect(throws: ParameterError.self) { try Self.text(params) }
        #expect(error?.keyPath == path)
    }

    @Test("a root that is no XML name is refused", arguments: ["", "a b", "<a>", "-a"])
    func root(name: String) {
        #expect(throws: ParameterError.self) { try Self.text([:], root: name) }
    }
}
