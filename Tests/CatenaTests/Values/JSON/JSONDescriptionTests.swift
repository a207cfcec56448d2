import Foundation
import Testing

@testable import Catena

@Suite("JSON, description", .limitedParallelism)
struct JSONDescriptionTests {
    @Test("a description has several lines, with members in their order and numbers as they were read")
    func prints() throws {
        let value = try JSON(parsing: #"{"b":[1,2.50,null,{"x":true}],"a":"é\n","c":[],"d":{},"e":[[]]}"#.utf8)
        let expected = #"""
            {
              "b": [
                1,
                2.50,
                null,
                {
                  "x": true
                }
              ],
              "a": "é\n",
              "c": [],
              "d": {},
              "e": [
                []
              ]
            }
            """#
        #expect("\(value)" == expected)
        #expect(String(describing: value) == expected)
        #expect(String(reflecting: value) == expected)
        #expect(try JSON(parsing: "\(value)".utf8) == value)
    }

    static let scalars: [(value: JSON, text: String)] = [
        (nil, "null"), (true, "true"), (-7, "-7"), ("Ann", #""Ann""#), ([], "[]"), ([:], "{}"), ([1], "[\n  1\n]"),
    ]

    @Test("the description of a small value is its JSON text", arguments: scalars.indices)
    func small(row: Int) {
        #expect("\(Self.scalars[row].value)" == Self.scalars[row].text)
    }

    static let secrets: [(text: String, shown: String)] = [
        (#"{"token":"made-up"}"#, #"{"token":"***"}"#),
        (#"{"user":{"password":"made-up","name":"Ann"}}"#, #"{"user":{"password":"***","name":"Ann"}}"#),
        (#"[{"access_token":["made-up"],"pin":4711}]"#, #"[{"access_token":"***","pin":"***"}]"#),
        (#"{"session":{"id":"made-up"}}"#, #"{"session":"***"}"#),
        (#"{"token":null}"#, #"{"token":null}"#),
        (#"{"next":"https://example.com/?page=2&token=made-up"}"#, #"{"next":"https://example.com/?page=2&token=***"}"#),
        (#"{"https://ann:made-up@example.com/":{"/a?token=made-up":1}}"#, #"{"https://***@example.com/":{"/a?token=***":"***"}}"#),
        (#"{"raw":"{\"token\":\"made-up\"}"}"#, #"{"raw":"{\"token\":\"***\"}"}"#),
    ]

    @Test("a description hides secrets, the encoded value does not", arguments: secrets.indices)
    func hidden(row: Int) throws {
        let (text, shown) = Self.secrets[row]
        let value = try JSON(parsing: text.utf8)
        #expect(try JSON(parsing: "\(value)".utf8).text == shown)
        #expect(value.text == text)
        #expect(try JSON(parsing: JSONEncoder().encode(value)) == value)
    }

    @Test("the length of a description does not grow with the square of the depth")
    func deep() {
        var value: JSON = 0
        for _ in 0..<5000 { value = JSON(array: [value]) }
        #expect("\(value)".utf8.count < 5000 * 2 * 70)
        #expect(value.text.utf8.count == 10_001)
    }
}
