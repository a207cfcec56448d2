import Foundation
import Testing

@testable import Catena

/// A signer that stores the params it receives.
private final class ParamsKeeper: RequestSigner {
    let params = Mutex(Params())

    func sign(_ request: inout HTTPRequest, params: Params) async throws {
        self.params.withLock { $0 = params }
    }
}

@Suite("Placement of params", .limitedParallelism)
struct RequestParamsTests {
    /// Returns a client in which every level sets `who` and a param of its own.
    private static func client() -> Client {
        silentClient {
            $0.configureDefaults { defaults in
                defaults.host = "https://h"
                defaults.params = ["who": "defaults", "d": 1]
            }
            $0.configure("forum") { $0.params = ["who": "profile", "p": 1] }
            $0.configure("merging") { $0.commonParams = .merged }
            $0.configure("alone") { $0.commonParams = .none }
            $0.commonParams { tag in tag == "bare" ? [:] : ["who": "common", "c": 1] }
        }
    }

    private static let plain = silentClient { $0.defaultHost = "https://h" }

    @Test("defaults, profile, common params, call: later params replace earlier ones of the same name")
    static func precedenceRows() async {
        await each(
            [
                RequestRow("defaults", "GET https://h/?who=defaults&d=1") { $0.tag("bare").get("/") },
                RequestRow("common over defaults", "GET https://h/?who=common&d=1&c=1") { $0.get("/") },
                RequestRow("common over profile", "GET https://h/?who=common&d=1&p=1&c=1") { $0.tag("forum").get("/") },
                RequestRow("params over all", "GET https://h/?d=1&p=1&c=1&who=call") { $0.tag("forum").get("/").params(["who": "call"]) },
                RequestRow("query over all", "GET https://h/?d=1&p=1&c=1&who=call") { $0.tag("forum").get("/").query(["who": "call"]) },
                RequestRow("params over query", "GET https://h/?d=1&c=1&who=params") {
                    $0.get("/").query(["who": "query"]).params(["who": "params"])
                },
                RequestRow("the path's query over common", "GET https://h/?who=path&d=1&c=1") { $0.get("/?who=path") },
                RequestRow("params over the path's query", "GET https://h/?x=1&d=1&c=1&who=call") {
                    $0.get("/?who=path&x=1").params(["who": "call"])
                },
                RequestRow("query over the path's query", "GET https://h/?x=1&d=1&c=1&who=call") {
                    $0.get("/?who=path&x=1").query(["who": "call"])
                },
                RequestRow("encoded names in the path", "GET https://h/?wh%6F=path&d=1&c=1") { $0.get("/?wh%6F=path") },
                RequestRow("the path's own repetitions stay", "GET https://h/?who=1&who=2&d=1&c=1") { $0.get("/?who=1&who=2") },
                RequestRow("the later call of a step wins", "GET https://h/?d=1&c=1&who=2&b=1") {
                    $0.get("/").params(["who": 1, "b": 1]).params(["who": 2])
                },
                RequestRow("one by one", "GET https://h/?d=1&c=1&who=2") { $0.get("/").param("who", 1).param("who", 2) },
                RequestRow("one by one in the query", "POST https://h/?d=1&c=1&who=2") {
                    $0.post("/").query("who", 1).query("who", 2).query("x", 1).query("x", nil)
                },
                // A merged value takes the place of the common one.
                RequestRow("merged", "GET https://h/?who=call&d=1&c=1&x=1") {
                    $0.get("/").params(["who": "call", "x": 1]).commonParams(.merged)
                },
                RequestRow("merged, with a query", "GET https://h/?who=call&d=1&c=1") {
                    $0.get("/").query(["who": "call"]).commonParams(.merged)
                },
                RequestRow("merged by the tag", "GET https://h/?who=common&d=1&c=1&x=1") { $0.tag("merging").get("/").params(["x": 1]) },
                RequestRow("the call beats the tag's placement", "GET https://h/") { $0.tag("merging").get("/").commonParams(.none) },
                RequestRow("none", "GET https://h/?x=1") { $0.get("/").params(["x": 1]).commonParams(.none) },
                RequestRow("none by the tag", "GET https://h/") { $0.tag("alone").get("/") },
            ] as [RequestRow]
        ) { try await Self().precedence(row: $0) }
    }

