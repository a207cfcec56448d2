import Testing

@testable import Catena

@Suite("JSON paths", .limitedParallelism)
struct JSONPathTests {
    @Test(
        "a path consists of keys joined by dots and indices in brackets",
        arguments: [
            ("errcode", [.key("errcode")]),
            ("result.code", [.key("result"), .key("code")]),
            ("error.details[0].code", [.key("error"), .key("details"), .index(0), .key("code")]),
            ("[0]", [.index(0)]),
            ("[12].a", [.index(12), .key("a")]),
            ("a[0][1]", [.key("a"), .index(0), .index(1)]),
            ("状态.@type", [.key("状态"), .key("@type")]),
            ("a b.c-d", [.key("a b"), .key("c-d")]),
            ("0", [.key("0")]),
        ] as [(String, [JSONPath.Step])])
    func steps(text: String, expected: [JSONPath.Step]) throws {
        let path = try JSONPath(text)
        #expect(path.steps == expected)
        #expect(path.description == text)
    }

    @Test("any other text is an error that quotes it")
    static func malformedRows() {
        each(
            [
                "", ".", "a.", ".a", "a..b", "a[", "a[]", "a[x]", "a[-1]", "a[01]", "a[+1]", "a[1", "a]", "]", "[0]a", "a[0]b", "a.[0]",
                "[0].",
                "[ 0]", "a[99999999999999999999]", "[",
            ] as [String]
        ) { Self().malformed(text: $0) }
    }

    func malformed(text: String) {
        let error = #expect(throws: JSONPathError.self) { try JSONPath(text) }
        #expect(error?.path == text)
        #expect(error?.description.hasPrefix("\"\(text)\" is not a path: ") == true)
    }
}
