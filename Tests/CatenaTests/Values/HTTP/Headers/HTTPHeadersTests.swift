import Testing

@testable import Catena

@Suite("Headers", .limitedParallelism)
struct HTTPHeadersTests {
    private func lines(_ headers: HTTPHeaders) -> [String] { headers.fields.map { "\($0.name): \($0.value)" } }

    @Test("a literal keeps its order, omits nil, and keeps the last value of a name")
    func literal() {
        let missing: String? = nil
        let headers: HTTPHeaders = ["B": "1", "A": "2", "N": missing, "b": "3", "E": ""]
        #expect(lines(headers) == ["b: 3", "A: 2", "E: "])
        #expect(headers.count == 3)
        #expect(!headers.isEmpty)
        #expect(HTTPHeaders().isEmpty)
    }

    @Test("names are compared without regard to ASCII case only")
    func names() {
        let headers: HTTPHeaders = ["Content-Type": "a", "ÄB": "b"]
        #expect(headers["content-TYPE"] == "a")
        #expect(headers.contains("CONTENT-type"))
        #expect(headers["äb"] == nil)
        #expect(headers["Content_Type"] == nil)
        // Bit 5 is the case of letters only.
        #expect(HTTPHeaders([.init(name: "X^", value: "1")])["X~"] == nil)
    }

    @Test("the subscript joins several values of a name, and values(for:) returns each of them")
    func severalValues() {
        var headers: HTTPHeaders = ["A": "1"]
        headers.add("x=1", for: "Set-Cookie")
        headers.add("2", for: "a")
        headers.add("y=2", for: "set-cookie")
        #expect(headers["A"] == "1, 2")
        #expect(headers.values(for: "SET-COOKIE") == ["x=1", "y=2"])
        #expect(headers.values(for: "B").isEmpty)
        #expect(lines(headers) == ["A: 1", "Set-Cookie: x=1", "a: 2", "set-cookie: y=2"])
    }

    @Test("setting replaces all values in the place of the first, setting nil removes them")
    func setting() {
        var headers = HTTPHeaders(["A", "B", "a", "C", "A"].enumerated().map { .init(name: $1, value: "\($0)") })
        headers["a"] = "x"
        #expect(lines(headers) == ["a: x", "B: 1", "C: 3"])
        headers["b"] = nil
        headers["D"] = nil
        #expect(lines(headers) == ["a: x", "C: 3"])
        headers.remove("A")
        #expect(lines(headers) == ["C: 3"])
    }

    @Test("merging replaces the values of each name by all values of the other headers")
    func merging() {
        var headers = HTTPHeaders(["A", "B", "a"].enumerated().map { .init(name: $1, value: "\($0)") })
        headers.merge(HTTPHeaders([.init(name: "C", value: "c"), .init(name: "a", value: "x"), .init(name: "A", value: "y")]))
        #expect(lines(headers) == ["a: x", "B: 1", "C: c", "A: y"])
        headers.merge([:])
        #expect(headers.count == 4)
        var empty = HTTPHeaders()
        empty.merge(headers)
        #expect(empty == headers)
    }
}
