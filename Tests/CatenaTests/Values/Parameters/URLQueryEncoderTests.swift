import Foundation
import Testing

@testable import Catena

/// Params and the text that they are encoded to. `row` names the rule that is tested.
struct QueryCase: Sendable, CustomTestStringConvertible {
    let row: String
    let params: Params
    let expected: String
    let style: ParameterStyle

    init(_ row: String, _ params: Params, _ expected: String, _ change: (inout ParameterStyle) -> Void = { _ in }) {
        self.row = row
        self.params = params
        self.expected = expected
        style = ParameterStyle(change)
    }

    var testDescription: String { "\(row): \(expected.prefix(80))" }

    func check() throws {
        #expect(try URLQueryEncoder.encode(params, style: style) == expected)
    }
}

private let after = Date(timeIntervalSinceReferenceDate: 123.456)

private func formatted(_ date: Date) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.calendar = Calendar(identifier: .gregorian)
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "yyyy-MM-dd HH:mm:ss.SSSS"
    return formatter.string(from: date)
}

private let wholeDate = Date(timeIntervalSinceReferenceDate: 123)

@Suite("Query and form encoding", .limitedParallelism)
struct URLQueryEncoderTests {
    @Test(
        "each scalar has one text",
        arguments: [
            QueryCase("no params", [:], ""),
            QueryCase("text", ["foo": "bar"], "foo=bar"),
            QueryCase("text", ["foo": ""], "foo="),
            QueryCase("integers", ["foo": 1, "bar": Int8(-8), "baz": UInt8.max], "foo=1&bar=-8&baz=255"),
            QueryCase("integers", ["z": 0, "ten": 10, "minus": -1], "z=0&ten=10&minus=-1"),
            QueryCase("integers", ["a": Int64.max, "b": Int64.min], "a=9223372036854775807&b=-9223372036854775808"),
            QueryCase("integers", ["a": UInt64.max], "a=18446744073709551615"),
            QueryCase("fractions", ["a": 1.1, "b": 1.0, "c": Float(1.0), "d": Float(0.1)], "a=1.1&b=1&c=1&d=0.1"),
            QueryCase("fractions", ["a": -0.0, "b": 9_007_199_254_740_992.0], "a=0&b=9007199254740992"),
            QueryCase("exponents", ["a": 1e21, "b": 1e-7], "a=1e%2B21&b=1e-07"),
            QueryCase(
                "decimals",
                ["a": Decimal(string: "1.0"), "b": Decimal(string: "1.123456"), "c": Decimal(string: "1.10")], "a=1&b=1.123456&c=1.1"),
            QueryCase("booleans", ["a": true, "b": false, "c": 1, "d": 0, "e": 1.0, "f": 0.0], "a=true&b=false&c=1&d=0&e=1&f=0"),
            QueryCase("booleans", ["a": true, "b": false], "a=1&b=0") { $0.booleans = .numeric },
            QueryCase("mixed array", ["a": JSON(array: [true, 1, 0.25, "x"])], "a%5B%5D=true&a%5B%5D=1&a%5B%5D=0.25&a%5B%5D=x"),
            QueryCase("exponents", ["a": ParameterNode.number("1e400"), "b": ParameterNode.number("0.10")], "a=1e400&b=0.10"),
            QueryCase(
                "URL and UUID",
                ["a": URL(string: "https://example.com/?a=b&c")],
                "a=https%3A//example.com/?a%3Db%26c"),
            QueryCase(
                "URL and UUID", ["a": UUID(uuidString: "e621e1f8-c36c-495a-93fc-0c247a3e6e5f")], "a=E621E1F8-C36C-495A-93FC-0C247A3E6E5F"),
        ])
    func scalars(row: QueryCase) throws { try row.check() }

    @Test(
        "members keep their order, or are sorted by key at every depth",
        arguments: [
            QueryCase("order", ["foo": "bar", "baz": "qux"], "foo=bar&baz=qux"),
            QueryCase("order", ["foo": "bar", "baz": "qux"], "baz=qux&foo=bar") { $0.order = .sorted },
            QueryCase("order", ["a1": 1, "a": [2, 1], "b": ["d": 1, "c": 2] as Params], "a%5B%5D=2&a%5B%5D=1&a1=1&b%5Bc%5D=2&b%5Bd%5D=1") {
                $0.order = .sorted
            },
            QueryCase("order", ["a1": "x", "a": ["k": "x"], "A": 1], "A=1&a%5Bk%5D=x&a1=x") { $0.order = .sorted },
        ])
    func order(row: QueryCase) throws { try row.check() }

