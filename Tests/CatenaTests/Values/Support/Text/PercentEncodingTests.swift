import Testing

@testable import Catena

@Suite("Percent-encoding", .limitedParallelism)
struct PercentEncodingTests {
    private static let reserved = ":/?#[]@!$&'()*+,;="

    @Test(
        "a segment keeps only the unreserved characters",
        arguments: [
            ("rooms", "rooms"), ("", ""), ("a/b", "a%2Fb"), ("../a", "..%2Fa"), ("..\\..", "..%5C.."), ("%2E", "%252E"),
            ("a b+c", "a%20b%2Bc"),
            (reserved, "%3A%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D"), ("é日\r\n", "%C3%A9%E6%97%A5%0D%0A"), ("-._~", "-._~"),
        ])
    func segment(text: String, expected: String) {
        #expect(PercentEncoding.segment.encode(text) == expected)
    }

    @Test(
        "a path set by the caller keeps encoded characters and those that RFC 3986 §3.3 allows",
        arguments: [
            ("/v1/rooms", "/v1/rooms"), ("/a b", "/a%20b"), ("/a%20b", "/a%20b"), ("/a%2Fb%2f", "/a%2Fb%2f"), ("/100%", "/100%25"),
            ("/%zz/%4", "/%25zz/%254"), ("/%4%41", "/%254%41"), ("/日", "/%E6%97%A5"), (reserved, ":/%3F%23%5B%5D@!$&'()*+,;="),
            ("/{x}|^`\"<>\\", "/%7Bx%7D%7C%5E%60%22%3C%3E%5C"), ("/\r\n\0", "/%0D%0A%00"),
        ])
    func path(text: String, expected: String) {
        #expect(PercentEncoding.path.encode(text) == expected)
    }

    @Test(
        "a query set by the caller keeps encoded characters, plus signs and those that RFC 3986 §3.4 allows",
        arguments: [
            ("x=1&y=a+b", "x=1&y=a+b"), ("hd=[1]", "hd=%5B1%5D"), ("a=1%2B2", "a=1%2B2"), ("a=%zz", "a=%25zz"), ("q=a b", "q=a%20b"),
            (reserved, ":/?%23%5B%5D@!$&'()*+,;="), ("q=日", "q=%E6%97%A5"),
        ])
    func queryText(text: String, expected: String) {
        #expect(PercentEncoding.queryText.encode(text) == expected)
    }

    @Test("every ASCII character is either kept or encoded as two upper-case digits")
    func asciiTable() {
        let kept = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/?")
        let digits = Array("0123456789ABCDEF")
        for value in UInt8(0)..<128 {
            let character = Character(Unicode.Scalar(value))
            let expected = kept.contains(character) ? String(character) : "%\(digits[Int(value / 16)])\(digits[Int(value % 16)])"
            #expect(PercentEncoding.query.encode(String(character)) == expected)
        }
    }
}
