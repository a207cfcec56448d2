import Foundation
import Testing

@testable import Catena

@Suite("Property-list body", .limitedParallelism)
struct PropertyListBodyTests {
    @Test("values in a property list keep their type")
    func values() throws {
        let date = Date(timeIntervalSince1970: 978_307_323)
        let params: Params = [
            "text": "a<b&\n", "whole": Int64.max, "big": UInt64.max, "real": 1.5, "exact": 2.0, "flag": true, "date": date,
            "data": Data([0, 1]),
            "list": JSON(array: [1, "x", nil]), "object": ["innerKey": Decimal(string: "0.25")], "null": .null,
        ]
        var style = ParameterStyle()
        style.keyCase = .snake
        let body = try PropertyListBody.encode(.object(params), style: style)
        #expect(String(decoding: body.prefix(5), as: UTF8.self) == "<?xml")
        let read = try #require(try PropertyListSerialization.propertyList(from: body, format: nil) as? [String: Any])
        #expect(read["text"] as? String == "a<b&\n")
        #expect(read["whole"] as? Int64 == .max)
        #expect(read["big"] as? UInt64 == .max)
        #expect(read["real"] as? Double == 1.5)
        #expect(read["exact"] as? Double == 2)
        #expect(read["flag"] as? Bool == true)
        #expect(read["date"] as? Date == date)
        #expect(read["data"] as? Data == Data([0, 1]))
        #expect((read["list"] as? [Any])?.count == 3)
        #expect((read["list"] as? [Any])?.last as? String == "")
        #expect((read["object"] as? [String: Any])?["inner_key"] as? Double == 0.25)
        #expect(read["null"] as? String == "")
    }

    @Test(
        "markup in a text stays text, also beside characters that join it",
        arguments: ["<\u{301}", "&\u{FE0F}", ">\u{200D}", "x\r\ny", "\r", "a\u{600}</string><key>admin</key><true/>", "]]>", "&amp;"])
    func markup(text: String) throws {
        let body = try PropertyListBody.encode(.object(["first": text, text: "second"]), style: .init())
        let read = try #require(try PropertyListSerialization.propertyList(from: body, format: nil) as? [String: String])
        // Swift compares texts by their characters, so that an accent could hide a difference.
        #expect(read.count == 2)
        #expect(read["first"].map { Array($0.utf8) } == Array(text.utf8))
        #expect(Set(read.keys.map { Array($0.utf8) }) == [Array("first".utf8), Array(text.utf8)])
    }

    @Test("a text that XML cannot hold fails", arguments: ["\u{0}", "\u{1B}", "\u{FFFE}", "\u{FFFF}"])
    func forbidden(text: String) {
        #expect(throws: ParameterError.self) { try PropertyListBody.encode(.string("a" + text), style: .init()) }
    }

    @Test("a null in a property list follows the style", arguments: [true, false])
    func nulls(drops: Bool) throws {
        var style = ParameterStyle()
        style.nulls = drops ? .drop : .literal
        let body = try PropertyListBody.encode(.object(["null": .null, "a": 1]), style: style)
        let read = try #require(try PropertyListSerialization.propertyList(from: body, format: nil) as? [String: Any])
        #expect(read["null"] as? String == (drops ? nil : "null"))
        #expect(read["a"] as? Int == 1)
    }

    @Test("any value can be the root of a property list")
    func roots() throws {
        let rows: [(any ParameterValue, String)] = [([1, 2], "[1, 2]"), ("x", "x"), ([:] as Params, "[:]"), (JSON.null, "")]
        for (value, expected) in rows {
            let body = try PropertyListBody.encode(value.parameterNode, style: .init())
            let read = try PropertyListSerialization.propertyList(from: body, format: nil)
            #expect("\(read)" == expected)
        }
        #expect(throws: ParameterError.self) { try PropertyListBody.encode(.double(.nan), style: .init()) }
    }
}
