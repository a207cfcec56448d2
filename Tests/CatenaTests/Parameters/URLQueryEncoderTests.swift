import Foundation
import Testing

@testable import Catena

struct QueryCase: Sendable, CustomTestStringConvertible {
    let params: Params
    let expected: String
    let style: ParameterStyle

    init(_ params: Params, _ expected: String, _ change: (inout ParameterStyle) -> Void = { _ in }) {
        self.params = params
        self.expected = expected
        var style = ParameterStyle()
        change(&style)
        self.style = style
    }

    var testDescription: String { expected.isEmpty ? "(empty)" : String(expected.prefix(80)) }

    func check() throws {
        #expect(try URLQueryEncoder.encode(params, style: style) == expected)
    }
}

private let after = Date(timeIntervalSinceReferenceDate: 123.456)
private let wholeDate = Date(timeIntervalSinceReferenceDate: 123)

@Suite("Query and form encoding")
struct URLQueryEncoderTests {
    @Test(
        "scalars have one text each",
        arguments: [
            QueryCase([:], ""),
            QueryCase(["foo": "bar"], "foo=bar"),
            QueryCase(["foo": ""], "foo="),
            QueryCase(["foo": 1, "bar": Int8(-8), "baz": UInt8.max], "foo=1&bar=-8&baz=255"),
            QueryCase(["a": Int64.max, "b": Int64.min], "a=9223372036854775807&b=-9223372036854775808"),
            QueryCase(["a": UInt64.max], "a=18446744073709551615"),
            QueryCase(["a": 1.1, "b": 1.0, "c": Float(1.0), "d": Float(0.1)], "a=1.1&b=1&c=1&d=0.1"),
            QueryCase(["a": -0.0, "b": 9_007_199_254_740_992.0], "a=0&b=9007199254740992"),
            QueryCase(["a": 1e21, "b": 1e-7], "a=1e%2B21&b=1e-07"),
            QueryCase(
                ["a": Decimal(string: "1.0"), "b": Decimal(string: "1.123456"), "c": Decimal(string: "1.10")], "a=1&b=1.123456&c=1.1"),
            QueryCase(["a": true, "b": false, "c": 1, "d": 0, "e": 1.0, "f": 0.0], "a=true&b=false&c=1&d=0&e=1&f=0"),
            QueryCase(["a": true, "b": false], "a=1&b=0") { $0.booleans = .numeric },
            QueryCase(["a": JSON(array: [true, 1, 0.25, "x"])], "a%5B%5D=true&a%5B%5D=1&a%5B%5D=0.25&a%5B%5D=x"),
            QueryCase(["a": ParameterNode.number("1e400"), "b": ParameterNode.number("0.10")], "a=1e400&b=0.10"),
            QueryCase(
                ["a": URL(string: "https://example.com/?a=b&c")],
                "a=https%3A//example.com/?a%3Db%26c"),
            QueryCase(["a": UUID(uuidString: "e621e1f8-c36c-495a-93fc-0c247a3e6e5f")], "a=E621E1F8-C36C-495A-93FC-0C247A3E6E5F"),
        ])
    func scalars(row: QueryCase) throws { try row.check() }

    @Test(
        "members keep their order, or are sorted by key at every depth",
        arguments: [
            QueryCase(["foo": "bar", "baz": "qux"], "foo=bar&baz=qux"),
            QueryCase(["foo": "bar", "baz": "qux"], "baz=qux&foo=bar") { $0.order = .sorted },
            QueryCase(["a1": 1, "a": [2, 1], "b": ["d": 1, "c": 2] as Params], "a%5B%5D=2&a%5B%5D=1&a1=1&b%5Bc%5D=2&b%5Bd%5D=1") {
                $0.order = .sorted
            },
            QueryCase(["a1": "x", "a": ["k": "x"], "A": 1], "A=1&a%5Bk%5D=x&a1=x") { $0.order = .sorted },
        ])
    func order(row: QueryCase) throws { try row.check() }

