import Testing

@testable import Catena

@Suite("JSON", .limitedParallelism)
struct JSONTests {
    @Test("each accessor returns a value for its own type only")
    func accessors() throws {
        let value = try JSON(parsing: #"[null, true, 1, 1.5, "1", [1], {"a": 1}]"#.utf8)
        #expect((0..<7).map { value[$0].isNull } == [true, false, false, false, false, false, false])
        #expect((0..<7).map { value[$0].bool } == [nil, true, nil, nil, nil, nil, nil])
        #expect((0..<7).map { value[$0].int } == [nil, nil, 1, nil, nil, nil, nil])
        #expect((0..<7).map { value[$0].double } == [nil, nil, 1, 1.5, nil, nil, nil])
        #expect((0..<7).map { value[$0].string } == [nil, nil, nil, nil, "1", nil, nil])
        #expect((0..<7).map { value[$0].array } == [nil, nil, nil, nil, nil, [1], nil])
        #expect((0..<7).map { value[$0].object } == [nil, nil, nil, nil, nil, nil, ["a": 1]])
    }

    @Test("literals make each kind of value")
    func literals() {
        #expect((nil as JSON).isNull)
        #expect((true as JSON).bool == true)
        #expect((-7 as JSON).int == -7)
        #expect((0.1 as JSON).double == 0.1)
        #expect(("x" as JSON).string == "x")
        #expect(([1, "a", nil] as JSON).array == [1, "a", nil])
        #expect((["a": 1, "b": [:]] as JSON).object == ["a": 1, "b": [:]])
        #expect(JSON(array: [1, "a"]) == [1, "a"])
        #expect(JSON(floatLiteral: .nan).isNull)
        #expect(JSON(floatLiteral: -.infinity).isNull)
    }

    @Test("the first of two equal keys in a literal is kept")
    func repeatedLiteralKey() {
        let value: JSON = ["a": 1, "b": 2, "a": 3]
        #expect(value.text == #"{"a":1,"b":2}"#)
    }

    @Test(
        "values with the same meaning are equal",
        arguments: [
            ("1", "1.0"), ("1000", "1e3"), ("0.1", "0.10"), ("-0", "0"), ("0e99999999999999999999", "0"), ("1e400", "10E399"),
            ("-1.5e1", "-15"),
            ("18446744073709551615", "18446744073709551615.0"), ("1e-2", "0.01"), ("1e99999999999999999999", "1e99999999999999999999"),
            ("9223372036854775808", "9223372036854775808"),
            (#"{"a":1,"b":[2]}"#, #"{"b":[2.0],"a":1}"#), (#""\u00e9""#, "\"\u{E9}\""), (" [ ] ", "[]"), ("null", "null"), ("true", "true"),
        ])
    func equal(one: String, other: String) throws {
        let (left, right) = (try JSON(parsing: one.utf8), try JSON(parsing: other.utf8))
        #expect(left == right)
        #expect(right == left)
    }

    @Test("values that differ are not equal")
    static func differentRows() {
        each(
            [
                ("1", "2"), ("1", #""1""#), ("1", "true"), ("0", "false"), ("null", "0"), ("null", "{}"), ("[]", "{}"), ("[1,2]", "[2,1]"),
                ("9007199254740993", "9007199254740992"), ("9007199254740993", "9007199254740992.0"), ("0.1", "0.10000000000000000001"),
                ("1", "-1"), ("1.5", "-1.5"), ("1e400", "1e401"), ("18446744073709551615", "-1"),
                ("18446744073709551615", "18446744073709551614.0"),
                (#"{"a":1}"#, #"{"a":1,"b":null}"#), (#"{"a":1}"#, #"{"b":1}"#), (#"{"a":1}"#, #"{"a":2}"#), ("true", "false"),
                (#""a""#, #""A""#),
                // Composed and decomposed characters are equal as Swift strings, but have different code points.
                ("\"\u{E9}\"", "\"e\u{301}\""), ("{\"\u{E9}\":1}", "{\"e\u{301}\":1}"),
            ] as [(String, String)]
        ) { try Self().different(one: $0, other: $1) }
    }

    func different(one: String, other: String) throws {
        let (left, right) = (try JSON(parsing: one.utf8), try JSON(parsing: other.utf8))
        #expect(left != right)
        #expect(right != left)
    }

    @Test("a value is at most one word larger than a string")
    func size() {
        #expect(MemoryLayout<JSON>.stride <= MemoryLayout<String>.stride + MemoryLayout<Int>.size)
    }
}
