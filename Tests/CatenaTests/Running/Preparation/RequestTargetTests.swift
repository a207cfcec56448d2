import Foundation
import Testing

@testable import Catena

@Suite("The address of a request", .limitedParallelism)
struct RequestTargetTests {
    @Test("a path is appended to the host's own path")
    static func pathsRows() async {
        await each(
            [
                RequestRow("host alone", "GET https://h/api") { $0.host("https://h/api") },
                RequestRow("host alone, without a path", "GET https://h/") { $0.host("https://h") },
                // One slash joins host and path.
                RequestRow("no slash, no slash", "GET https://h/api/a") { $0.host("https://h/api").path("a") },
                RequestRow("no slash, slash", "GET https://h/api/a") { $0.host("https://h/api").path("/a") },
                RequestRow("slash, no slash", "GET https://h/api/a") { $0.host("https://h/api/").path("a") },
                RequestRow("slash, slash", "GET https://h/api/a") { $0.host("https://h/api/").path("/a") },
                RequestRow("a final slash stays", "GET https://h/api/a/") { $0.host("https://h/api/").path("/a/") },
                RequestRow("only a slash", "GET https://h/api/") { $0.host("https://h/api").path("/") },
                RequestRow("empty path", "GET https://h/api") { $0.host("https://h/api").path("") },
                RequestRow("the later path wins", "GET https://h/b") { $0.host("https://h").path("/a").path("/b") },
                RequestRow("the later host wins", "GET https://g/a") { $0.host("https://h").path("/a").host("https://g") },
                RequestRow("host without a scheme", "GET https://localhost:8080/api/a") { $0.host("localhost:8080/api").path("/a") },
                RequestRow("IPv6", "GET http://[::1]:8080/a") { $0.host("http://[::1]:8080").path("/a") },
                RequestRow("IDN", "GET https://xn--mnchen-3ya.de/a") { $0.host("https://münchen.de").path("/a") },
                RequestRow("query", "GET https://h/a?x=1") { $0.host("https://h").path("/a?x=1") },
                RequestRow("only a query", "GET https://h/api?x=1") { $0.host("https://h/api").path("?x=1") },
                RequestRow("the host's query and the path's", "GET https://h/api/a?key=1&x=1") {
                    $0.host("https://h/api?key=1").path("/a?x=1")
                },
                RequestRow("the host's query alone", "GET https://h/api/a?key=1") { $0.host("https://h/api?key=1").path("/a") },
                RequestRow("three kinds of empty", "GET https://h/a?n&e=&d=1&d=2") { $0.host("https://h").path("/a?n&e=&d=1&d=2") },
                RequestRow("written as it is", "GET https://h/a%20b/%2F?p=%2B+&q=/?") {
                    $0.host("https://h").path("/a%20b/%2F?p=%2B+&q=/?")
                },
                RequestRow("what must be encoded", "GET https://h/a%20b/%C3%A9/%7B%7D?q=%5B%C3%A9%5D") {
                    $0.host("https://h").path("/a b/é/{}?q=[é]")
                },
                RequestRow("invalid percent", "GET https://h/100%25/%25zz?q=%25") { $0.host("https://h").path("/100%/%zz?q=%") },
                RequestRow("fragment", "GET https://h/a") { $0.host("https://h").path("/a#b?c") },
                RequestRow("fragment after a query", "GET https://h/a?b&x=1") { $0.host("https://h").path("/a?b#c").params(["x": 1]) },
                RequestRow("only a fragment", "GET https://h/api") { $0.host("https://h/api").path("#c") },
                RequestRow("a combining mark hides no delimiter", "GET https://h/a/%CC%81b?%CC%81c") {
                    $0.host("https://h").path("/a/\u{301}b?\u{301}c#\u{301}")
                },
            ] as [RequestRow]
        ) { try await Self().paths(row: $0) }
    }

    func paths(row: RequestRow) async throws { try await row.checkLine(silentClient()) }

