import Testing

enum JSONSuite {
    struct Category: Sendable, CustomTestStringConvertible {
        let name: String
        let documents: [[UInt8]]

        init(_ name: String, _ texts: [String], bytes: [[UInt8]] = []) {
            self.name = name
            documents = texts.map { Array($0.utf8) } + bytes
        }

        var testDescription: String { name }
    }

    /// Returns an array with a string of these bytes.
    private static func string(_ bytes: [UInt8]) -> [UInt8] {
        Array("[\"".utf8) + bytes + Array("\"]".utf8)
    }

    static let accepted = [
        Category(
            "arrays",
            [
                "[]", "[[]   ]", "[\"\"]", "[\"a\"]", "[false]", "[null, 1, \"1\", {}]", "[null]", "[1\n]", " [1]", "[1,null,null,null,2]",
                "[2] ", "[[[[1]]],[]]",
            ]),
        Category(
            "numbers",
            [
                "[123e65]", "[0e+1]", "[0e1]", "[ 4]", "[-0.000000000000000000000000000000000000000000000000000000000000000000000000001]",
                "[20e1]", "[-0]", "[-123]", "[-1]", "[1E22]", "[1E-2]", "[1E+2]", "[123e45]", "[123.456e78]", "[1e-2]", "[1e+2]", "[123]",
                "[123.456789]", "[-1.5E-3]", "[0.0]", "[-0.0e-0]",
            ]),
        Category(
            "objects",
            [
                #"{"asd":"sdf", "dfg":"fgh"}"#, #"{"asd":"sdf"}"#, #"{"a":"b","a":"c"}"#, #"{"a":"b","a":"b"}"#, "{}", #"{"":0}"#,
                #"{"foo\u0000bar": 42}"#, #"{ "min": -1.0e+28, "max": 1.0e+28 }"#, #"{"x":[{"id": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}]}"#,
                #"{"a":[]}"#, #"{"title":"\u041f\u043e\u043b\u0442\u043e\u0440\u0430"}"#, "{\n\"a\": \"b\"\n}", #"{"\u00AA":0}"#,
            ]),
        Category(
            "strings",
            [
                #"["\u0060\u012a\u12AB"]"#, #"["\uD801\udc37"]"#, #"["\ud83d\ude39\ud83d\udc8d"]"#, #"["\"\\\/\b\f\n\r\t"]"#,
                #"["\\u0000"]"#,
                #"["\""]"#, "[\"a/*b*/c/*d//e\"]", #"["\\a"]"#, #"["\\n"]"#, #"["\u0012"]"#, #"["\uFFFF"]"#, "[\"asd\"]", "[ \"asd\"]",
                #"["\uDBFF\uDFFF"]"#, #"["new\u00A0line"]"#, "[\"\u{10FFFF}\"]", "[\"\u{FFFF}\"]", #"["\u0000"]"#, #"["\u002c"]"#,
                "[\"\u{3C0}\"]",
                "[\"\u{1BFFF}\"]", "[\"asd \"]", "\" \"", #"["\uD834\uDd1e"]"#, #"["\u0821"]"#, #"["\u0123"]"#, "[\"\u{2028}\"]",
                "[\"\u{2029}\"]",
                #"["\u0061\u30af\u30EA\u30b9"]"#, "[\"new\u{A0}line\"]", #"["\uA66D"]"#, #"["\u005C"]"#, "[\"\u{2342}\u{3748}\"]",
                #"["\u0022"]"#,
                #"["\uDBFF\uDFFE"]"#, #"["\uD83F\uDFFE"]"#, #"["\u200B"]"#, #"["\u2064"]"#, #"["\uFDD0"]"#, #"["\uFFFE"]"#, "[\"€𝄞\"]",
                "[\"a\u{7F}a\"]",
            ]),
        Category(
            "outermost values",
            ["false", "42", "-0.1", "null", "\"asd\"", "true", "\"\"", "[\"a\"]\n", "[true]", " [] ", "\t[\r\n]\n"]),
    ]

