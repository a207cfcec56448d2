import Foundation
import Testing

@testable import Catena

@Suite("Addresses", .limitedParallelism)
struct HTTPAddressTests {
    @Test("an address is made only from text that is an http address")
    func fromText() {
        #expect(HTTPAddress("http://H:80/a b?q#f")?.text == "http://h/a%20b?q")
        #expect(HTTPAddress("forum.test")?.text == "https://forum.test/")
        for text in ["", "ftp://h/", "https://ann:made-up@h/", "https://h/\n"] { #expect(HTTPAddress(text) == nil, "\(text)") }
    }

    @Test("an address is stored in the form in which it is sent")
    static func parsingRows() {
        each(
            [
                ("https://example.com", "https://example.com/"),
                ("HTTPS://Example.COM/A", "https://example.com/A"),
                ("example.com/a", "https://example.com/a"),
                ("//example.com/a", "https://example.com/a"),
                ("localhost:8080/a", "https://localhost:8080/a"),
                ("http://example.com:80/", "http://example.com/"),
                ("https://example.com:443/", "https://example.com/"),
                ("https://example.com:80/", "https://example.com:80/"),
                ("https://example.com:/a", "https://example.com/a"),
                ("https://example.com:00081/a", "https://example.com:81/a"),
                ("https://example.com?a=1", "https://example.com/?a=1"),
                ("https://example.com./", "https://example.com./"),
                ("https://a_b.example.com/", "https://a_b.example.com/"),
                // A fragment is never sent, wherever it begins.
                ("https://example.com#top", "https://example.com/"),
                ("https://example.com/a?b#c?d/e", "https://example.com/a?b"),
                // Characters that are not allowed are encoded, encoded ones stay, and an invalid percent sign is encoded.
                ("https://example.com/a b/é", "https://example.com/a%20b/%C3%A9"),
                ("https://example.com/%zz/%4/%/%2F", "https://example.com/%25zz/%254/%25/%2F"),
                ("https://example.com/a\\b", "https://example.com/a%5Cb"),
                ("https://example.com/?a=[1]&b=%5B+&n&e=&n", "https://example.com/?a=%5B1%5D&b=%5B+&n&e=&n"),
                ("https://example.com/?", "https://example.com/?"),
                ("https://example.com/@b:c//d", "https://example.com/@b:c//d"),
                // Dot segments are removed first, even if they are encoded.
                ("https://example.com/a/../b/./c", "https://example.com/b/c"),
                ("https://example.com/../../a/%2E%2e/b/.", "https://example.com/b/"),
                ("https://example.com/.well-known/..a/...", "https://example.com/.well-known/..a/..."),
                // Internationalised names become ASCII.
                ("https://münchen.de/ä", "https://xn--mnchen-3ya.de/%C3%A4"),
                ("https://MÜNCHEN.de:8443", "https://xn--mnchen-3ya.de:8443/"),
                ("日本語.jp", "https://xn--wgv71a119e.jp/"),
                ("https://ＥＸＡＭＰＬＥ。com/", "https://example.com/"),
                // All spellings of one IPv6 address are one origin.
                ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/"),
                ("http://127.1/", "http://127.1/"),
                ("http://2130706433/", "http://2130706433/"),
                ("http://[::1]:8080/a", "http://[::1]:8080/a"),
                ("http://[0:0:0:0:0:0:0:1]/", "http://[::1]/"),
                ("http://[2001:DB8::A]/", "http://[2001:db8::a]/"),
                ("http://[::ffff:192.0.2.1]:80/", "http://[::ffff:192.0.2.1]/"),
                ("http://[fe80::1%25En0]/", "http://[fe80::1%25En0]/"),
            ] as [(String, String)]
        ) { try Self().parsing(text: $0, expected: $1) }
    }

    func parsing(text: String, expected: String) throws {
        let address = try HTTPAddress(parsing: text)
        #expect(address.text == expected)
        #expect(address.url.absoluteString == expected)
        #expect(try HTTPAddress(parsing: address.text) == address)
    }

    @Test("text that is no http address is refused, and the error names the reason")
    static func refusingRows() {
        each(
            [
                ("", "it has no host"), ("/", "it has no host"), ("/a", "it has no host"), ("https://", "it has no host"),
                ("https:///a", "it has no host"), ("?a=1", "it has no host"), ("https://:80/", "it has no host"),
                ("://a", "it has no host"),
                ("file:///etc/passwd", "the scheme \"file\""), ("file:/etc/passwd", "the scheme \"file\""),
                ("ftp://example.com/", "the scheme \"ftp\""), ("javascript:alert(1)", "the scheme \"javascript\""),
                ("data:,a", "the scheme \"data\""), ("mailto:a@example.com", "the scheme \"mailto\""),
                ("WS://example.com", "the scheme \"ws\""),
                ("http:/example.com", "two slashes"), ("HTTPS:example.com", "two slashes"), ("https:/\\example.com", "two slashes"),
                // User information, hidden in several ways.
                ("https://a@example.com/", "user information"), ("http://a:b@example.com/", "user information"),
                ("http://a@b@c/", "user information"), ("http://h\\@evil.example/", "user information"),
                ("https://good.example@\u{FE0F}evil.example/", "user information"), ("https://a%40b/", "is not a host name"),
                ("https://good.example＠evil.example/", "is not a host name"), ("http://h\\evil.example/", "is not a host name"),
                // A delimiter that a combining mark makes part of another character is still a delimiter.
                ("https://example.com:\u{301}80/", "is not a port"),
                ("https://example.com/\r\nX: y", "control character"), ("https://exa\0mple.com/", "control character"),
                ("https://example.com/\t", "control character"), ("https://example.com/#\n", "control character"),
                ("https://\u{7F}/", "control character"),
                ("https://exa mple.com/", "is not a host name"), (" https://example.com/", "is not a host name"),
                ("https://a..b/", "is not a host name"), ("https://.a/", "is not a host name"), ("https://./", "is not a host name"),
                ("https://a../", "is not a host name"), ("https://exa%6Dple.com/", "is not a host name"),
                ("https://{host}/", "is not a host name"),
                ("https://" + String(repeating: "a", count: 64) + ".com/", "is not a host name"),
                ("https://" + String(repeating: "a.", count: 127) + "/", "is not a host name"),
                ("https://ex%61mple.ü.de/", "is not a host name"), ("https://a%2Fü.de/", "is not a host name"),
                ("https://a\\ü.de/", "is not a host name"),
                ("https://\u{301}a.com/", "is not a host name"), ("https://a\u{2100}b.com/", "is not a host name"),
                ("https://" + String(repeating: "ü", count: 70) + ".de/", "is not a host name"),
                ("http://[::1/", "not closed"), ("http://[]/", "is not an IPv6 address"), ("http://[:]/", "is not an IPv6 address"),
                ("http://[:::]/", "is not an IPv6 address"), ("http://[1.2:3]/", "is not an IPv6 address"),
                ("http://[1:2:3:4:5:6:7:8:9]/", "is not an IPv6 address"), ("http://[::1%25]/", "is not an IPv6 address"),
                ("http://[::1%en0]/", "is not an IPv6 address"), ("http://[::1%25a/b]/", "not closed"),
                ("http://[v1.a]/", "is not an IPv6 address"),
                ("http://[::1]a/", "\"a\" follows the host"), ("http://::1/", "it has no host"),
                ("https://example.com:0/", "is not a port"), ("https://example.com:65536/", "is not a port"),
                ("https://example.com:99999999999999999999/", "is not a port"), ("https://example.com:-1/", "is not a port"),
                ("https://example.com:+80/", "is not a port"), ("https://example.com:８０/", "is not a port"),
                ("https://example.com:80:80/", "is not a port"),
            ] as [(String, String)]
        ) { Self().refusing(text: $0, reason: $1) }
    }

    func refusing(text: String, reason: String) {
        let error = #expect(throws: HTTPAddress.Fault.self) { try HTTPAddress(parsing: text) }
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "accepted")")
    }

