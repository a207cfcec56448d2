#if canImport(Glibc)
import Testing

@testable import Catena

/// The proxies of the environment, and the hosts that are reached without one.
@Suite(.limitedParallelism) struct ProxyEnvironmentTests {
    private static func origin(_ text: String) throws -> HTTPOrigin { try #require(HTTPAddress(text)).place }

    @Test(
        "each scheme has its variable, and all_proxy replaces those that are not set",
        arguments: [
            (["http_proxy": "a"], "a", ""), (["https_proxy": "a"], "", "a"), (["HTTPS_PROXY": "a"], "", "a"),
            (["all_proxy": "a"], "a", "a"),
            (["ALL_PROXY": "a", "https_proxy": "b"], "a", "b"), (["HTTP_PROXY": "a"], "", ""),
            (["http_proxy": "", "all_proxy": "a"], "", "a"),
            ([:], "", ""),
        ])
    func variables(environment: [String: String], http: String, https: String) throws {
        let proxies = ProxyEnvironment(environment)
        #expect(proxies.proxy(for: try Self.origin("http://forum.example")) == http)
        #expect(proxies.proxy(for: try Self.origin("https://forum.example")) == https)
        for own in ["http://localhost:80", "http://127.0.0.1", "https://[::1]:8080"] {
            #expect(proxies.proxy(for: try Self.origin(own)) == "")
        }
    }

    @Test(
        "the credentials of a proxy are the password, or a user name without one, in each spelling, and the text of the header",
        arguments: [
            ("http://ann:made-up%40pass@proxy.test:3128", ["made-up%40pass", "made-up@pass", "YW5uOm1hZGUtdXBAcGFzcw=="]),
            ("ann:made-up-pass@proxy.test", ["made-up-pass", "made-up-pass", "YW5uOm1hZGUtdXAtcGFzcw=="]),
            ("http://ann:a:b@c@proxy.test", ["a:b@c", "a:b@c", "YW5uOmE6YkBj"]), ("http://proxy.test:3128", []),
            ("http://made-up%2Dtoken@proxy.test", ["made-up%2Dtoken", "made-up-token", "bWFkZS11cC10b2tlbjo="]),
            ("made-up-token:@proxy.test", ["made-up-token", "made-up-token", "bWFkZS11cC10b2tlbjo="]), ("", []), ("@", []),
            ("http://@", []),
        ])
    func credentials(proxy: String, texts: [String]) {
        #expect(ProxyEnvironment.credentials(in: proxy) == texts)
        #expect(ProxyEnvironment(["http_proxy": proxy]).credentials == texts)
    }

    @Test("what a proxy repeats of its credentials is hidden under any name, and so is the password of the client's key", .needsEngine)
    func hidden() async throws {
        var configuration = CurlConfiguration()
        configuration.proxy = "http://ann:made-up-pass@127.0.0.1:1"
        configuration.clientKeyPassword = "made-up-phrase"
        let client = Client(transport: try CurlTransport(configuration))
        let request = client.host("http://forum.test").get("/a").header("X-Note", "made-up-pass, made-up-phrase").query([
            "q": "made-up-pass"
        ])
        #expect("\(try await request.preview())" == "GET http://forum.test/a?q=***")
        let error = try #require(await request.execute(.void).result.apiError)
        for text in ["\(error)", "\(error.request?.headers ?? [:])", try await request.curl()] {
            #expect(!text.contains("made-up"), "\(text)")
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let list: String
        let inside, outside: [String]
        var testDescription: String { list }
    }

    static let cases = [
        Case(list: "*", inside: ["http://a.example", "http://10.0.0.1"], outside: []),
        Case(
            list: "example.com", inside: ["http://example.com", "http://a.example.com", "http://EXAMPLE.com"],
            outside: ["http://notexample.com", "http://example.org"]),
        Case(list: ".example.com", inside: ["http://example.com", "http://a.example.com"], outside: ["http://badexample.com"]),
        Case(list: "*.example.com", inside: ["http://a.example.com", "http://b.a.example.com"], outside: ["http://badexample.com"]),
        Case(list: "Example.COM.", inside: ["http://example.com"], outside: []),
        Case(list: "example.com:8443", inside: ["https://example.com:8443"], outside: ["https://example.com", "http://example.com:8080"]),
        Case(list: "example.com:443", inside: ["https://example.com"], outside: ["http://example.com"]),
        Case(
            list: "a.example, b.example c.example", inside: ["http://a.example", "http://b.example", "http://c.example"],
            outside: ["http://d.example"]),
        Case(list: "10.1.2.3", inside: ["http://10.1.2.3"], outside: ["http://10.1.2.4", "http://10.1.2.3.example"]),
        Case(list: "10.0.0.0/8", inside: ["http://10.1.2.3", "http://10.255.0.1"], outside: ["http://11.0.0.1", "http://ten.example"]),
        Case(list: "192.168.4.0/23", inside: ["http://192.168.5.9"], outside: ["http://192.168.6.1"]),
        Case(list: "10.*", inside: ["http://10.9.8.7"], outside: ["http://100.1.1.1"]),
        Case(list: "192.168.*", inside: ["http://192.168.1.1"], outside: ["http://192.169.1.1"]),
        Case(list: "2001:db8::/32", inside: ["http://[2001:db8:1::1]"], outside: ["http://[2001:db9::1]"]),
        Case(list: "[2001:db8::1]", inside: ["http://[2001:db8::1]", "http://[2001:0db8:0:0:0:0:0:1]"], outside: ["http://[2001:db8::2]"]),
        Case(list: "2001:0DB8::0001", inside: ["http://[2001:db8::1]"], outside: []),
        Case(list: "[2001:db8::1]:8080", inside: ["http://[2001:db8::1]:8080"], outside: ["http://[2001:db8::1]"]),
        Case(list: "10.0.0.0/33,/8,10.0.0.0/x,:80,..,*.", inside: [], outside: ["http://10.0.0.1", "http://a.example"]),
        Case(list: "", inside: [], outside: ["http://a.example"]),
    ]

    @Test("NO_PROXY is read in all the forms that the guide names", arguments: cases)
    func exceptions(one: Case) throws {
        let exceptions = ProxyExceptions(one.list)
        for host in one.inside { #expect(exceptions.contain(try Self.origin(host)), "\(host)") }
        for host in one.outside { #expect(!exceptions.contain(try Self.origin(host)), "\(host)") }
    }
}
#endif