    func precedence(row: RequestRow) async throws {
        try await row.checkLine(Self.client())
    }

    @Test(
        "nil for one param leaves out a common one too, and null is sent",
        arguments: [
            RequestRow("nil does not touch the common value", "GET https://h/?who=common&d=1&c=1") {
                $0.get("/").params(["who": String?.none])
            },
            RequestRow("null replaces it", "GET https://h/?d=1&c=1&who=") { $0.get("/").params(["who": .null]) },
            RequestRow("nil for one param after a value", "GET https://h/?d=1&c=1") {
                $0.get("/").param("who", 1).param("who", nil)
            },
            RequestRow("removed", "GET https://h/?d=1&c=1") { $0.get("/").param("who", nil) },
            RequestRow("removed with the call's own", "GET https://h/?d=1&c=1") {
                $0.get("/").params(["who": 1]).query(["who": 2]).param("who", nil)
            },
            RequestRow("removed from the profile", "GET https://h/?who=common&c=1") { $0.get("/").param("d", nil) },
            RequestRow("removed and set again", "GET https://h/?d=1&c=1&who=1") { $0.get("/").param("who", nil).params(["who": 1]) },
            RequestRow("removed and queried again", "GET https://h/?d=1&c=1&who=1") { $0.get("/").param("who", nil).query(["who": 1]) },
            RequestRow("removed and set again as one", "GET https://h/?d=1&c=1&who=1") { $0.get("/").param("who", nil).param("who", 1) },
            RequestRow("nil does not bring it back", "GET https://h/?d=1&c=1") { $0.get("/").param("who", nil).param("who", nil) },
            RequestRow("nor does taking back what was set after it", "GET https://h/?d=1&c=1") {
                $0.get("/").param("who", nil).params(["who": 1]).param("who", nil)
            },
            RequestRow("another one does not bring it back", "GET https://h/?d=1&c=1&x=1") {
                $0.get("/").param("who", nil).params(["x": 1])
            },
            RequestRow("removed where merged", "GET https://h/?d=1&c=1") { $0.get("/").param("who", nil).commonParams(.merged) },
        ])
    func leavingOut(row: RequestRow) async throws {
        try await row.checkLine(Self.client())
    }

    struct Placement: Sendable, CustomTestStringConvertible {
        let name: String
        let line: String
        let body: String?
        let request: @Sendable (Client) -> Request

        init(_ name: String, _ line: String, _ body: String?, _ request: @escaping @Sendable (Client) -> Request) {
            self.name = name
            self.line = line
            self.body = body
            self.request = request
        }

        var testDescription: String { name }

        func check(_ client: Client) async throws {
            let sent = try await request(client).preview()
            #expect(sent.sentLine == line)
            #expect(sent.sentBody == body)
        }
    }