    @Test("a path that begins with a combined slash stays a path")
    func combinedDelimiters() throws {
        let address = try HTTPAddress(parsing: "https://example.com/\u{301}.evil.example/?\u{301}a#\u{301}b")
        #expect(address.host == "example.com")
        #expect(address.path == "/%CC%81.evil.example/")
        #expect(address.query == "%CC%81a")
    }

    @Test(
        "the origin is scheme, host and port",
        arguments: [
            ("https://example.com:443/a", "https://example.com"), ("http://example.com:443/a", "http://example.com:443"),
            ("http://[::0001]:80/", "http://[::1]"),
        ])
    func origin(text: String, expected: String) throws {
        #expect(try HTTPAddress(parsing: text).origin == expected)
    }

    @Test("the description of an address hides secrets, and its text does not")
    func description() throws {
        let address = try HTTPAddress(parsing: "https://example.com/a?page=1&access_token=abc")
        #expect(address.description == "https://example.com/a?page=1&access_token=***")
        #expect(address.text == "https://example.com/a?page=1&access_token=abc")
    }

    @Test("Foundation reads every accepted address, written or resolved, as the same text", arguments: [1, 2, 3] as [UInt64])
    func generated(seed: UInt64) throws {
        var random = AddressGenerator(state: seed)
        let base = try HTTPAddress(parsing: "http://a.example/b/c/d;p?q")
        var accepted = 0
        for _ in 0..<3000 {
            let text = random.address()
            for address in [try? HTTPAddress(parsing: text), try? base.resolving(text)].compactMap(\.self) {
                accepted += 1
                try #require(URL(string: address.text)?.absoluteString == address.text, "\(text.debugDescription)")
                try #require((try HTTPAddress(parsing: address.text)) == address, "\(text.debugDescription)")
                let host = try #require(address.url.host(percentEncoded: false))
                let bare = address.host.hasPrefix("[") ? String(address.host.dropFirst().dropLast()) : address.host
                try #require(host == bare.replacing("%25", with: "%") || bare.contains("xn--"), "\(text.debugDescription)")
                try #require(address.url.port == address.port, "\(text.debugDescription)")
                try #require(address.url.user == nil, "\(text.debugDescription)")
            }
        }
        #expect(accepted > 1000)
    }
}

