import Foundation
import Testing

@testable import Catena

private struct Search: Encodable, Sendable {
    var room: String?
    var q: String?
    var tags: [String] = []
    var since: Date?
    var share: Double?
}

/// Writes queries in its own form, and therefore also forms.
private struct Semicolons: ParameterEncoder {
    func query(_ params: Params, style: ParameterStyle) throws -> String {
        params.members.map { "\($0.key)=\($0.node)" }.joined(separator: ";") + " é"
    }
}

/// Writes bodies in its own form.
private struct Keys: ParameterEncoder {
    func body(_ params: Params, style: ParameterStyle) throws -> (data: Data, contentType: String) {
        (Data(params.keys.joined(separator: "|").utf8), "text/x-keys")
    }
}

private struct Refusing: ParameterEncoder {
    struct Refusal: Error {}

    func query(_ params: Params, style: ParameterStyle) throws -> String { throw Refusal() }
}

@Suite("Params of any type, and custom encoders", .limitedParallelism)
struct RequestEncodableTests {
    private static func client() -> Client {
        silentClient {
            $0.defaultHost = "https://h"
            $0.configure("keys") { $0.encoding = .custom(Keys()) }
            $0.configure("snake") { $0.parameterStyle = ParameterStyle { $0.keyCase = .snake } }
            $0.commonParams { tag in tag == "keys" ? ["c": 1] : [:] }
        }
    }

    @Test(
        "the members of an Encodable value are sent as params",
        arguments: [
            RequestRow("params", "GET https://h/?q=a%20b&tags%5B%5D=x") { $0.get("/").params(Search(q: "a b", tags: ["x"])) },
            RequestRow("merged", "GET https://h/?q=2&x=1") { $0.get("/").params(["q": 1, "x": 1]).params(Search(q: "2")) },
            RequestRow("beaten by a later step", "GET https://h/?q=3") { $0.get("/").params(Search(q: "2")).params(["q": 3]) },
            RequestRow("nil does not beat an earlier step", "GET https://h/?q=1") { $0.get("/").params(["q": 1]).params(Search()) },
            RequestRow("in the path", "GET https://h/a%2Fb?q=1") { $0.get("/{room}").params(Search(room: "a/b", q: "1")) },
            RequestRow("query", "POST https://h/?q=1") { $0.post("/").query(Search(q: "1")) },
            RequestRow("with a style", "GET https://h/?tags=x&tags=y&since=1000") {
                $0.get("/").params(Search(tags: ["x", "y"], since: Date(timeIntervalSince1970: 1))).encoding {
                    $0.arrays = .repeat
                    $0.dates = .milliseconds
                }
            },
            RequestRow("a JSON object", "GET https://h/?b=1&a=2") { $0.get("/").params(JSON(["b": 1, "a": 2])) },
            RequestRow("a dictionary", "GET https://h/?a=2&b=1") {
                let dictionary = ["b": 1, "a": 2]
                return $0.get("/").params(dictionary)
            },
            // A literal is not taken for an Encodable dictionary, whose keys would be sorted.
            RequestRow("literals are Params", "POST https://h/?b=1&a=2&d=1&c=2") {
                $0.post("/").params(["d": 1, "c": 2]).query(["b": 1, "a": 2]).encoding(.query)
            },
        ])
    func lines(row: RequestRow) async throws { try await row.checkLine(Self.client()) }

    @Test("an Encodable value can be sent as each kind of body")
    func bodies() async throws {
        let value = Search(q: "a+b", tags: ["x"], since: Date(timeIntervalSince1970: 0))
        let form = try await Self.client().post("/").form(value).preview()
        #expect(form.sentBody == "q=a%2Bb&tags%5B%5D=x&since=1970-01-01T00%3A00%3A00Z")
        #expect(form.headers["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(try await Self.client().post("/").form(["b": 1, "a": 2]).preview().sentBody == "b=1&a=2")
        let json = try await Self.client().tag("snake").post("/").params(["myID": 1]).params(value).preview()
        #expect(json.sentBody == #"{"my_id":1,"q":"a+b","tags":["x"],"since":"1970-01-01T00:00:00Z"}"#)
        for root in [
            Self.client().post("/").body(propertyList: [value]),
            Self.client().post("/").body(propertyList: JSON(array: [JSON(["q": "a+b"])])),
        ] {
            let list = try PropertyListSerialization.propertyList(from: try await root.preview().body ?? Data(), format: nil)
            #expect((list as? [[String: Any]])?.first?["q"] as? String == "a+b")
        }
    }