    @Test(
        "arrays keep the order of their elements in every style",
        arguments: [
            QueryCase(["foo": JSON(array: ["a", 1, true])], "foo%5B%5D=a&foo%5B%5D=1&foo%5B%5D=true"),
            QueryCase(["foo": JSON(array: ["a", 1, true])], "foo%5B%5D=a&foo%5B%5D=1&foo%5B%5D=1") { $0.booleans = .numeric },
            QueryCase(["foo": JSON(array: ["a", 1, 1])], "foo=a&foo=1&foo=1") { $0.arrays = .repeat },
            QueryCase(["foo": JSON(array: ["a", 1, 1])], "foo%5B0%5D=a&foo%5B1%5D=1&foo%5B2%5D=1") { $0.arrays = .index },
            QueryCase(["foo": JSON(array: ["a", 1, 1]), "z": 0], "foo.1=a&foo.2=1&foo.3=1&z=0") {
                $0.arrays = .custom { "\($0).\($1 + 1)" }
            },
            QueryCase(["foo": ["a", "b"]], "foo=a%2Cb") { $0.arrays = .comma },
            QueryCase(["foo": ["a,b", "c"], "z": 0], "foo=a%2Cb,c&z=0") { $0.arrays = .bareComma },
            QueryCase(["n": Array(0..<12)], (0..<12).map { "n%5B\($0)%5D=\($0)" }.joined(separator: "&")) { $0.arrays = .index },
            QueryCase(["n": [[1, 2], [3]]], "n%5B%5D%5B%5D=1&n%5B%5D%5B%5D=2&n%5B%5D%5B%5D=3"),
            QueryCase(["n": [[1, 2], [3]]], "n%5B0%5D%5B0%5D=1&n%5B0%5D%5B1%5D=2&n%5B1%5D%5B0%5D=3") { $0.arrays = .index },
            QueryCase(["n": [[1, 2], [3]]], "n-0-0=1&n-0-1=2&n-1-0=3") { $0.arrays = .custom { "\($0)-\($1)" } },
            QueryCase(["foo": [["a": 1], ["b": 2]]], "foo%5B%5D%5Ba%5D=1&foo%5B%5D%5Bb%5D=2"),
            QueryCase(
                ["foo": JSON(array: ["a", 1, 1, ["bar": 2], ["qux": 3], ["quy": ["quz": 3]]])],
                "foo%5B0%5D=a&foo%5B1%5D=1&foo%5B2%5D=1&foo%5B3%5D%5Bbar%5D=2&foo%5B4%5D%5Bqux%5D=3&foo%5B5%5D%5Bquy%5D%5Bquz%5D=3"
            ) { $0.arrays = .index },
        ])
    func arrays(row: QueryCase) throws { try row.check() }

    @Test(
        "nested keys are joined by brackets, dots or as the caller says",
        arguments: [
            QueryCase(["foo": ["bar": 1]], "foo%5Bbar%5D=1"),
            QueryCase(["foo": ["bar": ["baz": 1]]], "foo%5Bbar%5D%5Bbaz%5D=1"),
            QueryCase(["a": ["b": "b"], "c": 1], "a.b=b&c=1") { $0.nesting = .dots },
            QueryCase(["a": ["b": "b"], "c": 1], "a-b=b&c=1") { $0.nesting = .custom { "-\($0)" } },
            QueryCase(
                ["foo": ["bar": ["baz": JSON(array: ["a", 1])]]],
                "foo%5Bbar%5D%5Bbaz%5D%5B%5D=a&foo%5Bbar%5D%5Bbaz%5D%5B%5D=1"),
            QueryCase(["foo": ["bar": ["baz": JSON(array: ["a", 1])]]], "foo%5Bbar%5D%5Bbaz%5D=a&foo%5Bbar%5D%5Bbaz%5D=1") {
                $0.arrays = .repeat
            },
            QueryCase(["a": ["b": [["c": 1]]]], "a.b%5B0%5D.c=1") {
                $0.nesting = .dots
                $0.arrays = .index
            },
        ])
    func nesting(row: QueryCase) throws { try row.check() }

    @Test(
        "nulls and empty collections follow the style and never leave a stray separator",
        arguments: [
            QueryCase(["a": .null, "b": 1], "a=&b=1"),
            QueryCase(["a": .null, "b": 1], "b=1") { $0.nulls = .drop },
            QueryCase(["a": .null, "b": 1], "a=null&b=1") { $0.nulls = .literal },
            QueryCase(["a": ["b": JSON.null] as Params, "c": JSON(["d": .null] as Params)], "a%5Bb%5D=null&c%5Bd%5D=null") {
                $0.nulls = .literal
            },
            QueryCase(["a": [1, nil, 3]], "a%5B%5D=1&a%5B%5D=&a%5B%5D=3"),
            QueryCase(["a": [1, nil, 3]], "a%5B%5D=1&a%5B%5D=&a%5B%5D=3") { $0.nulls = .drop },
            QueryCase(["a": [1, nil, 3]], "a%5B%5D=1&a%5B%5D=null&a%5B%5D=3") { $0.nulls = .literal },
            QueryCase(["a": [1, nil, 3]], "a=1,,3") {
                $0.arrays = .bareComma
                $0.nulls = .drop
            },
            QueryCase(["a": [1, nil, 3]], "a=1%2Cnull%2C3") {
                $0.arrays = .comma
                $0.nulls = .literal
            },
            QueryCase(["x": [Int](), "a": 1, "y": [String: Int](), "z": [:] as Params], "a=1"),
            QueryCase(["x": [Int]()], ""),
            QueryCase(["x": [Int](), "a": 1, "y": [:] as Params], "x=&a=1&y=") { $0.emptyCollections = .keyOnly },
            QueryCase(["x": [Int](), "a": 1], "a=1") { $0.arrays = .comma },
        ])
    func absence(row: QueryCase) throws { try row.check() }