    static let rejected = [
        Category(
            "arrays",
            [
                "[1 true]", "[\"\": 1]", "[\"\"],", "[,1]", "[1,,2]", "[\"x\",,]", "[\"x\"]]", "[\"\",]", "[\"x\"", "[x", "[3[4]]", "[,]",
                "[-]",
                "[   , \"\"]", "[\"a\",\n4\n,1,", "[1,]", "[1,,]", "[\"\u{B}a\"\\f]", "[*]", "[\"\"", "[1,", "[1,\n1\n,1", "[{}", "[1}",
                "[\"a\";1]",
            ], bytes: [Array("[a".utf8) + [0xE5, 0x5D], [0x5B, 0xFF, 0x5D]]),
        Category(
            "numbers",
            [
                "[++1234]", "[+1]", "[+Inf]", "[-01]", "[-1.0.]", "[-2.]", "[-NaN]", "[.-1]", "[.2e-3]", "[0.1.2]", "[0.3e+]", "[0.3e]",
                "[0.e1]",
                "[0E+]", "[0E]", "[0e+]", "[0e]", "[1.0e+]", "[1.0e-]", "[1.0e]", "[1 000.0]", "[1eE2]", "[2.e+3]", "[2.e-3]", "[2.e3]",
                "[9.e+]",
                "[Inf]", "[NaN]", "[\u{FF11}]", "[1+2]", "[0x1]", "[0x42]", "[Infinity]", "[0e+-1]", "[-123.123foo]", "[-Infinity]",
                "[-foo]",
                "[- 1]", "[-012]", "[-.123]", "[-1x]", "[1ea]", "[1.]", "[.123]", "[1.2a-3]", "[1.8011670033376514H-308]", "[012]", "[1_0]",
                "[1e1.5]", "[0b1]", "[1,5e]", "[٣]",
            ],
            bytes: [
                Array("[123".utf8) + [0xE5] + Array("]".utf8), Array("[1e1".utf8) + [0xE5] + Array("]".utf8),
                Array("[0".utf8) + [0xE5, 0x5D],
                Array("[-".utf8) + [0xE5, 0x5D],
            ]),
        Category(
            "literals",
            ["[fals]", "[nul]", "[tru]", "[False]", "[TRUE]", "[nulL]", "[truefalse]", "[undefined]", "[none]", "[t", "[f", "[n"]),
        Category(
            "objects",
            [
                "[\"x\", truth]", "{[: \"x\"}\n", "{\"x\", null}", "{\"x\"::\"b\"}", "{🇨🇭}", "{\"a\":\"a\" 123}", "{key: 'value'}",
                "{\"a\" b}", "{:\"b\"}",
                "{\"a\" \"b\"}", "{\"a\":", "{\"a\"", "{1:1}", "{9999E9999:1}", "{null:null,null:null}", "{\"id\":0,,,,,}", "{'a':0}",
                "{\"id\":0,}",
                "{\"a\":\"b\"}/**/", "{\"a\":\"b\"}/**//", "{\"a\":\"b\"}//", "{\"a\":\"b\"}/", "{\"a\":\"b\",,\"c\":\"d\"}", "{a: \"b\"}",
                "{\"a\":\"a",
                "{ \"foo\" : \"bar\", \"a\" }", "{\"a\":\"b\"}#", "{\"a\":true} \"x\"", "{\"a\":/*comment*/\"b\"}", "{\"a\":1;}", "{{}:1}",
                "{[]:1}",
                "{true:1}", "{\"a\"=1}", "{,}", "{\"a\",}", "{\"a\":1 ,}",
            ], bytes: [Array("{\"".utf8) + [0xB9] + Array("\":\"0\",}".utf8)]),
        Category(
            "strings",
            [
                " ", "[\"\\uD800\\\"]", "[\"\\uD800\\u\"]", "[\"\\uD800\\u1\"]", "[\"\\uD800\\u1x\"]", "[\u{E9}]", "[\"\\\u{0}\"]",
                #"["\x00"]"#, #"["\\\"]"#,
                "[\"\\\t\"]", "[\"\\🌀\"]", #"["\"]"#, #"["\u00A"]"#, #"["\uD834\uDd"]"#, #"["\uD800\uD800\x"]"#, #"["\a"]"#, #"["\uqqqq"]"#,
                "[\\u0020\"asd\"]", #"[\n]"#, "\"", "['single quote']", "abc", #"[""#, "[\"a\u{0}a\"]", "[\"new\nline\"]", "[\"\t\"]",
                #""\UA66D""#, #"["asd]"#, "[\"\u{1F}\"]", #"["\v"]"#, #"["\0"]"#, #"["\'"]"#, #"["\u{61}"]"#, #"["\u 061"]"#,
                #"["\u+061"]"#, #""a""b""#,
            ],
            bytes: [string([0x5C, 0xE5]), string([0x5C, 0x75, 0xE5]), string([0x5C, 0x75, 0x30, 0x30, 0x30, 0xE5])]),
        Category(
            "structure",
            [
                "<.>", "[<null>]", "[1]x", "[1]]", "[\"asd]", "a\u{30A}", "[True]", "1]", "{\"x\": true,", "[][]", "]", "{]", "[}", "{}}",
                "", "[",
                "[{", "{[", "{\"a\":", "{\"a", "{\"a\":\"", "[\"a", "[\"a\"", "{\"asd\":\"asd\"", "[1", "[\u{C}]", "[\u{2060}]", "\u{2060}",
                "[\u{A0}]",
                "{\"\":", "*", "{\"a\":\"b\"}#{}", "[\\u000A\"\"]", "[1,\"x\"", "{\"a\":{}", "[[],{}", "[fal", "{\"a\":[1}", "[\"a\"}",
                "{\"a\":1]",
                "'", "{,", "{\"a\"", "\\", "[1]//", "[1]/**/", "#", "[1] [2]", "[\u{0}]", "[1]\u{0}", "\u{FEFF}", "// a\n[]", "(1)", "[1];",
                "<null>",
                "[\u{B}]", "\u{85}[]", "\u{3000}[]",
            ], bytes: [[0xE5], [0xEF, 0xBB, 0x7B, 0x7D], [0xEF, 0xBB, 0xBF], [0x5B, 0xE2, 0x80, 0xA8], [0x80, 0x5B, 0x5D]]),
        Category(
            "nesting without end",
            [
                String(repeating: "[", count: 100_000), String(repeating: #"[{"":"#, count: 50_000),
                String(repeating: #"{"a":"#, count: 513),
                String(repeating: "[", count: 513) + String(repeating: "]", count: 513), String(repeating: "]", count: 1000),
            ]),
    ]

    static let freelyAccepted = [
        Category(
            "numbers that no machine number holds",
            [
                "[123.456e-789]", "[0.4e00669999999999999999999999999999999999999999999999999999999999999999999999]", "[-1e+9999]",
                "[1.5e+9999]",
                "[-123123e100000]", "[123123e100000]", "[123e-10000000]", "[-123123123123123123123123123123]", "[100000000000000000000]",
                "[-237462374673276894279832749832423479823246327846]", "[1e-99999999999999999999]",
            ]),
        Category(
            "nesting and the byte order mark", [String(repeating: "[", count: 500) + String(repeating: "]", count: 500), "\u{FEFF}{}"]),
    ]

    static let freelyRejected = [
        Category(
            "lone surrogates",
            [
                #"["\uDADA"]"#, #"["\uD888\u1234"]"#, #"["\uD800\n"]"#, #"["\uDd1ea"]"#, #"["\uD800\uD800\n"]"#, #"["\ud800"]"#,
                #"["\ud800abc"]"#, #"["\uDd1e\uD834"]"#, #"["\uDFAA"]"#, #"{"\uDFAA":0}"#,
            ]),
        Category(
            "bytes that are not UTF-8", [],
            bytes: [
                string([0xE6, 0x97, 0xA5, 0xD1, 0x88, 0xFA]), string([0xED, 0xA0, 0x80]), string([0xFF]), string([0xE9]), string([0x81]),
                string([0xF4, 0xBF, 0xBF, 0xBF]), string([0xC0, 0xAF]), string([0xFC, 0x83, 0xBF, 0xBF, 0xBF, 0xBF]),
                string([0xFC, 0x80, 0x80, 0x80, 0x80, 0x80]), string([0xE0, 0xFF]),
            ]),
        Category(
            "UTF-16 and UTF-32 in bytes that are to be UTF-8", [],
            bytes: [
                [0x00, 0x5B, 0x00, 0x5D], [0x5B, 0x00, 0x5D, 0x00], [0xFF, 0xFE, 0x5B, 0x00, 0x5D, 0x00],
                [0xFE, 0xFF, 0x00, 0x5B, 0x00, 0x5D],
                [0x5B, 0, 0, 0, 0x5D, 0, 0, 0],
            ]),
    ]
}