    @Test("JSON is written by the encoder of the call or else of the tag, and bytes are sent unchanged")
    func jsonEncoders() async throws {
        let client = Self.client()
        let (pretty, sorted) = (JSONEncoder(), JSONEncoder())
        pretty.outputFormatting = .prettyPrinted
        sorted.outputFormatting = .sortedKeys
        client.configure("sorted") { $0.encoder = sorted }
        let letters = ["z": "z", "a": "a", "p": "p"]
        #expect(try await client.tag("sorted").post("/").json(letters).preview().sentBody == #"{"a":"a","p":"p","z":"z"}"#)
        #expect(
            try await client.tag("sorted").post("/").json(["property": "property"] as [String: String], encoder: pretty).preview().sentBody
                == "{\n  \"property\" : \"property\"\n}")
        let bytes = try await client.post("/").json(Data("{ }".utf8)).preview()
        #expect(bytes.sentBody == "{ }")
        #expect(bytes.headers["Content-Type"] == "application/json")
        #expect(
            try await client.post("/").header("Content-Type", "type").json("x").preview().headers.values(for: "Content-Type") == ["type"])
        #expect(try await client.post("/").json("x").preview().sentBody == #""x""#)
        #expect(try await client.delete("/").json(["b": 1, "a": 2]).preview().sentBody == #"{"b":1,"a":2}"#)
    }

    @Test(
        "a value that cannot be encoded fails the call, and the error names the step",
        arguments: [
            RequestRow("params", "params…an array has no names") { $0.get("/").params([1, 2]) },
            RequestRow("query", "query…a single value") { $0.get("/").query("x") },
            RequestRow("form", "form…an array") { $0.post("/").form(JSON(array: [])) },
            RequestRow("the first one", "query…a single value") { $0.get("/").query(1).params([1]) },
            RequestRow("NaN", "params…\"share\": it is not a number (NaN)") { $0.get("/").params(Search(share: .nan)) },
            RequestRow("property list", "body(propertyList:)…\"[0].share\": it is infinite") {
                $0.post("/").body(propertyList: [Search(share: .infinity)])
            },
            RequestRow("an own encoder", "encoding…Refusal") { $0.get("/").params(["a": 1]).encoding(.custom(Refusing())) },
            RequestRow("an own encoder's body", "encoding…Refusal") { $0.post("/").params(["a": 1]).encoding(.custom(Refusing())) },
            RequestRow("the query of an own encoder", "params…\"a\": it is not a number (NaN)") {
                $0.get("/").params(["a": Double.nan]).encoding(.custom(Keys()))
            },
        ])
    func faults(row: RequestRow) async { await row.checkFault(Self.client()) }

    @Test("the error of a custom encoder is the underlying error")
    func refusal() async {
        let error = await Self.client().get("/").params(["a": 1]).encoding(.custom(Refusing())).previewFault()
        #expect(error?.underlying is Refusing.Refusal)
    }

    @Test("a custom encoder writes queries, forms and bodies, and cannot break the address")
    func ownEncoders() async throws {
        let client = Self.client()
        let params: Params = ["a": "x", "b": .null]
        let query = try await client.get("/").params(params).encoding(.custom(Semicolons())).preview()
        #expect(query.sentLine == "GET https://h/?a=string(%22x%22);b=null%20%C3%A9")
        let form = try await client.post("/").params(params).encoding(.custom(Semicolons())).preview()
        #expect(form.sentBody == "a=string(\"x\");b=null é")
        #expect(form.headers["Content-Type"] == "application/x-www-form-urlencoded")
        let body = try await client.tag("keys").post("/").params(params).preview()
        #expect(body.sentBody == "a|b")
        #expect(body.sentLine == "POST https://h/?c=1")
        #expect(body.headers["Content-Type"] == "text/x-keys")
        #expect(try await client.tag("keys").get("/").params(params).preview().sentLine == "GET https://h/?c=1&a=x&b=")
        #expect(try await client.tag("keys").delete("/").params(params).preview().sentBody == nil)
        #expect(try await client.delete("/").params(params).encoding(.custom(Keys())).preview().sentBody == "a|b")
        #expect(try await client.tag("keys").post("/").params([:]).preview().sentBody == nil)
    }

    @Test("a change of style keeps the rest of the tag's style, and a whole style replaces it with all earlier changes")
    func styleChanges() async throws {
        let request = Self.client().tag("snake").get("/").params(["myIds": [1, 2], "isOn": true])
        #expect(try await request.encoding { $0.arrays = .repeat }.preview().address.query == "my_ids=1&my_ids=2&is_on=true")
        let both = request.encoding { $0.arrays = .repeat }.encoding { $0.booleans = .numeric }
        #expect(try await both.preview().address.query == "my_ids=1&my_ids=2&is_on=1")
        let whole = both.encoding(style: ParameterStyle { $0.arrays = .bareComma })
        #expect(try await whole.preview().address.query == "myIds=1,2&isOn=true")
    }
}