    @Test(
        "common params are in the query with every method and body, unless they are merged or left out",
        arguments: [
            Placement("query and JSON params", "POST https://h/?who=common&d=1&c=1", #"{"who":"call","x":1}"#) {
                $0.post("/").params(["who": "call", "x": 1])
            },
            Placement("query and nothing", "POST https://h/?who=common&d=1&c=1", nil) { $0.post("/") },
            Placement("query and PUT", "PUT https://h/?who=common&d=1&c=1", #"{"x":1}"#) { $0.put("/").params(["x": 1]) },
            Placement("query and DELETE", "DELETE https://h/?who=common&d=1&c=1&x=1", nil) { $0.delete("/").params(["x": 1]) },
            Placement("query and HEAD", "HEAD https://h/?who=common&d=1&c=1&x=1", nil) { $0.head("/").params(["x": 1]) },
            Placement("query and form params", "POST https://h/?who=common&d=1&c=1", "x=1") {
                $0.post("/").params(["x": 1]).encoding(.form)
            },
            Placement("query and a JSON body", "POST https://h/?who=common&d=1&c=1", "[1]") { $0.post("/").json([1]) },
            Placement("query and a form body", "POST https://h/?who=common&d=1&c=1", "x=1") { $0.post("/").form(["x": 1]) },
            Placement("query and bytes", "POST https://h/?who=common&d=1&c=1", "x") {
                $0.post("/").body(Data("x".utf8), contentType: "text/plain")
            },
            Placement("merged with JSON params", "POST https://h/", #"{"who":"call","d":1,"c":1,"x":1}"#) {
                $0.post("/").params(["who": "call", "x": 1]).commonParams(.merged)
            },
            Placement("merged with nothing", "POST https://h/", #"{"who":"common","d":1,"c":1}"#) { $0.post("/").commonParams(.merged) },
            Placement("merged with form params", "POST https://h/", "who=common&d=1&c=1&x=1") {
                $0.post("/").params(["x": 1]).encoding(.form).commonParams(.merged)
            },
            Placement("merged with GET", "GET https://h/?who=common&d=1&c=1&x=1", nil) {
                $0.get("/").params(["x": 1]).commonParams(.merged)
            },
            Placement("query, and form params of that name", "PUT https://h/?who=common&d=1&c=1", "who=call") {
                $0.put("/").params(["who": "call"]).encoding(.form)
            },
            Placement("query, and a form body of that name", "POST https://h/?who=common&d=1&c=1", "who=call") {
                $0.post("/").form(["who": "call"])
            },
            Placement("query, and a JSON body of that name", "POST https://h/?who=common&d=1&c=1", #"{"who":"call"}"#) {
                $0.post("/").json(["who": "call"])
            },
            Placement("query, and a JSON value of that name", "POST https://h/?who=common&d=1&c=1", #"{"who":"call"}"#) {
                $0.post("/").json(["who": "call"] as JSON)
            },
            Placement("query, and params of that name beside a body", "POST https://h/?d=1&c=1&who=call", "[1]") {
                $0.post("/").params(["who": "call"]).json([1])
            },
            Placement("query, and a query of that name beside a body of that name", "POST https://h/?d=1&c=1&who=1", #"{"who":"call"}"#) {
                $0.post("/").query(["who": 1]).json(["who": "call"])
            },
            Placement("merged, and the call has a query of that name", "POST https://h/?who=1", #"{"who":"common","d":1,"c":1}"#) {
                $0.post("/").query(["who": 1]).commonParams(.merged)
            },
            Placement("merged, and the path has a query of that name", "POST https://h/?who=path", #"{"who":"common","d":1,"c":1}"#) {
                $0.post("/?who=path").commonParams(.merged)
            },
            Placement("merged, and a form body of that name", "POST https://h/", "who=call&d=1&c=1") {
                $0.post("/").form(["who": "call"]).commonParams(.merged)
            },
            Placement("merged, and a JSON body of that name", "POST https://h/", #"{"who":"call","d":1,"c":1}"#) {
                $0.post("/").json(["who": "call"]).commonParams(.merged)
            },
            Placement("merged with an empty JSON body", "DELETE https://h/", #"{"who":"common","d":1,"c":1}"#) {
                $0.delete("/").json([:]).commonParams(.merged)
            },
            Placement("merged with a JSON value", "POST https://h/?who=common&d=1&c=1", #"{"who":"call"}"#) {
                $0.post("/").json(["who": "call"] as JSON).commonParams(.merged)
            },
            Placement("merged with a form, beside params", "POST https://h/?who=call", "who=common&d=1&c=1&x=1") {
                $0.post("/").form(["x": 1]).params(["who": "call"]).commonParams(.merged)
            },
            Placement("merged with a form of a tag that puts params in the query", "POST https://h/", "who=common&d=1&c=1&x=1") {
                $0.post("/").form(["x": 1]).encoding(.query).commonParams(.merged)
            },
            Placement("merged with a JSON body", "POST https://h/?who=common&d=1&c=1&x=1", "[1]") {
                $0.post("/").json([1]).params(["x": 1]).commonParams(.merged)
            },
            Placement("merged with a form body", "POST https://h/", "who=common&d=1&c=1&x=1") {
                $0.post("/").form(["x": 1]).commonParams(.merged)
            },
            Placement("merged with bytes", "POST https://h/?who=common&d=1&c=1", "x") {
                $0.post("/").body(Data("x".utf8), contentType: "text/plain").commonParams(.merged)
            },
            Placement("none with JSON params", "POST https://h/", #"{"x":1}"#) { $0.post("/").params(["x": 1]).commonParams(.none) },
            Placement("none with a JSON body", "POST https://h/", "[1]") { $0.post("/").json([1]).commonParams(.none) },
        ])
    func placements(row: Placement) async throws { try await row.check(Self.client()) }

    @Test("common params are in the query beside a property list, or merged into it without replacing its members")
    func propertyList() async throws {
        let request = Self.client().post("/").body(propertyList: ["who": "call"])
        let sent = try await request.preview()
        #expect(sent.sentLine == "POST https://h/?who=common&d=1&c=1")
        #expect(try members(of: sent) == ["who"])
        let merged = try await request.commonParams(.merged).preview()
        #expect(merged.sentLine == "POST https://h/")
        #expect(try members(of: merged) == ["c", "d", "who"])
        #expect(merged.sentBody?.contains("<string>call</string>") == true)
    }

    private func members(of request: HTTPRequest) throws -> [String] {
        let list = try PropertyListSerialization.propertyList(from: request.body ?? Data(), format: nil)
        return try #require(list as? [String: Any]).keys.sorted()
    }

    @Test("common params are in the query beside a multipart form, or become fields without replacing its own")
    func multipart() async throws {
        let request = Self.client().post("/?who=path").params(["p": 1]).multipart(boundary: "b") { $0.field("d", "form") }
        #expect(try await sent(request) == ["POST https://h/?who=path&d=1&c=1", "p", "d"])
        #expect(try await sent(request.commonParams(.merged)) == ["POST https://h/?who=path", "who", "c", "p", "d"])
        let inQuery = try await sent(request.encoding(.query).commonParams(.merged))
        #expect(inQuery == ["POST https://h/?who=path&d=1&c=1&p=1", "d"])
    }

    /// Returns the request line and the names of the form's fields.
    private func sent(_ request: Request) async throws -> [String] {
        let sent = try await request.preview()
        return [sent.sentLine] + (sent.sentBody ?? "").matches(of: /name="(.+?)"/).map { String($0.1) }
    }

    @Test(
        "the error of a common param that cannot be encoded names its source",
        arguments: [
            RequestRow("in a form", "commonParams…\"c\": it is not a number") { $0.post("/").form(["x": 1]).commonParams(.merged) },
            RequestRow("in JSON", "commonParams…\"c\": it is not a number") { $0.post("/").json(["x": 1]).commonParams(.merged) },
            RequestRow("beside a body", "commonParams…\"c\": it is not a number") { $0.post("/").json(["x": 1]) },
            RequestRow("of the profile", "configure…\"p\": it is infinite") { $0.tag("forum").post("/").form([:]).commonParams(.merged) },
            RequestRow("the call's own", "form…\"c\": it is infinite") {
                $0.post("/").form(["c": Double.infinity]).commonParams(.merged)
            },
        ])
    func faults(row: RequestRow) async {
        let client = silentClient {
            $0.defaultHost = "https://h"
            $0.configure("forum") { $0.params = ["p": Double.infinity] }
            $0.commonParams { tag in tag == "forum" ? [:] : ["c": Double.nan] }
        }
        await row.checkFault(client)
    }

    @Test(
        "the signed params are the sent ones, and the call's value replaces a common one",
        arguments: [CommonParams.query, .merged])
    func signed(placement: CommonParams) async throws {
        let client = Self.client()
        let signer = ParamsKeeper()
        client.configureDefaults { $0.signer = signer }
        for request in [
            client.post("/").form(["who": "call"]), client.post("/").json(["who": "call"]), client.post("/").params(["who": "call"]),
            client.post("/").query(["who": "call"]), client.post("/?who=call"),
            client.post("/").query(["who": "query"]).params(["who": "call"]), client.post("/?who=path").form(["who": "call"]),
        ] {
            let sent = try await request.commonParams(placement).preview()
            let signed = signer.params.withLock { Params($0.members.sorted { $0.key < $1.key }) }
            #expect(signed == ["c": 1, "d": 1, "who": "call"], "\(sent.sentLine)")
        }
        _ = try await client.get("/?ids[]=1").params(["ids": [2]]).commonParams(.none).preview()
        #expect(signer.params.withLock { $0 } == ["ids": [2]])
    }

    @Test("a common param gives way to the path's query if one of its encoded names occurs there")
    func commonParts() async throws {
        let client = silentClient {
            $0.defaultHost = "https://h"
            $0.commonParams { _ in ["ids": [1, 2], "userName": "common", "x": 1] }
        }
        let request = client.path("/?ids[]=3&user_name=call").encoding { $0.keyCase = .snake }
        #expect(try await request.method(.get).preview().sentLine == "GET https://h/?ids%5B%5D=3&user_name=call&x=1")
        #expect(try await request.method(.post).preview().sentLine == "POST https://h/?ids%5B%5D=3&user_name=call&x=1")
        let merged = try await request.method(.post).commonParams(.merged).preview()
        #expect(merged.sentLine == "POST https://h/?ids%5B%5D=3&user_name=call")
        #expect(merged.sentBody == #"{"ids":[1,2],"user_name":"common","x":1}"#)
    }

    @Test(
        "params of GET, HEAD and DELETE are in the query, others in a JSON body, unless an encoding is set",
        arguments: [
            Placement("GET", "GET https://h/?x=1", nil) { $0.get("/").params(["x": 1]) },
            Placement("HEAD", "HEAD https://h/?x=1", nil) { $0.head("/").params(["x": 1]) },
            Placement("DELETE", "DELETE https://h/?x=1", nil) { $0.delete("/").params(["x": 1]) },
            Placement("POST", "POST https://h/", #"{"x":1}"#) { $0.post("/").params(["x": 1]) },
            Placement("PUT", "PUT https://h/", #"{"x":1}"#) { $0.put("/").params(["x": 1]) },
            Placement("PATCH", "PATCH https://h/", #"{"x":1}"#) { $0.patch("/").params(["x": 1]) },
            Placement("OPTIONS", "OPTIONS https://h/", #"{"x":1}"#) { $0.options("/").params(["x": 1]) },
            Placement("a method of one's own", "PURGE https://h/", #"{"x":1}"#) { $0.method("PURGE").path("/").params(["x": 1]) },
            Placement("POST, query", "POST https://h/?x=1", nil) { $0.post("/").params(["x": 1]).encoding(.query) },
            Placement("POST, form", "POST https://h/", "x=1") { $0.post("/").params(["x": 1]).encoding(.form) },
            Placement("GET, form", "GET https://h/?x=1", nil) { $0.get("/").params(["x": 1]).encoding(.form) },
            Placement("DELETE, JSON", "DELETE https://h/", #"{"x":1}"#) { $0.delete("/").params(["x": 1]).encoding(.json) },
            Placement("DELETE, query", "DELETE https://h/?x=1", nil) { $0.delete("/").params(["x": 1]).encoding(.query) },
            Placement("DELETE of a form tag", "DELETE https://h/?x=1", nil) { $0.tag("form").delete("/").params(["x": 1]) },
            Placement("POST of a form tag", "POST https://h/", "x=1") { $0.tag("form").post("/").params(["x": 1]) },
            Placement("POST of a query tag", "POST https://h/?x=1", nil) { $0.tag("query").post("/").params(["x": 1]) },
            Placement("the call beats the tag", "POST https://h/", #"{"x":1}"#) {
                $0.tag("form").post("/").params(["x": 1]).encoding(.json)
            },
            Placement("query with a body", "POST https://h/?q=1", #"{"x":1}"#) { $0.post("/").query(["q": 1]).params(["x": 1]) },
            Placement("params beside a body", "POST https://h/?x=1", "[]") { $0.post("/").params(["x": 1]).json([Int]()) },
            Placement("the path's query beside the same name in a body", "POST https://h/?x=1", #"{"x":2}"#) {
                $0.post("/?x=1").params(["x": 2])
            },
            Placement("the same with another query", "POST https://h/?x=1&q=1", #"{"x":2}"#) {
                $0.post("/?x=1").params(["x": 2]).query(["q": 1])
            },
            Placement("no params, no query", "GET https://h/", nil) { $0.get("/").params([:]) },
            Placement("no params, no body", "POST https://h/", nil) { $0.post("/").params([:]) },
            Placement("only nil", "POST https://h/", nil) { $0.post("/").params(["x": Int?.none]) },
            Placement("nothing to write", "GET https://h/", nil) { $0.get("/").params(["x": [Int]()]) },
            Placement("null is a param", "POST https://h/", #"{"x":null}"#) { $0.post("/").params(["x": .null]) },
            Placement("an empty object", "POST https://h/", "{}") { $0.post("/").json([:]) },
        ])
    func encodings(row: Placement) async throws {
        try await row.check(
            silentClient {
                $0.defaultHost = "https://h"
                $0.configure("form") { $0.encoding = .form }
                $0.configure("query") { $0.encoding = .query }
            })
    }

    @Test(
        "params follow the query of the path, which is encoded once",
        arguments: [
            RequestRow("a query and a param", "GET https://h/?baz=qux&foo=bar") { $0.get("/?baz=qux").params(["foo": "bar"]) },
            RequestRow("brackets", "GET https://h/?hd=%5B1%5D&page=0") { $0.get("/?hd=[1]").params(["page": 0]) },
            RequestRow("plus", "GET https://h/?hd=%5B1%5D&%2Bfoo%2B=%2Bbar%2B") { $0.get("/?hd=[1]").params(["+foo+": "+bar+"]) },
            RequestRow("the host's query", "GET https://h/a?hd=%5B1%5D&page=0") { $0.host("https://h/a?hd=[1]").params(["page": 0]) },
            RequestRow("a fragment", "GET https://h/?foo=bar") { $0.get("/#top").params(["foo": "bar"]) },
            RequestRow("a fragment after a query", "GET https://h/?a&foo=bar") { $0.get("/?a#top").params(["foo": "bar"]) },
            RequestRow("percent", "GET https://h/?a=1%2B2+3&%2525=%2525&b=%2B") { $0.get("/?a=1%2B2+3&%2525=%2525").params(["b": "+"]) },
            RequestRow("empty pairs", "GET https://h/?a&b=1") { $0.get("/?&a&&").params(["b": 1]) },
            RequestRow("an empty query", "GET https://h/?b=1") { $0.get("/?").params(["b": 1]) },
            RequestRow("an array in place of one that is written", "GET https://h/?ids%5B%5D=2") {
                $0.get("/?ids[]=1").params(["ids": [2]])
            },
            RequestRow("an object in place of one that is written", "GET https://h/?a%5Bc%5D=1&a%5Bb%5D=2") {
                $0.get("/?a[b]=1&a[c]=1").query(["a": ["b": 2]])
            },
            RequestRow("a name as it is sent", "GET https://h/?user_name=2") {
                $0.get("/?user_name=1").params(["userName": 2]).encoding { $0.keyCase = .snake }
            },
            RequestRow("a query that is replaced by nothing", "GET https://h/") { $0.get("/?b=1").params(["b": [Int]()]) },
            RequestRow("delimiters in a value", "GET https://h/?q=a%2Bb%20c%26d%3De") { $0.get("/").params(["q": "a+b c&d=e"]) },
            RequestRow("CR and LF in a value", "GET https://h/?q=a%0D%0AX%3A%20y") { $0.get("/").params(["q": "a\r\nX: y"]) },
        ])
    func writtenQueries(row: RequestRow) async throws { try await row.checkLine(Self.plain) }

    @Test("the call's parameter style replaces the tag's")
    func style() async throws {
        let client = silentClient {
            $0.defaultHost = "https://h"
            $0.configure("forum") { forum in
                forum.parameterStyle = ParameterStyle()
                forum.parameterStyle?.arrays = .repeat
            }
        }
        var comma = ParameterStyle()
        comma.arrays = .bareComma
        let params: Params = ["ids": [1, 2]]
        #expect(try await client.get("/").params(params).preview().address.query == "ids%5B%5D=1&ids%5B%5D=2")
        #expect(try await client.tag("forum").get("/").params(params).preview().address.query == "ids=1&ids=2")
        #expect(try await client.tag("forum").get("/").params(params).encoding(style: comma).preview().address.query == "ids=1,2")
    }
}
