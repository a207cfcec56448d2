import CatenaTesting
import Foundation
import Testing

@testable import Catena
@testable import CatenaRules

@Suite("Requests by name", .limitedParallelism) struct RuleRequestTests {
    /// Returns a client with these rules, whose requests all receive the body `{}`.
    private static func client(_ rules: String, host: String? = nil) throws -> Client {
        let client = Client(transport: ClosureTransport { _ in .json("{}") })
        client.defaultHost = host
        try client.rules.load(Data(rules.utf8))
        return client
    }

    // MARK: Address

    struct Place: Sendable, CustomTestStringConvertible {
        let base: String?
        var host: String?
        let prefix: String?
        let path: Path
        var params: Params = [:]
        var query: Params = [:]
        let expected: String

        var testDescription: String { "\(base ?? host ?? "-") | \(prefix ?? "-") | \(path)" }
    }

    @Test(
        "an address is built as in RFAPI's table",
        arguments: [
            Place(base: "http://example.com/api/", prefix: "/root/", path: "doit", expected: "http://example.com/root/doit"),
            Place(base: "http://example.com/api/", prefix: "relative/", path: "doit", expected: "http://example.com/api/relative/doit"),
            Place(base: "http://example.com/api/", prefix: "relative/", path: "/doit/", expected: "http://example.com/api/relative//doit/"),
            Place(base: "http://example.com/api/", prefix: "foo", path: "bar", expected: "http://example.com/api/foobar"),
            Place(base: "http://example.com/base", prefix: nil, path: "x", expected: "http://example.com/x"),
            // The table has the scheme zz here, which Catena refuses like any scheme except http and https.
            Place(base: nil, prefix: nil, path: "http://example.com?a=b", query: ["a2": 123], expected: "http://example.com/?a=b&a2=123"),
            Place(
                base: nil, prefix: nil, path: "http://example.com:{port}/{path}/{no-exsist}?{q1}=b",
                params: ["port": 8080, "path": "hello-word", "q1": "key1", "key2": "v"],
                expected: "http://example.com:8080/hello-word/?key1=b&key2=v"),
            // Rows that the table does not have.
            Place(base: nil, host: "http://example.com/api/", prefix: nil, path: "doit", expected: "http://example.com/api/doit"),
            Place(base: nil, host: "http://example.com/api/", prefix: nil, path: "/doit", expected: "http://example.com/doit"),
            Place(
                base: "http://own.example.com", host: "http://example.com", prefix: nil, path: "x", expected: "http://own.example.com/x"),
            Place(
                base: "http://example.com/api/", prefix: "v2/", path: "https://other.example.com/x",
                expected: "https://other.example.com/x"),
            Place(base: "http://example.com/a/b/", prefix: nil, path: "../x?y=1#z", expected: "http://example.com/a/x?y=1"),
            Place(base: "http://example.com/a?b=1", prefix: nil, path: "?c=2", expected: "http://example.com/a?c=2"),
            Place(base: "http://example.com/a/", prefix: nil, path: "", expected: "http://example.com/a/"),
            Place(
                base: "http://example.com", prefix: nil, path: "{a}", params: ["a": "x/y?b=c&d=e+f#g"],
                expected: "http://example.com/x%2Fy%3Fb%3Dc%26d%3De%2Bf%23g"),
            Place(
                base: "http://example.com", prefix: nil, path: "{a}/x", params: ["a": "http://evil.test"],
                expected: "http://example.com/http%3A%2F%2Fevil.test/x"),
            Place(
                base: "http://example.com", prefix: nil, path: "x/{a}/{b}", params: ["a": "", "b": .null],
                expected: "http://example.com/x//"),
            Place(
                base: "http://example.com", prefix: nil, path: "x/{a b}", params: ["a b": 1],
                expected: "http://example.com/x/%7Ba%20b%7D?a%20b=1"),
        ])
    func place(row: Place) async throws {
        let client = Client(transport: ClosureTransport { _ in .json("{}") })
        client.defaultHost = row.host
        var rule = Rule("R")
        (rule.base, rule.pathPrefix, rule.path) = (row.base, row.prefix, row.path)
        #expect(try await client.rules.request(rule).params(row.params).query(row.query).preview().address.text == row.expected)
    }