    @Test(
        "arrays keep the order of their elements in every style",
        arguments: [
            QueryCase("array", ["foo": JSON(array: ["a", 1, true])], "foo%5B%5D=a&foo%5B%5D=1&foo%5B%5D=true"),
            QueryCase("array", ["foo": JSON(array: ["a", 1, true])], "foo%5B%5D=a&foo%5B%5D=1&foo%5B%5D=1") { $0.booleans = .numeric },
            QueryCase("array style", ["foo": JSON(array: ["a", 1, 1])], "foo=a&foo=1&foo=1") { $0.arrays = .repeat },
            QueryCase("array style", ["foo": JSON(array: ["a", 1, 1])], "foo%5B0%5D=a&foo%5B1%5D=1&foo%5B2%5D=1") { $0.arrays = .index },
            QueryCase("array style", ["foo": JSON(array: ["a", 1, 1]), "z": 0], "foo.1=a&foo.2=1&foo.3=1&z=0") {
                $0.arrays = .custom { "\($0).\($1 + 1)" }
            },
            QueryCase("commas", ["foo": ["a", "b"]], "foo=a%2Cb") { $0.arrays = .comma },
            QueryCase("commas", ["foo": ["a,b", "c"], "z": 0], "foo=a%2Cb,c&z=0") { $0.arrays = .bareComma },
            QueryCase("long array", ["n": Array(0..<12)], (0..<12).map { "n%5B\($0)%5D=\($0)" }.joined(separator: "&")) {
                $0.arrays = .index
            },
            QueryCase("array of arrays", ["n": [[1, 2], [3]]], "n%5B%5D%5B%5D=1&n%5B%5D%5B%5D=2&n%5B%5D%5B%5D=3"),
            QueryCase("array of arrays", ["n": [[1, 2], [3]]], "n%5B0%5D%5B0%5D=1&n%5B0%5D%5B1%5D=2&n%5B1%5D%5B0%5D=3") {
                $0.arrays = .index
            },
            QueryCase("array of arrays", ["n": [[1, 2], [3]]], "n-0-0=1&n-0-1=2&n-1-0=3") { $0.arrays = .custom { "\($0)-\($1)" } },
            QueryCase("array of objects", ["foo": [["a": 1], ["b": 2]]], "foo%5B%5D%5Ba%5D=1&foo%5B%5D%5Bb%5D=2"),
            QueryCase(
                "objects in an array",
                ["foo": JSON(array: ["a", 1, 1, ["bar": 2], ["qux": 3], ["quy": ["quz": 3]]])],
                "foo%5B0%5D=a&foo%5B1%5D=1&foo%5B2%5D=1&foo%5B3%5D%5Bbar%5D=2&foo%5B4%5D%5Bqux%5D=3&foo%5B5%5D%5Bquy%5D%5Bquz%5D=3"
            ) { $0.arrays = .index },
        ])
    func arrays(row: QueryCase) throws { try row.check() }

    @Test(
        "nested keys are joined by brackets, dots or as the caller says",
        arguments: [
            QueryCase("object", ["foo": ["bar": 1]], "foo%5Bbar%5D=1"),
            QueryCase("object", ["foo": ["bar": ["baz": 1]]], "foo%5Bbar%5D%5Bbaz%5D=1"),
            QueryCase("object style", ["a": ["b": "b"], "c": 1], "a.b=b&c=1") { $0.nesting = .dots },
            QueryCase("object style", ["a": ["b": "b"], "c": 1], "a-b=b&c=1") { $0.nesting = .custom { "-\($0)" } },
            QueryCase(
                "array in objects",
                ["foo": ["bar": ["baz": JSON(array: ["a", 1])]]],
                "foo%5Bbar%5D%5Bbaz%5D%5B%5D=a&foo%5Bbar%5D%5Bbaz%5D%5B%5D=1"),
            QueryCase(
                "array in objects", ["foo": ["bar": ["baz": JSON(array: ["a", 1])]]], "foo%5Bbar%5D%5Bbaz%5D=a&foo%5Bbar%5D%5Bbaz%5D=1"
            ) {
                $0.arrays = .repeat
            },
            QueryCase("object style", ["a": ["b": [["c": 1]]]], "a.b%5B0%5D.c=1") {
                $0.nesting = .dots
                $0.arrays = .index
            },
        ])
    func nesting(row: QueryCase) throws { try row.check() }

