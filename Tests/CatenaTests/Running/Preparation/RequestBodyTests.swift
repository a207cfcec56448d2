import Foundation
import Testing

@testable import Catena

@Suite("Bodies", .limitedParallelism)
struct RequestBodyTests {
    private struct Point: Encodable, Sendable {
        let name = "p"
        let at: [Double]
    }

    private struct Stubborn: Encodable, Sendable {
        struct Refusal: Error {}

        func encode(to encoder: any Encoder) throws { throw Refusal() }
    }

    private static func client() -> Client { silentClient { $0.defaultHost = "https://h" } }

    struct ContentRow: Sendable, CustomTestStringConvertible {
        let name: String
        let contentType: String?
        let body: String?
        let request: @Sendable (Request) -> Request

        init(_ name: String, _ contentType: String?, _ body: String?, _ request: @escaping @Sendable (Request) -> Request) {
            self.name = name
            self.contentType = contentType
            self.body = body
            self.request = request
        }

        var testDescription: String { name }
    }

    @Test(
        "a request has a Content-Type exactly if it has a body",
        arguments: [
            ContentRow("params", "application/json", #"{"a":1}"#) { $0.params(["a": 1]) },
            ContentRow("form params", "application/x-www-form-urlencoded", "a=1") { $0.params(["a": 1]).encoding(.form) },
            ContentRow("json of params", "application/json", #"{"b":1,"a":[1,"x",true,null]}"#) {
                $0.json(["b": 1, "a": JSON(array: [1, "x", true, .null])])
            },
            ContentRow("json of a value", "application/json", #"{"name":"p","at":[0.5]}"#) { $0.json(Point(at: [0.5])) },
            ContentRow("json of JSON", "application/json", "3") { $0.json(3 as JSON) },
            ContentRow("form", "application/x-www-form-urlencoded", "a%20b=%2B&c%5B%5D=1") {
                $0.form(["a b": "+", "c": [1]])
            },
            ContentRow("bytes", "image/png", "x") { $0.body(Data("x".utf8), contentType: "image/png") },
            ContentRow("the later body wins", "text/plain", "x") { $0.json([1]).body(Data("x".utf8), contentType: "text/plain") },
            ContentRow("a header of the call", "application/custom+json", "[1]") {
                $0.header("content-type", "application/custom+json").json([1])
            },
            ContentRow("a removed header", nil, "[1]") { $0.json([1]).header("content-type", nil) },
            ContentRow("nothing", nil, nil) { $0 },
            ContentRow("empty params", nil, nil) { $0.params([:]).encoding(.form) },
            ContentRow("params in the query", nil, nil) { $0.params(["a": 1]).encoding(.query) },
        ])
    func contents(row: ContentRow) async throws {
        let sent = try await row.request(Self.client().post("/")).preview()
        #expect(sent.headers["Content-Type"] == row.contentType)
        #expect(sent.sentBody == row.body)
    }

    @Test("body(propertyList:) and its encoding send a property list")
    func propertyList() async throws {
        for request in [
            Self.client().post("/").body(propertyList: ["a": 1]), Self.client().post("/").params(["a": 1]).encoding(.propertyList),
        ] {
            let sent = try await request.preview()
            #expect(sent.headers["Content-Type"] == "application/x-plist")
            let object = try PropertyListSerialization.propertyList(from: sent.body ?? Data(), format: nil)
            #expect(object as? [String: Int] == ["a": 1])
        }
    }

    @Test("the Content-Type of the tag or common headers applies to params, not to bytes with a type of their own")
    func inheritedContentType() async throws {
        let client = Self.client()
        client.commonHeaders { _ in ["Content-Type": "application/vnd.api+json"] }
        #expect(try await client.post("/").params(["a": 1]).preview().headers.values(for: "Content-Type") == ["application/vnd.api+json"])
        for request in [client.get("/"), client.delete("/"), client.post("/"), client.get("/").params(["a": 1])] {
            #expect(try await request.preview().headers["Content-Type"] == nil)
        }
        #expect(try await client.get("/").header("Content-Type", "text/x").preview().headers["Content-Type"] == "text/x")
        let bytes = client.post("/").body(Data(), contentType: "image/png")
        #expect(try await bytes.preview().headers.values(for: "Content-Type") == ["image/png"])
        #expect(try await bytes.header("Content-Type", "image/x").preview().headers.values(for: "Content-Type") == ["image/x"])
    }

    @Test(
        "a body for GET or HEAD is refused, and the error names the step that added it",
        arguments: [
            RequestRow("json", "json…a GET has no body") { $0.get("/").json(["a": 1]) },
            RequestRow("json of a value", "json…a GET has no body") { $0.get("/").json([1]) },
            RequestRow("form", "form…a GET has no body") { $0.request.form(["a": 1]).get("/") },
            RequestRow("property list", "body(propertyList:)…a GET has no body") { $0.get("/").body(propertyList: ["a": 1]) },
            RequestRow("bytes", "body…a HEAD has no body") { $0.head("/").body(Data(), contentType: "text/plain") },
            RequestRow("lower case", "body…a GET has no body") { $0.method("get").path("/").body(Data(), contentType: "text/plain") },
            RequestRow("the way out", "json…use .post(…)….params(…)") { $0.get("/").json(["a": 1]) },
        ])
    func bodyWithGet(row: RequestRow) async {
        await row.checkFault(
            silentClient { client in
                client.defaultHost = "https://h"
                client.commonParams { _ in ["a": 1] }
            })
    }

    @Test("any other method may have a body", arguments: [HTTPMethod.post, .put, .patch, .delete, .options, "PURGE"])
    func bodyWithOthers(method: HTTPMethod) async throws {
        #expect(try await Self.client().method(method).path("/").json([1]).preview().sentBody == "[1]")
    }

    @Test(
        "a value that cannot be encoded is refused with the step and the key path",
        arguments: [
            RequestRow("params in the query", "params…\"a\": it is not a number (NaN)") { $0.get("/").params(["a": Double.nan]) },
            RequestRow("params in JSON", "params…\"a.b[1]\": it is infinite") { $0.post("/").params(["a": ["b": [0, Double.infinity]]]) },
            RequestRow("params in a form", "params…\"a[0]\": it is infinite") {
                $0.post("/").params(["a": [-Double.infinity]]).encoding(.form)
            },
            RequestRow("params in a property list", "params…\"a\"…NaN") { $0.post("/").params(["a": Decimal.nan]).encoding(.propertyList) },
            RequestRow("query", "query…\"q\": it is not a number (NaN)") { $0.post("/").query(["q": Float.nan]).params(["a": 1]) },
            RequestRow("json", "json…\"a\": it is not a number (NaN)") { $0.post("/").params(["a": 1]).json(["a": Double.nan]) },
            RequestRow("form", "form…\"a\": it is not a number (NaN)") { $0.post("/").params(["a": 1]).form(["a": Double.nan]) },
            RequestRow("property list", "body(propertyList:)…\"a\"…NaN") { $0.post("/").body(propertyList: ["a": Double.nan]) },
            RequestRow("a value", "json…\"at[1]\": Unable to encode Double.nan") { $0.post("/").json(Point(at: [0, .nan])) },
            RequestRow("a value that throws something else", "json…Refusal") { $0.post("/").json(Stubborn()) },
            RequestRow("a key with a dot", "params…\"a.b\": it is not") { $0.get("/").params(["a.b": Double.nan]) },
            RequestRow("a key that begins another", "query…\"ab\": it is not") { $0.get("/").params(["a": 1]).query(["ab": Double.nan]) },
            RequestRow("common params", "commonParams…\"c\": it is infinite") { $0.tag("common").get("/").params(["x": 1]) },
            RequestRow("merged common params", "commonParams…\"c\": it is infinite") {
                $0.tag("common").post("/").params(["x": 1]).commonParams(.merged)
            },
            RequestRow("params of the tag", "configure…\"p\": it is infinite") { $0.tag("profile").get("/") },
            RequestRow("cased keys", "params…\"user_id\": it is not") { $0.tag("snake").get("/").params(["userId": Double.nan]) },
        ])
    func wrongValues(row: RequestRow) async {
        await row.checkFault(
            silentClient { client in
                client.configureDefaults { $0.host = "https://h" }
                client.configure("profile") { $0.params = ["p": Double.infinity] }
                client.configure("snake") { snake in
                    snake.parameterStyle = ParameterStyle()
                    snake.parameterStyle?.keyCase = .snake
                }
                client.commonParams { tag in tag == "common" ? ["c": Double.infinity] : [:] }
            })
    }

    @Test("the error of a caller's formatter is kept as the cause")
    func formatter() async {
        struct NoDates: Error {}
        var style = ParameterStyle()
        style.dates = .formatted { _ in throw NoDates() }
        let error = await Self.client().get("/").params(["since": Date(timeIntervalSince1970: 0)]).encoding(style: style).previewFault()
        #expect(error?.message.hasPrefix("params: \"since\": its formatter failed") == true)
        #expect(error?.underlying is NoDates)
    }
}