/// Generates valid, nearly valid and invalid addresses, which are equal for equal seeds (SplitMix64).
private struct AddressGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    private static let schemes = ["https://", "http://", "https://", "http://", "HTTP://", "//", "", "/", "ftp://", "http:/", "x:"]
    private static let hosts = [
        "example.com", "EXAMPLE.com", "a.b", "localhost", "127.0.0.1", "[::1]", "[2001:db8::1]", "[fe80::1%25a]", "[:]", "münchen.de",
        "日本.jp", "xn--a", "a_b", "-a-", "a.", "a..b", "", "u@h", "٣.com", "ß.de", "İ.com", "\u{200D}a", "a\u{FE0F}",
    ]
    private static let ports = ["", "", "", ":80", ":443", ":8080", ":", ":0", ":65535", ":65536", ":a"]
    private static let pieces = [
        "/", "/", "/", "a", "b", "..", ".", "%2e", "?", "?", "&", "=", "#", "%", "%2", "%2F", "%zz", " ", "+", "é", "日", "😃", "\u{301}",
        "\u{FE0F}", "\u{200D}", ":", "@", "[", "]", "{", "}", "\\", "|", "^", "`", "\"", "<", ">", "'", "!", "$", "(", "*", ",", ";", "~",
        "\n", "\0", "\u{7F}", "\u{85}", "\u{2028}", "\u{FFFD}", "\u{10FFFF}", "//",
    ]

    mutating func address() -> String {
        var text = pick(Self.schemes) + pick(Self.hosts) + pick(Self.ports)
        for _ in 0..<Int(next() % 12) {
            // Mostly harmless pieces, so that many of the texts are accepted.
            text += next() % 3 == 0 ? pick(Self.pieces) : pick(Array(Self.pieces.prefix(17)))
        }
        if next() % 8 == 0, let place = text.indices.randomElement(using: &self) {
            text.insert(contentsOf: pick(Self.pieces), at: place)
        }
        return text
    }

    private mutating func pick(_ choices: [String]) -> String {
        choices.randomElement(using: &self) ?? ""
    }
}