    @Test(
        "nulls and empty collections follow the style and never leave a stray separator",
        arguments: [
            QueryCase("null", ["a": .null, "b": 1], "a=&b=1"),
            QueryCase("null", ["a": .null, "b": 1], "b=1") { $0.nulls = .drop },
            QueryCase("null", ["a": .null, "b": 1], "a=null&b=1") { $0.nulls = .literal },
            QueryCase("inner null", ["a": ["b": JSON.null] as Params, "c": JSON(["d": .null] as Params)], "a%5Bb%5D=null&c%5Bd%5D=null") {
                $0.nulls = .literal
            },
            QueryCase("inner null", ["a": [1, nil, 3]], "a%5B%5D=1&a%5B%5D=&a%5B%5D=3"),
            QueryCase("null", ["a": [1, nil, 3]], "a%5B%5D=1&a%5B%5D=&a%5B%5D=3") { $0.nulls = .drop },
            QueryCase("inner null", ["a": [1, nil, 3]], "a%5B%5D=1&a%5B%5D=null&a%5B%5D=3") { $0.nulls = .literal },
            QueryCase("inner null", ["a": [1, nil, 3]], "a=1,,3") {
                $0.arrays = .bareComma
                $0.nulls = .drop
            },
            QueryCase("inner null", ["a": [1, nil, 3]], "a=1%2Cnull%2C3") {
                $0.arrays = .comma
                $0.nulls = .literal
            },
            QueryCase("empty", ["x": [Int](), "a": 1, "y": [String: Int](), "z": [:] as Params], "a=1"),
            QueryCase("empty", ["x": [Int]()], ""),
            QueryCase("empty", ["x": [Int](), "a": 1, "y": [:] as Params], "x=&a=1&y=") { $0.emptyCollections = .keyOnly },
            QueryCase("empty", ["x": [Int](), "a": 1], "a=1") { $0.arrays = .comma },
        ])
    func absence(row: QueryCase) throws { try row.check() }

    @Test("every byte but the unreserved, the slash and the question mark is percent-encoded, in keys as in values")
    func escaping() {
        each([
            QueryCase("reserved", ["r": ":#[]@!$&'()*+,;="], "r=%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D"),
            QueryCase("slashes", ["r": "?/"], "r=?/"),
            QueryCase("slashes", ["?": "?/"], "%3F=%3F%2F") { $0.slashes = .percent },
            QueryCase("slashes", ["?": "?/ +"], "%3F=%3F%2F+%2B") {
                $0.slashes = .percent
                $0.spaces = .plus
            },
            QueryCase("reserved", ["u": "AZaz09-._~"], "u=AZaz09-._~"),
            QueryCase("unsafe", ["i": " \"#%<>[]\\^`{}|"], "i=%20%22%23%25%3C%3E%5B%5D%5C%5E%60%7B%7D%7C"),
            QueryCase("delimiters", ["foo&bar": "baz&qux"], "foo%26bar=baz%26qux"),
            QueryCase("delimiters", ["?foo?": "?bar?"], "?foo?=?bar?"),
            QueryCase("delimiters", ["foo": "/bar/baz/qux"], "foo=/bar/baz/qux"),
            QueryCase("delimiters", [" foo ": " bar "], "%20foo%20=%20bar%20"),
            QueryCase("delimiters", ["+foo+": "+bar+"], "%2Bfoo%2B=%2Bbar%2B"),
            QueryCase("delimiters", ["percent%": "%25"], "percent%25=%2525"),
            QueryCase("delimiters", ["user[id]": 1], "user%5Bid%5D=1"),
            QueryCase("control", ["a": "\r\n\0\u{7F}"], "a=%0D%0A%00%7F"),
            QueryCase("scripts", ["french": "français", "japanese": "日本語"], "french=fran%C3%A7ais&japanese=%E6%97%A5%E6%9C%AC%E8%AA%9E"),
            QueryCase("scripts", ["العربية": "😃"], "%D8%A7%D9%84%D8%B9%D8%B1%D8%A8%D9%8A%D8%A9=%F0%9F%98%83"),
            QueryCase("plus", ["replace with": "a + b"], "replace+with=a+%2B+b") { $0.spaces = .plus },
        ]) { row in
            try row.check()
        }
    }

