import Foundation
import Testing

@testable import Catena

@Suite("JSON, Codable", .limitedParallelism)
struct JSONCodableTests {
    static let documents = [
        "null", "true", "false", "0", "-1", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551615",
        "9007199254740993", "0.1", "-1.5e-7",
        "1e300", #""""#, #""1""#, #""é\n\"""#, "[]", "{}", "[[],{}]", #"{"a":[1,true,null,"x",{"b":0.5}],"count":1}"#, "[0,1,false,true]",
    ]

    @Test("a value goes through JSONEncoder and JSONDecoder unchanged")
    static func roundTripRows() {
        each(documents) { try Self().roundTrip(text: $0) }
    }

    func roundTrip(text: String) throws {
        let value = try JSON(parsing: text.utf8)
        let data = try JSONEncoder().encode([value])
        #expect(try JSON(parsing: data) == [value])
        #expect(try JSONDecoder().decode(JSON.self, from: data) == [value])
    }

    @Test("JSONDecoder decodes each value as the kind that the document has")
    static func decodingRows() {
        each(documents) { try Self().decoding(text: $0) }
    }

    func decoding(text: String) throws {
        let decoded = try JSONDecoder().decode([JSON].self, from: Data("[\(text)]".utf8))
        #expect(try decoded == [JSON(parsing: text.utf8)])
    }

    @Test("a JSON value can be a member of another type")
    func member() throws {
        struct Model: Codable, Equatable {
            let name: String
            let extra: JSON
            let absent: JSON?
        }
        let text = #"{"name":"x","extra":{"b":[1,2.5],"a":null}}"#
        let model = try JSONDecoder().decode(Model.self, from: Data(text.utf8))
        #expect(model == Model(name: "x", extra: ["b": [1, 2.5], "a": nil], absent: nil))
        #expect(model.extra.text == #"{"a":null,"b":[1,2.5]}"#)
        #expect(try JSON(parsing: JSONEncoder().encode(model)) == JSON(parsing: text.utf8))
    }

    @Test("members are sorted by key if they come from a decoder, which has no order of its own")
    func order() throws {
        let sorted = "{" + "abcdefghijklmnopqrstuvwxyz".map { "\"\($0)\":0" }.joined(separator: ",") + "}"
        let reversed = "{" + "abcdefghijklmnopqrstuvwxyz".reversed().map { "\"\($0)\":0" }.joined(separator: ",") + "}"
        #expect(try JSONDecoder().decode(JSON.self, from: Data(reversed.utf8)).text == sorted)
    }

    @Test("a property list encodes and decodes JSON values")
    func propertyList() throws {
        let value: JSON = ["a": [1, true, 0.5, "x"], "b": ["c": -1]]
        let data = try PropertyListEncoder().encode(value)
        #expect(try PropertyListDecoder().decode(JSON.self, from: data) == value)
    }

    @Test("a number beyond the range of Double is an error, not infinity")
    func outOfRange() throws {
        let value = try JSON(parsing: "1e400".utf8)
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(["a": value]) }
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(JSON.self, from: Data("[1e400]".utf8)) }
    }

    @Test("a date or data of a property list has no form in JSON")
    func foreignValue() throws {
        let data = try PropertyListEncoder().encode(["a": Date(timeIntervalSince1970: 0)])
        #expect(throws: DecodingError.self) { try PropertyListDecoder().decode(JSON.self, from: data) }
    }
}
