import Foundation
import Testing

@testable import Catena

/// A cookie that a server sets, and whether a request to an address sends it back.
struct CookieCase: Sendable, CustomTestStringConvertible {
    let line: String
    var from = "https://shop.example.com/cart/items"
    let to: String
    let comesBack: Bool

    init(_ line: String, from: String? = nil, to: String, _ comesBack: Bool) {
        self.line = line
        if let from { self.from = from }
        self.to = to
        self.comesBack = comesBack
    }

    var testDescription: String { "\(line) to \(to): \(comesBack)" }

    static let table = [
        CookieCase("a=1", to: "https://shop.example.com/cart", true),
        CookieCase("a=1", to: "https://shop.example.com/cart/else", true),
        CookieCase("a=1", to: "https://shop.example.com/", false),
        CookieCase("a=1; Path=/", to: "https://shop.example.com/", true),
        CookieCase("a=1; Path=/sub", to: "https://shop.example.com/sub/way", true),
        CookieCase("a=1; Path=/sub", to: "https://shop.example.com/subway", false),
        CookieCase("a=1; Path=sub", to: "https://shop.example.com/cart/x", true),
        CookieCase("a=1; Path=/", to: "https://www.shop.example.com/", false),
        CookieCase("a=1; Path=/; Domain=shop.example.com", to: "https://www.shop.example.com/", true),
        CookieCase("a=1; Path=/; Domain=.EXAMPLE.com", to: "https://example.com/", true),
        CookieCase("a=1; Path=/; Domain=example.com", to: "https://badexample.com/", false),
        CookieCase("a=1; Path=/; Domain=other.com", to: "https://other.com/", false),
        CookieCase("a=1; Path=/; Domain=com", to: "https://example.com/", false),
        CookieCase("a=1; Path=/; Domain=co.uk", from: "https://example.co.uk/", to: "https://bank.co.uk/", false),
        CookieCase("a=1; Path=/; Domain=0.0.1", from: "http://127.0.0.1/", to: "http://127.0.0.1/", false),
        CookieCase("a=1; Path=/", from: "http://127.0.0.1/", to: "http://127.0.0.1:8080/", true),
        CookieCase("a=1; Path=/", to: "http://shop.example.com/", true),
        CookieCase("a=1; Path=/; Secure", to: "http://shop.example.com/", false),
        CookieCase("a=1; Path=/; secure", to: "https://shop.example.com/", true),
        CookieCase("a=1; Path=/; Secure", from: "http://shop.example.com/", to: "https://shop.example.com/", false),
        CookieCase("__Host-a=1; Path=/; Secure", to: "https://shop.example.com/", true),
        CookieCase("__Host-a=1; Path=/", to: "https://shop.example.com/", false),
        CookieCase("__Host-a=1; Path=/; Secure; Domain=example.com", to: "https://example.com/", false),
        CookieCase("__Secure-a=1; Path=/", to: "https://shop.example.com/", false),
        CookieCase("__Secure-\u{301}a=1; Path=/", to: "https://shop.example.com/", false),
        CookieCase("__secure-a=1; Path=/", to: "https://shop.example.com/", false),
        CookieCase("__SECURE-a=1; Path=/; Secure", to: "https://shop.example.com/", true),
        CookieCase("__HOST-a=1; Path=/; Secure; Domain=example.com", to: "https://example.com/", false),
        CookieCase("a=1\u{1}2; Path=/", to: "https://shop.example.com/", false),
        CookieCase("a=1; Path=/; Max-Age=60", to: "https://shop.example.com/", true),
        CookieCase("a=1; Path=/; Max-Age=0", to: "https://shop.example.com/", false),
        CookieCase("a=1; Path=/; Max-Age=-1", to: "https://shop.example.com/", false),
        CookieCase("a=1; Path=/; Max-Age=soon", to: "https://shop.example.com/", true),
        CookieCase("a=1; Path=/; Expires=Wed, 21 Oct 2015 07:28:00 GMT", to: "https://shop.example.com/", false),
        CookieCase("a=1; Path=/; Expires=Wed, 21-Oct-65 07:28:00 GMT", to: "https://shop.example.com/", true),
        CookieCase("a=1; Path=/; Max-Age=60; Expires=Wed, 21 Oct 2015 07:28:00 GMT", to: "https://shop.example.com/", true),
        CookieCase("a=1; Path=/; Expires=nonsense", to: "https://shop.example.com/", true),
        CookieCase("; Path=/", to: "https://shop.example.com/", false),
        CookieCase("=; Path=/", to: "https://shop.example.com/", false),
        CookieCase("=b=a=1; Path=/", to: "https://shop.example.com/", false),
        CookieCase("=__Host-a=1; Path=/; Secure", to: "https://shop.example.com/", false),
        CookieCase("a=1; Path=/; Secure=\(String(repeating: "x", count: 1025))", to: "http://shop.example.com/", true),
        CookieCase("a=1; Path=/\(String(repeating: "x", count: 1024))", to: "https://shop.example.com/cart/", true),
        CookieCase("a=1; Path=/; Domain=\(String(repeating: "x", count: 1025))", to: "https://shop.example.com/", true),
    ]
}