    @Test(
        "every byte but the unreserved, the slash and the question mark is percent-encoded, in keys as in values",
        arguments: [
            QueryCase(["r": ":#[]@!$&'()*+,;="], "r=%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D"),
            QueryCase(["r": "?/"], "r=?/"),
            QueryCase(["u": "AZaz09-._~"], "u=AZaz09-._~"),
            QueryCase(["i": " \"#%<>[]\\^`{}|"], "i=%20%22%23%25%3C%3E%5B%5D%5C%5E%60%7B%7D%7C"),
            QueryCase(["foo&bar": "baz&qux"], "foo%26bar=baz%26qux"),
            QueryCase(["?foo?": "?bar?"], "?foo?=?bar?"),
            QueryCase(["foo": "/bar/baz/qux"], "foo=/bar/baz/qux"),
            QueryCase([" foo ": " bar "], "%20foo%20=%20bar%20"),
            QueryCase(["+foo+": "+bar+"], "%2Bfoo%2B=%2Bbar%2B"),
            QueryCase(["percent%": "%25"], "percent%25=%2525"),
            QueryCase(["user[id]": 1], "user%5Bid%5D=1"),
            QueryCase(["a": "\r\n\0\u{7F}"], "a=%0D%0A%00%7F"),
            QueryCase(["french": "français", "japanese": "日本語"], "french=fran%C3%A7ais&japanese=%E6%97%A5%E6%9C%AC%E8%AA%9E"),
            QueryCase(["العربية": "😃"], "%D8%A7%D9%84%D8%B9%D8%B1%D8%A8%D9%8A%D8%A9=%F0%9F%98%83"),
            QueryCase(["replace with": "a + b"], "replace+with=a+%2B+b") { $0.spaces = .plus },
        ])
    func escaping(row: QueryCase) throws { try row.check() }

    @Test(
        "dates and bytes follow the style",
        arguments: [
            QueryCase(["d": after], "d=2001-01-01T00%3A02%3A03Z"),
            QueryCase(["d": after, "w": wholeDate], "d=978307323.456&w=978307323") { $0.dates = .seconds },
            QueryCase(["d": after, "w": wholeDate], "d=978307323456&w=978307323000") { $0.dates = .milliseconds },
            QueryCase(["d": after], "d=%2B123") { $0.dates = .formatted { "+\(Int($0.timeIntervalSinceReferenceDate))" } },
            QueryCase(["d": Data("data".utf8)], "d=ZGF0YQ%3D%3D"),
            QueryCase(["d": Data([0xFB, 0xFF]), "e": Data()], "d=%2B/8%3D&e="),
            QueryCase(["d": Data("data".utf8), "e": Data([0xFB, 0xFF])], "d=ZGF0YQ&e=-_8") { $0.data = .base64URL },
            QueryCase(["d": Data("data".utf8)], "d=4") { $0.data = .formatted { String($0.count) } },
        ])
    func datesAndBytes(row: QueryCase) throws { try row.check() }

    @Test(
        "keys are cased segment by segment",
        arguments: [
            QueryCase(["userInfo": ["firstName": 1, "myURLProperty": 2]], "user_info%5Bfirst_name%5D=1&user_info%5Bmy_url_property%5D=2") {
                $0.keyCase = .snake
            },
            QueryCase(["userInfo": ["firstName": 1]], "UserInfo%5BFirstName%5D=1") { $0.keyCase = .capitalized },
            QueryCase(["bKey": 1, "a": ["cD": 2]], "A.CD=2&BKEY=1") {
                $0.keyCase = .upper
                $0.nesting = .dots
                $0.order = .sorted
            },
        ])
    func keyCase(row: QueryCase) throws { try row.check() }

    @Test("a long value and a million elements are encoded in linear time", .timeLimit(.minutes(1)))
    func volume() throws {
        let chinese = String(repeating: "测", count: 20_000)
        #expect(try URLQueryEncoder.encode(["v": chinese], style: .init()) == "v=" + String(repeating: "%E6%B5%8B", count: 20_000))
        let encoded = try URLQueryEncoder.encode(["n": [Int](repeating: 7, count: 1_000_000)], style: .init())
        #expect(encoded.utf8.count == 1_000_000 * "n%5B%5D=7&".utf8.count - 1)
    }

    @Test("multipart fields have the names and texts of a query, unencoded")
    func fields() throws {
        let params: Params = ["a b": "é&", "list": [1, 2], "o": ["k": true]]
        let fields = try ParameterField.fields(of: params, style: .init()).map { [$0.name, $0.value] }
        #expect(fields == [["a b", "é&"], ["list[]", "1"], ["list[]", "2"], ["o[k]", "true"]])
        var style = ParameterStyle()
        style.arrays = .bareComma
        #expect(try ParameterField.fields(of: ["list": [1, 2]], style: style).map { [$0.name, $0.value] } == [["list", "1,2"]])
    }
}
