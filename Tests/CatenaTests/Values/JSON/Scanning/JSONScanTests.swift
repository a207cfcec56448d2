import Testing

@testable import Catena

@Suite("JSON scan", .limitedParallelism)
struct JSONScanTests {
    struct Row: Sendable {
        let document: String
        /// The paths, each with the text of its value, or `nil` if it has none.
        let found: [String: String?]
    }

    static let rows = [
        Row(
            document: #" { "errcode" : 0 , "data" : [ 1 , 2 ] } "#,
            found: ["errcode": "0", "data": "[ 1 , 2 ]", "msg": nil, "data[0]": "1", "data[1]": "2", "data[2]": nil]),
        Row(
            document: #"{"result":{"code":-7,"text":"no"},"payload":{"code":1}}"#,
            found: [
                "result.code": "-7", "result.text": #""no""#, "payload": #"{"code":1}"#, "code": nil, "result": #"{"code":-7,"text":"no"}"#,
                "result.code.x": nil,
            ]),
        Row(
            document: #"{"error":{"details":[{"x":1},{"code":"E1"},{"code":"E2"}]}}"#,
            found: [
                "error.details[0].code": nil, "error.details[1].code": #""E1""#, "error.details[2].code": #""E2""#,
                "error.details[3].code": nil, "error.details[0].x": "1",
            ]),
        Row(
            document: #"[[1,[2,3]],{"a":true}]"#,
            found: ["[0][1][1]": "3", "[0][0]": "1", "[1].a": "true", "[1]": #"{"a":true}"#, "a": nil, "[2]": nil]),
        // An index does not match a key, nor a key an index.
        Row(document: #"{"0":1,"a":[{"0":2}]}"#, found: ["0": "1", "[0]": nil, "a.0": nil, "a[0].0": "2"]),
        // The first of several equal keys counts, whatever its value.
        Row(document: #"{"code":1,"code":2}"#, found: ["code": "1"]),
        Row(document: #"{"e":"x","e":{"code":2},"e":[5]}"#, found: ["e": #""x""#, "e.code": nil, "e[0]": nil]),
        Row(document: #"{"e":{"code":1},"e":{"code":2,"more":3}}"#, found: ["e": #"{"code":1}"#, "e.code": "1", "e.more": nil]),
        Row(document: #"{"e":null,"e":1}"#, found: ["e": "null"]),
        // Escaped keys
        Row(document: #"{"\u0063ode":1,"code":2,"a\/b":{"\u00e9":3}}"#, found: ["code": "1", "a/b.é": "3"]),
        Row(document: #"{"code\u0000":1,"cod":2,"codes":3,"\"":4}"#, found: ["code": nil, "cod": "2", "\"": "4"]),
        // Equal keys in other objects
        Row(
            document: #"{"a":{"code":1},"b":[{"code":2}],"c":{"d":{"code":3}},"code":4}"#,
            found: ["code": "4", "b[0].code": "2", "c.d.code": "3"]),
        Row(
            document: #"{"x":[{"y":{"code":1}}],"a":{"z":{"b":1},"b":{"q":[[]],"c":false}}}"#,
            found: ["a.b.c": "false", "a.c": nil, "a.z.b": "1"]),
        Row(document: #"{"":{"a":1}}"#, found: ["a": nil]),
        // Documents without the container of the path
        Row(document: "\u{FEFF} 7 ", found: ["a": nil, "[0]": nil]),
        Row(document: "{}", found: ["a": nil, "a.b": nil]),
        Row(document: "[]", found: ["[0]": nil]),
        Row(document: #"{"a":{}, "b":[ ]}"#, found: ["a": "{}", "b": "[ ]", "a.b": nil, "b[0]": nil]),
    ]

    @Test("each path finds its value, alone and together with others", arguments: rows)
    func paths(row: Row) throws {
        let bytes = Array(row.document.utf8)
        let texts = row.found.keys.sorted()
        let paths = try texts.map { try JSONPath($0) }
        let together = try JSONScan(bytes, paths: paths)
        for (place, text) in texts.enumerated() {
            let alone = try JSONScan(bytes, paths: [paths[place]])
            let span = together[place]
            #expect(alone[0] == span)
            #expect(span.map { String(decoding: bytes[$0.range], as: UTF8.self) } == row.found[text] ?? nil, "\(text)")
        }
    }

    @Test(
        "the span of the document excludes the white space around it",
        arguments: [
            (" null ", .null, 1..<5), ("true", .bool, 0..<4), ("\u{FEFF}-1.5\n", .number, 3..<7), (" \"x\"", .string, 1..<4),
            ("[ ]", .array, 0..<3),
            (" {\"a\" : [1]} ", .object, 1..<12),
        ] as [(String, JSONSpan.Kind, Range<Int>)])
    func root(text: String, kind: JSONSpan.Kind, range: Range<Int>) throws {
        let scan = try JSONScan(text.utf8, paths: [JSONPath("other")])
        #expect(scan.root == JSONSpan(kind: kind, range: range))
        #expect(scan[0] == nil)
    }

    @Test(
        "the first of two equal keys counts, however many paths are scanned for",
        arguments: [62, 63, 64, 126, 127, 128, 129, 200])
    func firstOfMany(count: Int) throws {
        let keys = (0..<count).map { "key\($0)" }
        let members = (keys.enumerated().map { "\"\($1)\":\($0)" } + keys.map { "\"\($0)\":\"again\"" }).joined(separator: ",")
        let bytes = Array("{\(members)}".utf8)
        let scan = try JSONScan(bytes, paths: keys.map { try JSONPath($0) })
        #expect(scan.found.count == count)
        #expect(scan.found.map { String(decoding: bytes[$0.span.range], as: UTF8.self) } == (0..<count).map { "\($0)" })
    }

    @Test("a span has the kind of its value")
    func kinds() throws {
        let text = #"{"a":null,"b":false,"c":1e3,"d":"","e":[],"f":{}}"#
        let scan = try JSONScan(text.utf8, paths: ["a", "b", "c", "d", "e", "f"].map { try JSONPath($0) })
        #expect((0..<6).map { scan[$0]?.kind } == [.null, .bool, .number, .string, .array, .object])
    }

    @Test("a path may be scanned for twice, and an index outside the list of paths has no span")
    func repeatedPaths() throws {
        let scan = try JSONScan(#"{"a":1}"#.utf8, paths: [JSONPath("a"), JSONPath("b"), JSONPath("a")])
        #expect(scan[0]?.range == 5..<6)
        #expect(scan[1] == nil)
        #expect(scan[2]?.range == 5..<6)
        #expect(scan[3] == nil)
        #expect(scan[-1] == nil)
    }

    @Test("a value is read from its span")
    func valueOfSpan() throws {
        let bytes = Array(#"{"pad":"é","data":{"x":[1,"\n"]} , "n" : 1.50}"#.utf8)
        let scan = try JSONScan(bytes, paths: [JSONPath("data"), JSONPath("n"), JSONPath("data.x[1]")])
        #expect(try scan[0].map { try JSON(bytes, $0) } == ["x": [1, "\n"]])
        #expect(try scan[1].map { try JSON(bytes, $0).text } == "1.50")
        #expect(try scan[2].map { try JSON(bytes, $0) } == "\n")
        #expect(try JSON(bytes, scan.root) == JSON(parsing: bytes))
    }

    @Test("a span of other bytes is an error, and no byte outside is read")
    func foreignSpan() {
        for range in [3..<90, 50..<60, 0..<1, 1..<1] {
            #expect(throws: JSONSyntaxError.self) { try JSON("[1]".utf8, JSONSpan(kind: .array, range: range)) }
        }
    }

    @Test("the whole document is checked, also after the last path and below other keys")
    func checksAll() throws {
        for text in [#"{"code":0,"rest":[1,]}"#, #"{"code":0} x"#, #"{"code":0,"code":nope}"#, #"{"a":{"b":01},"code":0}"#] {
            #expect(throws: JSONSyntaxError.self) { try JSONScan(text.utf8, paths: [JSONPath("code")]) }
        }
    }
}