    @Test("a path never leaves the host, nor the host's own path")
    static func originRows() async {
        await each(
            [
                ("@evil.example", "/api/@evil.example"), (".evil.example", "/api/.evil.example"), (":8443", "/api/:8443"),
                (":pw@evil.example", "/api/:pw@evil.example"), ("/@evil.example", "/api/@evil.example"),
                ("evil.example", "/api/evil.example"),
                ("javascript:alert(1)", "/api/javascript:alert(1)"), ("mailto:a@evil.example", "/api/mailto:a@evil.example"),
                ("https:evil.example", "/api/https:evil.example"), ("/https://evil.example", "/api/https://evil.example"),
                (" //evil.example", "/api/%20//evil.example"), ("/ /evil.example", "/api/%20/evil.example"),
                ("a//evil.example", "/api/a//evil.example"), ("%2F%2Fevil.example", "/api/%2F%2Fevil.example"),
                ("/%2Fevil.example", "/api/%2Fevil.example"), ("%5Cevil.example", "/api/%5Cevil.example"),
                ("／／evil.example", "/api/%EF%BC%8F%EF%BC%8Fevil.example"), ("/\u{FE0F}/evil.example", "/api/%EF%B8%8F/evil.example"),
                ("/a\\..\\b", "/api/a%5C..%5Cb"), ("/../../x", "/api/x"), ("..", "/api/"), ("../", "/api/"), ("a/./b/..", "/api/a/"),
                ("%2e%2E/x", "/api/x"), ("/.%2e/x", "/api/x"), ("..//evil.example", "/api//evil.example"),
                ("?//evil.example", "/api?//evil.example"), ("?https://evil.example", "/api?https://evil.example"),
                ("#//evil.example", "/api"),
            ] as [(String, String)]
        ) { try await Self().origin(path: $0, expected: $1) }
    }

    func origin(path: String, expected: String) async throws {
        let address = try await silentClient().host("https://h/api").path(path).preview().address
        #expect(address.text == "https://h" + expected)
        #expect(address.url.host(percentEncoded: true) == "h")
        let slashed = try await silentClient().host("https://h/api/").path(path).preview().address
        #expect(slashed.text.hasPrefix("https://h/api/"))
    }

    @Test(
        "a path that would lead to another host is refused",
        arguments: [
            "//evil.example/x", "///evil.example", "/\\evil.example", "\\\\evil.example", "\\/evil.example", "\\evil.example",
            "https://evil.example/x", "HTTP://evil.example", "ftp://evil.example", "x-y+1.z://evil.example", "file:///etc/passwd",
            "//\u{FE0F}evil.example", "https://\u{301}evil.example", "//user@evil.example",
        ])
    func otherHosts(path: String) async {
        let error = await silentClient().host("https://h").path(path).previewFault()
        #expect(error?.kind == .invalidRequest)
        let isWhole = path.contains(":")
        #expect(error?.message == "path: \(isWhole ? Self.wholeAddress : "it would lead to another host; use .host(…) for that")")
    }

    private static let wholeAddress = "it is a whole address; use .absoluteURL(…) for that, or .host(…) and a path"

    @Test(
        "a whole address as a path is refused with the advice to use absoluteURL, with or without a host",
        arguments: ["https://api.example.com/users", "HTTP://api.example.com", "https://api.example.com/{room}?x=1"])
    func wholeAddress(path: String) async {
        let hosts: [@Sendable (Client) -> Void] = [
            { _ in }, { $0.defaultHost = "https://h" }, { $0.defaultHost = "no address" },
        ]
        for host in hosts {
            let error = await silentClient(host).get(path).previewFault()
            #expect(error?.kind == .invalidRequest)
            #expect(error?.message == "path: \(Self.wholeAddress)")
        }
    }

    @Test("a verb sets method and path, and a control character in the path is refused", arguments: ["\r\n", "\n", "\0", "\t", "\u{7F}"])
    func controlCharacters(text: String) async {
        for path in ["/a\(text)b", "\(text)//evil.example", "/a?b\(text)"] {
            let error = await silentClient().host("https://h").get(path).previewFault()
            #expect(error?.message == "path: it contains a control character")
        }
    }