    @Test(
        "dates and bytes follow the style",
        arguments: [
            QueryCase("dates", ["d": after], "d=2001-01-01T00%3A02%3A03.456Z"),
            QueryCase("dates", ["d": after, "w": wholeDate], "d=978307323.456&w=978307323") { $0.dates = .seconds },
            QueryCase("dates", ["d": after, "w": wholeDate], "d=978307323456&w=978307323000") { $0.dates = .milliseconds },
            QueryCase("dates", ["d": after], "d=%2B123") { $0.dates = .formatted { "+\(Int($0.timeIntervalSinceReferenceDate))" } },
            // The strategy that other encoders call "deferred": seconds since 2001.
            QueryCase("dates", ["d": after], "d=123.456") { $0.dates = .formatted { String($0.timeIntervalSinceReferenceDate) } },
            QueryCase("dates", ["d": after], "d=2001-01-01%2000%3A02%3A03.4560") { $0.dates = .formatted(formatted) },
            QueryCase("bytes", ["d": Data("data".utf8)], "d=ZGF0YQ%3D%3D"),
            QueryCase("bytes", ["d": Data([0xFB, 0xFF]), "e": Data()], "d=%2B/8%3D&e="),
            QueryCase("bytes", ["d": Data("data".utf8), "e": Data([0xFB, 0xFF])], "d=ZGF0YQ&e=-_8") { $0.data = .base64URL },
            QueryCase("bytes", ["d": Data("data".utf8)], "d=4") { $0.data = .formatted { String($0.count) } },
        ])
    func datesAndBytes(row: QueryCase) throws { try row.check() }

    @Test(
        "keys are cased segment by segment",
        arguments: [
            QueryCase(
                "key case", ["userInfo": ["firstName": 1, "myURLProperty": 2]],
                "user_info%5Bfirst_name%5D=1&user_info%5Bmy_url_property%5D=2"
            ) {
                $0.keyCase = .snake
            },
            QueryCase("key case", ["userInfo": ["firstName": 1]], "UserInfo%5BFirstName%5D=1") { $0.keyCase = .capitalized },
            QueryCase("key case", ["bKey": 1, "a": ["cD": 2]], "A.CD=2&BKEY=1") {
                $0.keyCase = .upper
                $0.nesting = .dots
                $0.order = .sorted
            },
        ])
    func keyCase(row: QueryCase) throws { try row.check() }

    @Test("keys that become equal by their case are sent once, with the last value in the first place")
    func collidingKeys() throws {
        let style = ParameterStyle { $0.keyCase = .snake }
        let params: Params = ["userId": 1, "x": 2, "user_id": 3]
        #expect(try URLQueryEncoder.encode(params, style: style) == "user_id=3&x=2")
        #expect(try JSONBody.encode(params, style: style) == Data(#"{"user_id":3,"x":2}"#.utf8))
    }

    @Test("a long value and hundreds of thousands of params are encoded in linear time")
    func volume() throws {
        let chinese = String(repeating: "测", count: 20_000)
        #expect(try URLQueryEncoder.encode(["v": chinese], style: .init()) == "v=" + String(repeating: "%E6%B5%8B", count: 20_000))
        let members = (0..<200_000).lazy.map { Params.Member(key: String($0), node: .bool(true)) }
        let keys = try URLQueryEncoder.encode(Params(members), style: .init())
        #expect(keys.utf8.count == 1_088_890 + 200_000 * "=true&".utf8.count - 1)
        let encoded = try URLQueryEncoder.encode(["n": [Int](repeating: 7, count: 200_000)], style: .init())
        #expect(encoded.utf8.count == 200_000 * "n%5B%5D=7&".utf8.count - 1)
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

    @Test("a multipart field follows every rule that a query follows")
    func sameRules() throws {
        let params: Params = [
            "t": true, "d": after, "b": Data("data".utf8), "n": .null, "e": [Int](), "l": [1, nil], "o": ["k": ["x": 1.0]], "userId": "a b",
        ]
        let styles: [(inout ParameterStyle) -> Void] = [
            { _ in }, { $0.arrays = .index }, { $0.arrays = .repeat }, { $0.arrays = .comma }, { $0.arrays = .custom { "\($0)-\($1)" } },
            { $0.nesting = .dots }, { $0.nesting = .custom { "|\($0)" } }, { $0.booleans = .numeric }, { $0.nulls = .literal },
            { $0.nulls = .drop }, { $0.emptyCollections = .keyOnly }, { $0.dates = .seconds }, { $0.data = .base64URL },
            { $0.keyCase = .snake }, { $0.order = .sorted }, { $0.slashes = .percent },
        ]
        for style in styles.map(ParameterStyle.init) {
            let pairs = try ParameterField.fields(of: params, style: style).map {
                PercentEncoding(style).encode($0.name) + "=" + PercentEncoding(style).encode($0.value)
            }
            #expect(try pairs.joined(separator: "&") == URLQueryEncoder.encode(params, style: style))
        }
    }
}