    @Test(
        "a forbidden address is refused with the reason",
        arguments: [
            ("http://example.com", nil, "zz://?a=b", "the scheme \"zz\" is neither http nor https"),
            ("http://example.com", "/", "/evil.test/x", "it would lead to another host|would lead to another host"),
            ("http://example.com", nil, "//evil.test/x", "would lead to another host"),
            ("http://example.com", nil, "{a}//evil.test", "would lead to another host"),
            ("http://example.com", nil, "http://user@evil.test/", "user information"),
            ("http://example.com", nil, " http://evil.test/x", "would lead to another host"),
            ("http://example.com", nil, " //evil.test/x", "would lead to another host"),
            ("http://example.com", nil, "\t//evil.test/x", "would lead to another host"),
            ("http://example.com", nil, "\u{A0}https://evil.test/x", "would lead to another host"),
            ("http://example.com", nil, "x/{up}/y", "{up}: the value \"..\" would change the path"),
            ("http://example.com", nil, "x/{list}", "{list}: the value is not a single value"),
            ("http://example.com", nil, nil, "the rule \"R\" has no \"Path\""),
            (nil, nil, "x", "there is none; set one"),
        ] as [(String?, String?, String?, String)])
    func refused(base: String?, prefix: String?, path: String?, words: String) async {
        let client = Client(transport: ClosureTransport { _ in .json("{}") })
        var rule = Rule("R")
        (rule.base, rule.pathPrefix, rule.path) = (base, prefix, path.map { Path($0) })
        let error = await client.rules.request(rule).params(["up": "..", "list": [1, 2]]).previewFault()
        #expect(error?.kind == .invalidRequest)
        #expect(words.split(separator: "|").contains { error?.message.contains($0) == true }, "\(error?.message ?? "no error")")
    }

    // MARK: Params and headers

    private static let merging = """
        {
            "DEFAULT": {"Base": "https://example.com/", "Headers": {"X-Default": "d"}, "Parameters": {"default": 1}},
            "Plain": {"Path": "plain"},
            "Own": {"Path": "own", "Headers": {"X-A": "rule", "X-B": "rule", "X-C": "rule", "X-D": "rule"},
                    "Parameters": {"a": "rule", "b": "rule", "c": "rule", "d": "rule"}, "Authorization": true},
            "Open": {"Path": "open", "Authorization": false},
            "Away": {"Path": "https://away.test/x", "Authorization": true},
            "Near": {"Path": "https://example.com/x", "Authorization": true}
        }
        """

    private static func mergingClient() throws -> Client {
        let client = try client(merging)
        client.configureDefaults { defaults in
            defaults.params = ["a": "profile", "p": "profile"]
            defaults.headers = ["X-A": "profile", "X-P": "profile"]
        }
        client.commonParams { _ in ["b": "common", "q": "common"] }
        client.commonHeaders { _ in ["X-B": "common", "X-Q": "common"] }
        client.rules.authorizationParams = ["c": "authorization", "d": "authorization", "token": "made-up"]
        client.rules.authorizationHeaders = ["X-C": "authorization", "X-D": "authorization", "X-Token": "made-up"]
        return client
    }