    @Test(
        "a request without a usable host is refused",
        arguments: [
            RequestRow("none", "host…there is none…API.configureDefaults") { $0.get("/a") },
            RequestRow("none for the tag", "host…there is none…API.configure(\"ledger\")") { $0.tag("ledger").get("/a") },
            RequestRow("empty", "host…it has no host") { $0.host("").path("/a") },
            RequestRow("scheme", "host…the scheme \"ftp\"") { $0.host("ftp://h").path("/a") },
            RequestRow("file", "host…the scheme \"file\"") { $0.host("file:///etc").path("/a") },
            RequestRow("user information", "host…user information") { $0.host("https://a:b@h").path("/a") },
            RequestRow("port", "host…is not a port") { $0.host("https://h:0").path("/a") },
            RequestRow("line break", "host…control character") { $0.host("https://h\r\nX: y").path("/a") },
            RequestRow("a whole address", "absoluteURL…it has no host") { $0.absoluteURL("/a") },
            RequestRow("a relative URL", "absoluteURL…it has no host") { $0.request.absoluteURL(URL(string: "/a")!) },
            RequestRow("a file", "absoluteURL…the scheme \"file\"") { $0.request.absoluteURL(URL(filePath: "/etc/passwd")) },
        ])
    func wrongHosts(row: RequestRow) async { await row.checkFault(silentClient()) }

    @Test("an invalid configured host rejects the call unless the call has its own host")
    func wrongConfiguredHost() async throws {
        let client = silentClient {
            $0.defaultHost = "https://fallback.example"
            $0.configure("broken") { $0.host = "https://bro ken" }
        }
        let error = await client.tag("broken").get("/a").header("Authorization", "Bearer t").previewFault()
        #expect(error?.kind == .invalidRequest)
        #expect(error?.message == "host: the configured host is not an address: \"bro ken\" is not a host name")
        #expect(try await client.tag("broken").get("/a").host("https://h").preview().sentLine == "GET https://h/a")
    }

    @Test("the call's host beats the tag's, and the tag's beats the default one")
    func hostPrecedence() async throws {
        let client = silentClient {
            $0.defaultHost = "https://default.example/d"
            $0.configure("forum") { $0.host = "https://forum.example/f" }
            $0.configure("bare") { _ in }
        }
        #expect(try await client.get("/a").preview().address.text == "https://default.example/d/a")
        #expect(try await client.tag("bare").get("/a").preview().address.text == "https://default.example/d/a")
        #expect(try await client.tag("forum").get("/a").preview().address.text == "https://forum.example/f/a")
        #expect(try await client.tag("forum").get("/a").host("https://call.example").preview().address.text == "https://call.example/a")
        #expect(try await client.tag("forum").get("/a").tag(nil).preview().address.text == "https://default.example/d/a")
    }

    @Test("an absolute address replaces host and path and keeps its own query")
    func absolute() async throws {
        let client = silentClient { $0.defaultHost = "https://h/api" }
        let lines = try await [
            client.get("/a").absoluteURL("https://other.example/b?x=1#c"),
            client.request.absoluteURL(URL(string: "https://other.example/b/../c")!),
            client.absoluteURL("http://other.example").params(["x": 1]),
            client.absoluteURL("https://other.example/{a}").params(["a": 1]),
        ].asyncMap { try await $0.preview().sentLine }
        #expect(
            lines == [
                "GET https://other.example/b?x=1", "GET https://other.example/c", "GET http://other.example/?x=1",
                "GET https://other.example/%7Ba%7D?a=1",
            ])
    }

    @Test("an address of more than 64 KiB is refused")
    func longAddresses() async {
        let long = String(repeating: "a", count: 65_000)
        #expect(await silentClient().host("https://h").path("/" + long).previewFault() == nil)
        let path = await silentClient().host("https://h").path("/" + long + long).previewFault()
        #expect(path?.message.hasPrefix("path: the address is longer than 65536 bytes") == true)
        let params = await silentClient().host("https://h").get("/").params(["a": long, "b": long]).previewFault()
        #expect(params?.message.hasPrefix("params: the address is longer than 65536 bytes") == true)
        #expect(await silentClient().host("https://h").post("/").params(["a": long, "b": long]).previewFault() == nil)
    }
}

extension Array {
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
