import Testing

@testable import Catena

@Suite("JSON, grammar", .limitedParallelism)
struct JSONGrammarTests {
    static let valid = [
        "0", "-0", "1", "-1", "10", "0.0", "1.5", "-1.5", "1e1", "1E1", "1e+1", "1e-1", "0e0", "1.25E-07", "123e65",
        "true", "false", "null", "\"\"", "\"a\"", "[]", "{}", "[[]]", "[{}]", #"{"":0}"#, #"{"a":{}}"#, #"{"a":[]}"#,
        "[1,2]", "[null,true,false]", #"{"a":1,"b":2}"#, #"{"a":1,"a":2}"#, #"{"a":{"b":[{"c":null}]}}"#,
        " 1 ", "\t[ \n1 ,\r\n2 ] \n", " { \"a\" : 1 , \"b\" : [ ] } ", "\u{FEFF}[1]", "\u{FEFF} 1", "[\"\\u0000\"]", #"["\/"]"#,
        "[\"\u{7F}\"]",
    ]

    static let invalid = [
        // Empty documents and unknown words
        "", " ", "\n", "\u{FEFF}", "\u{FEFF}\u{FEFF}1", "a", "True", "TRUE", "nul", "nulll", "tru", "truf", "fals", "undefined", "NaN",
        "Infinity", "-Infinity", "\u{0}",
        // Numbers
        "01", "00", "-01", "-", "+1", ".5", "-.5", "1.", "1.e1", "1e", "1e+", "1E-", "1ee1", "1e1.5", "0x10", "1_000", "1,000", "--1", "-a",
        "1a", "- 1", "１", "1e1e1", "0.", "-0.",
        // Strings
        "'a'", "\"a", "a\"", "\"a\nb\"", "\"\t\"", #""\a""#, "`a`", "“a”",
        // Arrays
        "[", "]", "[1", "[1,", "[1,]", "[,1]", "[,]", "[1,,2]", "[1 2]", "[1:2]", "[1}", "[1]]", "[[1]", "[\"a\" \"b\"]", "[1];", "[a]",
        "[1,\n", "[\"a\",",
        // Objects
        "{", "}", "{1:2}", "{a:1}", "{'a':1}", "{\"a\"}", "{\"a\":}", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{,\"a\":1}", "{,}",
        "{\"a\":1,,\"b\":2}", "{\"a\" 1}", "{\"a\",1}", "{\"a\"::1}",
        "{\"a\":1]", "{\"a\":1 \"b\":2}", "{\"a\":1}}", "{:1}", "{null:1}", "{\"a\":1;\"b\":2}", "{\"a\"", "{\"a", "{\"a\":1:2}",
        // Comments, other white space, more than one value
        "[1]//", "[1]/* */", "/**/[1]", "[1,#\n2]", "\u{A0}1", "[1]\u{A0}", "\u{B}1", "\u{C}1", "[\u{3000}1]", "1 2", "[][]", "{}{}",
        "nulltrue", "1\u{0}", "[1]\u{0}", "[1]\u{FEFF}", "<html>", "callback({})",
    ]

    @Test("every form of JSON in RFC 8259 is read")
    static func acceptsRows() {
        each(valid) { try Self().accepts(text: $0) }
    }

    func accepts(text: String) throws {
        let value = try JSON(parsing: text.utf8)
        #expect(try JSONScan(text.utf8, paths: []).root.range.isEmpty == false)
        #expect(try JSON(parsing: value.encoded) == value)
        #expect(try JSON(parsing: "[\(text.drop { $0 == "\u{FEFF}" }),\(value)]".utf8) == [value, value])
    }

    @Test("a document that RFC 8259 does not allow is an error")
    static func rejectsRows() {
        each(invalid) { Self().rejects(text: $0) }
    }

    func rejects(text: String) {
        #expect(throws: JSONSyntaxError.self) { try JSON(parsing: text.utf8) }
        #expect(throws: JSONSyntaxError.self) { try JSONScan(text.utf8, paths: []) }
    }

    @Test("a document that is cut anywhere is an error")
    func cut() throws {
        let bytes = Array(#"{"a":[1.5e3,true,null,"\u0041\ud83d\ude00é"],"b":{"c":false}}"#.utf8)
        for count in 0..<bytes.count {
            let error = #expect(throws: JSONSyntaxError.self) { try JSON(parsing: bytes.prefix(count)) }
            #expect((0...count).contains(error?.offset ?? -1))
        }
        #expect(try JSON(parsing: bytes).a[3].string == "A😀é")
    }

    @Test("bytes of any collection are read")
    func collections() throws {
        let bytes = Array(#"xx{"a":[1]}"#.utf8)
        #expect(try JSON(parsing: bytes.dropFirst(2)) == ["a": [1]])
        // A collection without contiguous storage
        #expect(try JSON(parsing: bytes.dropFirst(2).lazy.map { $0 }) == ["a": [1]])
        #expect(try JSONScan(bytes.dropFirst(2), paths: []).root.range == 0..<9)
    }
}
