import Catena
import CatenaHTTPTypes
import CatenaTesting
import Foundation
import HTTPTypes
import Testing

// Aliases, because an expression in a macro cannot begin with the name of a module.
private typealias Request = Catena.HTTPRequest
private typealias Response = Catena.HTTPResponse
private typealias Head = HTTPTypes.HTTPRequest
private typealias ResponseHead = HTTPTypes.HTTPResponse

@Suite("swift-http-types") struct HTTPTypesTests {
    private func request(_ text: String) throws -> Request {
        Request(method: .get, address: try #require(HTTPAddress(text)))
    }

    @Test("headers keep their order, their repetitions and the case of their names")
    func headers() throws {
        let headers = HTTPHeaders([
            .init(name: "Set-Cookie", value: "a=1"), .init(name: "x-Odd", value: ""), .init(name: "set-cookie", value: "b=\u{e9}"),
        ])
        let fields = try #require(HTTPFields(headers))
        #expect(fields[values: .setCookie] == ["a=1", "b=\u{e9}"])
        #expect(HTTPHeaders(fields) == headers)
    }

    @Test(
        "an invalid header field is refused instead of being changed",
        arguments: [("a b", "1"), ("", "1"), (":path", "/"), ("X-A", "a\r\nb"), ("X-A", "a\0"), ("X-A", " a")])
    func invalid(name: String, value: String) {
        #expect(HTTPFields(HTTPHeaders([.init(name: name, value: value)])) == nil)
    }

    @Test("a prepared request is converted to swift-http-types and back")
    func wholeRequest() async throws {
        let client = Client(testing: Stubs())
        let request = try await client.host("http://h:8080/api").post("/a b").query(["q": "1&2"]).header("X-A", "1").json(["n": 1])
            .preview()
        let converted = try #require(Head(request))
        #expect(converted.method == .post)
        #expect(converted.scheme == "http")
        #expect(converted.authority == "h:8080")
        #expect(converted.path == "/api/a%20b?q=1%262")
        #expect(converted.headerFields[try #require(HTTPField.Name("X-A"))] == "1")
        let back = try #require(Request(converted, body: request.body))
        #expect(back == request)
    }

    @Test(
        "addresses with IPv6 and default ports are converted and back", arguments: ["https://[::1]:8443/", "https://h/", "http://h:443/?"])
    func addresses(text: String) throws {
        let request = try request(text)
        let converted = try #require(Head(request))
        #expect(Request(converted)?.address.text == text)
    }

    @Test(
        "a head that is no absolute http address is refused",
        arguments: [
            (nil, "h", "/"), ("https", nil, "/"), ("https", "h", nil), ("ftp", "h", "/"), ("https", "h", "*"), ("https", "h/a", "/"),
            ("https", "ann@h", "/"), ("https", "h?", "/"), ("https", "", "/"), ("https", "h", "@evil.test/"),
        ] as [(String?, String?, String?)])
    func noAddress(scheme: String?, authority: String?, path: String?) {
        #expect(Request(Head(method: .get, scheme: scheme, authority: authority, path: path)) == nil)
    }

    @Test("methods keep their case")
    func methods() throws {
        for name in ["GET", "PURGE", "purge"] {
            let method = try #require(Head.Method(HTTPMethod(name)))
            #expect(method.rawValue == name)
            #expect(HTTPMethod(method) == HTTPMethod(name))
        }
        #expect(Head.Method(HTTPMethod("a b")) == nil)
    }

    @Test("a response is converted to swift-http-types and back")
    func response() throws {
        let address = try #require(HTTPAddress("https://h/"))
        let response = Response(status: 404, headers: ["Content-Type": "text/plain"], body: Data("no".utf8), address: address)
        let converted = try #require(ResponseHead(response))
        #expect(converted.status == .notFound)
        #expect(Response(converted, body: response.body, address: address) == response)
        for status in [-1, 0, 99, 1000] {
            #expect(ResponseHead(Response(status: status, address: address)) == nil)
        }
    }

    @Test("a transport can return a head of swift-http-types")
    func transport() async throws {
        struct Canned: Transport {
            func send(_ request: Request) async throws -> TransportResponse {
                let head = ResponseHead(status: .accepted, headerFields: [.eTag: "7"])
                return TransportResponse(head, body: TransportBody(Data("7".utf8)))
            }
        }
        let response = try await Client(transport: Canned()).host("https://h").get("/").response(as: Int.self)
        #expect(response.status == 202)
        #expect(response.headers["ETag"] == "7")
        #expect(response.payload == 7)
    }
}