@Suite(.limitedParallelism) struct CookieTests {
    let jar = CookieJar(now: { Date(timeIntervalSince1970: 1_700_000_000) })

    func address(_ text: String) throws -> HTTPAddress { try HTTPAddress(parsing: text) }

    @Test("a cookie is sent only to the addresses for which it was set")
    static func goesBackRows() {
        each(CookieCase.table) { try Self().goesBack($0) }
    }

    func goesBack(_ row: CookieCase) throws {
        jar.store(["Set-Cookie": row.line], from: try address(row.from))
        let header = jar.header(for: try address(row.to))
        #expect((header != nil) == row.comesBack)
        if let header { #expect(header.hasSuffix("a=1")) }
    }

    @Test(
        "a cookie is sent back exactly as the server set it",
        arguments: ["a=张三", "a b=1", "a[0]=1", "名=1", "a=\"1 2\"", "a={\"b\":1}", "a=\u{301}1", "a=1\t2"])
    func asItCame(_ pair: String) throws {
        jar.store(["Set-Cookie": pair + "; Path=/"], from: try address("https://shop.example.com/"))
        #expect(jar.header(for: try address("https://shop.example.com/")) == pair)
    }

    @Test("a cookie without a name is sent as its value alone (RFC 6265bis §5.6)", arguments: ["1", "=1", " = 1 "])
    func nameless(_ pair: String) throws {
        jar.store(["Set-Cookie": pair + "; Path=/"], from: try address("https://shop.example.com/"))
        #expect(jar.header(for: try address("https://shop.example.com/")) == "1")
    }

    @Test("longer paths come first, then older cookies") func order() throws {
        let here = try address("https://example.com/a/b/c")
        for line in ["one=1; Path=/", "two=2; Path=/a/b", "three=3; Path=/", "one=4; Path=/"] {
            jar.store(["Set-Cookie": line], from: here)
        }
        #expect(jar.header(for: here) == "two=2; one=4; three=3")
    }

    @Test("an expired cookie removes the stored one of its name") func ends() throws {
        let here = try address("https://example.com/")
        jar.store(["Set-Cookie": "a=1"], from: here)
        jar.store(["Set-Cookie": "a=; Max-Age=0"], from: here)
        #expect(jar.cookies.isEmpty)
    }

    @Test(
        "Set-Cookie headers that Foundation has joined are split, without splitting their dates",
        arguments: [
            ("a=1", ["a=1"]),
            ("a=1; Path=/, b=2", ["a=1; Path=/", "b=2"]),
            (
                "a=1; Expires=Wed, 21 Oct 2015 07:28:00 GMT; Path=/, b=x, c=3",
                ["a=1; Expires=Wed, 21 Oct 2015 07:28:00 GMT; Path=/", "b=x", "c=3"]
            ),
            ("a=one, two; Path=/", ["a=one, two; Path=/"]),
            ("a=one,\u{301}two, b=\u{301}2", ["a=one,\u{301}two", "b=\u{301}2"]),
        ]) func joined(_ line: String, _ lines: [String])
    {
        #expect(JoinedCookies.split(line) == lines)
    }
}
