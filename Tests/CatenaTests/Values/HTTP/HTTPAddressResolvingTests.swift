import Foundation
import Testing

@testable import Catena

@Suite("References", .limitedParallelism)
struct HTTPAddressResolvingTests {
    @Test("the examples of RFC 3986 §5.4 resolve as specified, without their fragments")
    static func examplesRows() {
        each(
            [
                // §5.4.1
                ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"), ("//g", "http://g/"),
                ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"),
                ("g?y#s", "http://a/b/c/g?y"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y"),
                (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"),
                ("../..", "http://a/"), ("../../", "http://a/"), ("../../g", "http://a/g"),
                // §5.4.2
                ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
                ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"),
                ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
                ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"),
                ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g"), ("g#s/../x", "http://a/b/c/g"),
            ] as [(String, String)]
        ) { try Self().examples(reference: $0, expected: $1) }
    }

    func examples(reference: String, expected: String) throws {
        let base = try HTTPAddress(parsing: "http://a/b/c/d;p?q")
        #expect(try base.resolving(reference).text == expected)
    }

    @Test(
        "references beyond the examples resolve to the expected address",
        arguments: [
            ("sub?x=1", "https://h:8443/a/b/sub?x=1"),
            // User information is dropped.
            ("//other/p", "https://other/p"), ("https://user:pw@other/p?a@b", "https://other/p?a@b"), ("//a@b@other", "https://other/"),
            ("HTTP://Other:80/p", "http://other/p"), ("https://other", "https://other/"), ("https://other?x", "https://other/?x"),
            // Characters that are not allowed are encoded.
            ("/café menu?q=日", "https://h:8443/caf%C3%A9%20menu?q=%E6%97%A5"), (" /a\t", "https://h:8443/a"),
            ("/%zz", "https://h:8443/%25zz"),
            // Only two slashes lead to another host.
            ("/\\evil.example", "https://h:8443/%5Cevil.example"), ("\\\\evil.example", "https://h:8443/a/b/%5C%5Cevil.example"),
            ("/\u{FE0F}/evil.example", "https://h:8443/%EF%B8%8F/evil.example"), ("@evil.example", "https://h:8443/a/b/@evil.example"),
            (":80", "https://h:8443/a/b/:80"), ("1:2", "https://h:8443/a/b/1:2"), ("a/b:c", "https://h:8443/a/b/a/b:c"),
            ("%2E%2e/x", "https://h:8443/a/x"), ("?", "https://h:8443/a/b/c?"),
        ])
    func others(reference: String, expected: String) throws {
        let base = try HTTPAddress(parsing: "https://h:8443/a/b/c?old=1")
        #expect(try base.resolving(reference).text == expected)
    }

    @Test(
        "a reference that cannot be followed is refused",
        arguments: [
            // The first two are the examples of RFC 3986 §5.4 that name a scheme without a host.
            ("g:h", "the scheme \"g\""), ("http:g", "two slashes"), ("file:///etc/passwd", "the scheme \"file\""),
            ("mailto:a@b", "the scheme \"mailto\""), ("foo:bar", "the scheme \"foo\""), ("foo:80", "the scheme \"foo\""),
            ("http:8080/a", "two slashes"), ("https:/evil.example", "two slashes"),
            ("", "it is empty"), (" \t", "it is empty"), ("https://", "it has no host"), ("///a", "it has no host"),
            ("//:80", "it has no host"), ("https://h:99999/", "is not a port"), ("/\u{FFFD}", "it is not text"),
            ("http://good.example\\@evil.example/", "user information"), ("/a\r\nX: y", "control character"), ("a\0", "control character"),
            ("https://user@evil example/", "is not a host name"),
        ])
    func refused(reference: String, reason: String) throws {
        let base = try HTTPAddress(parsing: "https://h:8443/a/b/c?old=1")
        let error = #expect(throws: HTTPAddress.Fault.self) { try base.resolving(reference) }
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "accepted")")
    }
}