    @Test("params: tag, common, rule, authorization, call; later ones win")
    func params() async throws {
        let request = try Self.mergingClient().request(named: "Own").params(["d": "call", "e": "call"]).commonParams(.merged)
        #expect(
            try await request.preview().address.query
                == "a=rule&p=profile&b=rule&q=common&c=authorization&d=call&token=made-up&e=call")
    }

    @Test("headers: tag, common, rule, authorization, call; later ones win")
    func headers() async throws {
        let headers = try await Self.mergingClient().request(named: "Own").header("X-D", "call").header("X-E", "call").preview().headers
        let values = ["X-A", "X-B", "X-C", "X-D", "X-E", "X-P", "X-Q", "X-Token", "X-Default"].map { headers[$0] }
        #expect(values == ["rule", "rule", "authorization", "call", "call", "profile", "common", "made-up", nil])
    }

    @Test("headers: the rule's replace the serializer's, and an interceptor's replace all others")
    func headersAround() async throws {
        let stub = ClosureTransport { _ in .json("{}") }
        let client = Client(transport: stub)
        try client.rules.load(
            Data(
                #"{"R": {"Base": "https://example.com", "Path": "x", "Method": "POST", "Headers": {"Content-Type": "application/a+json"}}}"#
                    .utf8))
        client.intercept("last", .before(.transport)) { call, next in
            var call = call
            call.request.headers["X-E"] = "interceptor"
            return try await next(call)
        }
        try await client.request(named: "R").params(["a": 1]).header("X-E", "call").execute(.void).value
        #expect(stub.requests.map { $0.headers["Content-Type"] } == ["application/a+json"])
        #expect(stub.requests.map { $0.headers["X-E"] } == ["interceptor"])
        #expect(stub.requests.map(\.sentBody) == [#"{"a":1}"#])
    }

    @Test(
        "authorization is sent if the rule asks for it, and never to another origin",
        arguments: [("Own", true), ("Near", true), ("Plain", false), ("Open", false), ("Away", false)])
    func authorization(name: String, isSent: Bool) async throws {
        let client = try Self.mergingClient()
        let request = try await client.request(named: name).preview()
        #expect(request.headers.contains("X-Token") == isSent)
        #expect(request.address.text.contains("token=") == isSent)
    }

    @Test("the tag's credential replaces the rule's headers, and the call's headers replace the credential") func signIn() async throws {
        let client = try Self.client(
            #"{"R": {"Base": "https://example.com", "Path": "x", "Headers": {"Authorization": "rule", "X-A": "rule"}}}"#)
        client.configure("forum") {
            $0.authentication = Authentication(
                BearerAuthenticator(), store: MemoryCredentialStore(BearerToken(accessToken: "made-up")))
        }
        let request = client.request(named: "R").tag("forum")
        let sent = try await request.preview().headers
        #expect(sent["Authorization"] == "Bearer made-up")
        #expect(sent["X-A"] == "rule")
        #expect(try await request.header("Authorization", "call").preview().headers["Authorization"] == "call")
        #expect(try await request.authenticated(false).preview().headers["Authorization"] == "rule")
    }

    @Test("the call's authenticated(_:) beats the rule's authorization")
    func ownAuthorization() async throws {
        let client = try Self.mergingClient()
        #expect(try await client.request(named: "Own").authenticated(false).preview().headers["X-Token"] == nil)
        #expect(try await client.request(named: "Plain").authenticated().preview().headers["X-Token"] == "made-up")
    }

    @Test("a call removes params and headers of its rule, its tag and the common ones")
    func removed() async throws {
        let request = try Self.mergingClient().request(named: "Own").param("a", nil).param("q", nil).header("X-A", nil)
        let sent = try await request.preview()
        #expect(sent.address.query?.contains("a=") == false)
        #expect(sent.address.query?.contains("q=") == false)
        #expect(sent.headers["X-A"] == nil)
    }

    @Test("a query of the call wins over the rule's params and over those of an authorized call") func query() async throws {
        let request = try Self.mergingClient().request(named: "Own").commonParams(.none).query(["a": "call", "c": "call"])
        #expect(try await request.preview().address.query == "a=call&c=call&b=rule&d=authorization&token=made-up")
        let sent = try await request.method(.post).preview()
        #expect(sent.address.query == "a=call&c=call")
        #expect(sent.sentBody == #"{"b":"rule","d":"authorization","token":"made-up"}"#)
    }

    @Test("a query of the call does not replace the rule's param that fills the path") func queryBesideTemplate() async throws {
        let client = try Self.client(#"{"R": {"Base": "https://example.com", "Path": "v{z}/x", "Parameters": {"z": 2}}}"#)
        #expect(try await client.request(named: "R").query(["z": 3]).preview().address.text == "https://example.com/v2/x?z=3")
    }

    @Test(
        "the serializer encodes the params of a body, and methods with params in the query keep them there",
        arguments: [
            (#"{"Method": "POST"}"#, #"POST https://example.com/x application/json {"a":[1]}"#),
            (#"{"Method": "post", "Serializer": "AFJSONRequestSerializer"}"#, #"POST https://example.com/x application/json {"a":[1]}"#),
            (
                #"{"Method": "POST", "Serializer": "AFHTTPRequestSerializer"}"#,
                "POST https://example.com/x application/x-www-form-urlencoded a%5B%5D=1"
            ),
            (#"{"Method": "PUT", "Serializer": "SignedForm"}"#, "PUT https://example.com/x application/x-www-form-urlencoded a%5B%5D=1"),
            (#"{"Method": "POST", "Serializer": "query"}"#, "POST https://example.com/x?a%5B%5D=1 nil nil"),
            (#"{"Serializer": "AFHTTPRequestSerializer"}"#, "GET https://example.com/x?a%5B%5D=1 nil nil"),
            (#"{"Method": "DELETE", "Serializer": "AFJSONRequestSerializer"}"#, "DELETE https://example.com/x?a%5B%5D=1 nil nil"),
            (#"{"Method": "HEAD", "Serializer": "AFPropertyListRequestSerializer"}"#, "HEAD https://example.com/x?a%5B%5D=1 nil nil"),
        ])
    func serializer(rule: String, expected: String) async throws {
        let client = Client(transport: ClosureTransport { _ in .json("{}") })
        client.rules.register(serializer: "SignedForm", .form)
        try client.rules.load(Data(#"{"DEFAULT": {"Base": "https://example.com", "Path": "x"}, "R": \#(rule)}"#.utf8))
        let sent = try await client.request(named: "R").params(["a": [1]]).preview()
        #expect("\(sent.sentLine) \(sent.headers["Content-Type"] ?? "nil") \(sent.sentBody ?? "nil")" == expected)
    }

    @Test("a rule can encode its params as a property list") func propertyList() async throws {
        let client = try Self.client(
            #"{"R": {"Base": "https://example.com", "Path": "x", "Method": "POST", "Serializer": "AFPropertyListRequestSerializer"}}"#)
        let sent = try await client.request(named: "R").params(["a": 1]).preview()
        #expect(sent.headers["Content-Type"] == "application/x-plist")
        #expect(sent.sentBody?.contains("<integer>1</integer>") == true)
    }

    @Test(
        "the special params of RFAPI replace the whole body and force params into the query",
        arguments: ["_RFParmForceQuryString_", "_RFParmForceQueryString_"])
    func specialParams(key: String) async throws {
        let client = try Self.client(#"{"R": {"Base": "https://example.com", "Path": "x", "Method": "POST"}}"#)
        let sent = try await client.request(named: "R")
            .params(["_RFParmArray_": [1, 2], key: ["k e": "a&b"] as Params]).preview()
        #expect(sent.sentLine == "POST https://example.com/x?k%20e=a%26b")
        #expect(sent.sentBody == "[1,2]")
    }

    @Test("the rules of a dictionary need neither a file nor a server, and have the keys of a file")
    func dictionary() async throws {
        let client = Client(transport: ClosureTransport { _ in .json("{}") })
        let page: Any = NSNumber(value: 2)
        try client.rules.load(dictionary: [
            "DEFAULT": ["Base": "https://example.com/api/"],
            "@topics": ["TopicList": ["Path": "topics", "Parameters": ["size": page, "open": true], "Headers": ["X-App": "1"]]],
        ])
        let sent = try await client.request(named: "TopicList").preview()
        #expect(sent.sentLine == "GET https://example.com/api/topics?open=true&size=2")
        #expect(sent.headers["X-App"] == "1")
    }

    @Test(
        "the numbers of cache and offline policies keep their meanings from RFAPI",
        arguments: [
            (0, nil, 0, nil), (1, nil, 0, .protocol), (2, nil, 0, .always), (3, 60, 0, .expire(.seconds(60))),
            (3, nil, 0, .expire(.seconds(1))), (5, nil, 0, .never), (0, nil, 1, .protocol.orOffline), (2, nil, 1, .always.orOffline),
        ] as [(Int, Int?, Int, CachePolicy?)])
    func cachePolicy(number: Int, expire: Int?, offline: Int, expected: CachePolicy?) throws {
        let seconds = expire.map { #", "Expire": \#($0)"# } ?? ""
        let set = try RuleSet(parsing: Data(#"{"R": {"Cache Policy": \#(number), "Offline Policy": \#(offline)\#(seconds)}}"#.utf8))
        #expect(set["R"]?.usedCachePolicy == expected)
    }

    @Test("a call uses the cache by the policy of its rule") func cache() async throws {
        let stub = ClosureTransport { _ in .json(#"{"code": 0, "data": 1}"#) }
        let client = Client(transport: stub)
        client.configureDefaults { $0.cache = .memory(limit: 1 << 20) }
        try client.rules.load(Data(#"{"R": {"Base": "https://example.com", "Path": "x", "Cache Policy": 3, "Expire": 60}}"#.utf8))
        for _ in 0..<2 { #expect(try await client.request(named: "R").value(as: Int.self) == 1) }
        #expect(stub.requests.count == 1)
    }

    // MARK: Chains

    @Test("a step of the call replaces the rule's setting") func steps() async throws {
        let client = try Self.client(#"{"R": {"Base": "https://example.com/api/", "Path": "x", "Path Prefix": "v/", "Method": "POST"}}"#)
        #expect(try await client.request(named: "R").preview().sentLine == "POST https://example.com/api/v/x")
        #expect(try await client.request(named: "R").method(.put).preview().sentLine == "PUT https://example.com/api/v/x")
        #expect(try await client.request(named: "R").path("y").preview().sentLine == "POST https://example.com/api/v/y")
        #expect(try await client.request(named: "R").host("https://other.test/b/").preview().sentLine == "POST https://other.test/b/v/x")
        #expect(try await client.request(named: "R").absoluteURL("https://o.test/z").preview().sentLine == "POST https://o.test/z")
        let free = try Self.client(#"{"R": {"Base": "https://example.com/api/"}}"#)
        #expect(await free.request(named: "R").path("https://evil.test/").previewFault()?.message.contains("another host") == true)
    }

    @Test("a request with an unknown name fails when it is executed, with an error that lists the known names") func unknown() async throws
    {
        let client = try Self.client(#"{"A": {"Path": "a"}, "B": {"Path": "b"}}"#, host: "https://example.com")
        let error = await client.request(named: "C").params(["a": 1]).previewFault()
        #expect(error?.kind == .invalidRequest)
        #expect(error?.message == "request(named:): there is no rule \"C\"; known are A, B")
        #expect(await Client().request(named: "C").previewFault()?.message.hasSuffix("no rules are loaded") == true)
    }

    @Test("a stored request uses the rules that are loaded when it runs") func kept() async throws {
        let client = Client(transport: ClosureTransport { _ in .json("{}") })
        let request = client.request(named: "R").params(["a": 1])
        #expect("\(request.tag("forum"))" == "GET\n  tag: forum\n  rule: R\n  params: [a: 1]")
        #expect(await request.previewFault() != nil)
        for path in ["one", "two"] {
            try client.rules.load(Data(#"{"R": {"Base": "https://example.com", "Path": "\#(path)"}}"#.utf8))
            #expect(try await request.preview().sentLine == "GET https://example.com/\(path)?a=1")
        }
    }

    @Test("a rule that is not from a file also inherits from DEFAULT") func ownRule() async throws {
        let client = try Self.client(#"{"DEFAULT": {"Base": "https://example.com", "Method": "PUT"}}"#)
        var rule = Rule("Own")
        rule.path = "own"
        #expect(try await client.rules.request(rule).preview().sentLine == "PUT https://example.com/own")
    }
}
