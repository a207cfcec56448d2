import Foundation
import Testing

@testable import Catena

@Suite("Redirect rules", .limitedParallelism)
struct RedirectRulesTests {
    private static let headers: HTTPHeaders = [
        "Accept": "*/*", "User-Agent": "Catena", "Authorization": "Bearer t", "Cookie": "a=1", "X-Api-Key": "k",
    ]

    private static func request(_ method: HTTPMethod, _ address: String, body: String? = nil) throws -> HTTPRequest {
        var headers = Self.headers
        if body != nil {
            headers.merge(["Content-Type": "text/plain", "Content-Encoding": "gzip", "content-language": "de", "Digest": "d"])
        }
        return HTTPRequest(
            method: method, address: try HTTPAddress(parsing: address), headers: headers, body: body.map { Data($0.utf8) })
    }

    private static func next(_ status: Int, _ location: String, after request: HTTPRequest) throws -> HTTPRequest? {
        try Self.next(status, ["location": location], after: request)
    }

    private static func next(_ status: Int, _ headers: HTTPHeaders, after request: HTTPRequest) throws -> HTTPRequest? {
        try RedirectRules.next(after: HTTPResponse(status: status, headers: headers, address: request.address), to: request)
    }

    @Test(
        "statuses other than 301, 302, 303, 307 and 308 are not followed",
        arguments: [200, 201, 204, 300, 304, 305, 306, 309, 399, 400, 401, 500])
    func otherStatuses(status: Int) throws {
        #expect(try Self.next(status, "/b", after: Self.request(.get, "https://h/a")) == nil)
    }

    @Test("a response without a location is no redirect", arguments: [301, 302, 303, 307, 308])
    func withoutLocation(status: Int) throws {
        #expect(try Self.next(status, ["X": "/b"], after: Self.request(.get, "https://h/a")) == nil)
    }

    @Test("the status determines method and body of the redirected request in the same origin")
    static func methodsRows() {
        each(
            [
                (301, HTTPMethod.get, HTTPMethod.get, false), (301, .head, .head, false), (301, .post, .get, false),
                (301, .put, .put, true),
                (301, .patch, .patch, true), (301, .delete, .delete, true), (301, "PURGE", "PURGE", true),
                (302, .get, .get, false), (302, .head, .head, false), (302, .post, .get, false), (302, .put, .put, true),
                (302, .delete, .delete, true),
                (303, .get, .get, false), (303, .head, .head, false), (303, .post, .get, false), (303, .put, .get, false),
                (303, .delete, .get, false),
                (303, "PURGE", .get, false),
                // The exceptions for POST do not apply to QUERY.
                (301, .query, .query, true), (302, .query, .query, true), (303, .query, .get, false), (307, .query, .query, true),
                (308, .query, .query, true),
                (307, .get, .get, false), (307, .head, .head, false), (307, .post, .post, true), (307, .patch, .patch, true),
                (308, .get, .get, false), (308, .post, .post, true), (308, .put, .put, true), (308, .delete, .delete, true),
            ] as [(Int, HTTPMethod, HTTPMethod, Bool)]
        ) { try Self().methods(status: $0, method: $1, expected: $2, keepsBody: $3) }
    }

    func methods(status: Int, method: HTTPMethod, expected: HTTPMethod, keepsBody: Bool) throws {
        let mayHaveBody = method != .get && method != .head
        let request = try Self.request(method, "https://h/a", body: mayHaveBody ? "x" : nil)
        let next = try #require(try Self.next(status, "/b?c=1", after: request))
        #expect(next.method == expected)
        #expect(next.address.text == "https://h/b?c=1")
        #expect(next.body == (keepsBody ? Data("x".utf8) : nil))
        #expect(next.headers == (keepsBody ? request.headers : Self.headers))
    }

    @Test(
        "headers that belong to an origin are not sent to another one",
        arguments: [
            ("https://h/a", "https://h:443/b", true), ("https://h/a", "https://H/b", true), ("https://h:8443/a", "//h:8443/b", true),
            ("http://h/a", "http://h:80/b", true), ("http://[::1]/a", "http://[0:0::1]/b", true),
            ("https://münchen.de", "https://xn--mnchen-3ya.de/b", true),
            ("https://h/a", "https://h:8443/b", false), ("https://h:8443/a", "https://h/b", false), ("https://h/a", "https://g/b", false),
            ("https://h/a", "//g/b", false), ("https://h/a", "https://h.g/b", false), ("https://h/a", "https://sub.h/b", false),
            ("http://h/a", "https://h/b", false), ("http://h:443/a", "https://h/b", false), ("https://h/a", "https://h@g/b", false),
            ("http://127.0.0.1/a", "http://localhost/a", false),
        ])
    func origins(address: String, location: String, isSame: Bool) throws {
        for status in [301, 302, 303, 307, 308] {
            let next = try #require(try Self.next(status, location, after: Self.request(.get, address)))
            #expect(next.headers == (isSame ? Self.headers : ["Accept": "*/*", "User-Agent": "Catena"]))
        }
    }

    @Test("user information in a location is dropped and never used")
    func userInformation() throws {
        let next = try #require(try Self.next(302, "https://user:pw@h/b", after: Self.request(.get, "https://h/a")))
        #expect(next.address.text == "https://h/b")
        #expect(next.headers == Self.headers)
    }

    private func message(_ status: Int, _ locations: [String], _ request: HTTPRequest) -> String? {
        let error = #expect(throws: APIError.self) {
            try Self.next(status, HTTPHeaders(locations.map { .init(name: "Location", value: $0) }), after: request)
        }
        #expect(error?.kind == .redirect)
        return error?.message
    }

    @Test("a redirect from https to http is refused", arguments: ["http://h/b", "http://h:443/b", "http://g/b"])
    func downgrade(location: String) throws {
        #expect(message(302, [location], try Self.request(.get, "https://h/a")) == "The response leads from https to http.")
    }

    @Test(
        "a redirect that would send a body to another origin is refused",
        arguments: [(307, HTTPMethod.post), (308, .put), (301, .put), (302, .patch)])
    func bodyElsewhere(status: Int, method: HTTPMethod) throws {
        let request = try Self.request(method, "https://h/a", body: "x")
        #expect(message(status, ["https://g/b"], request) == "The response asks for the body to be sent to another origin, https://g.")
        // A redirect of a request without a body is followed.
        #expect(try Self.next(status, "https://g/b", after: Self.request(method, "https://h/a"))?.method == method)
    }

    @Test("a redirect that drops the body may lead to another origin", arguments: [301, 302, 303])
    func droppedBodyElsewhere(status: Int) throws {
        let next = try #require(try Self.next(status, "https://g/b", after: Self.request(.post, "https://h/a", body: "x")))
        #expect(next.method == .get)
        #expect(next.body == nil)
        #expect(next.headers == ["Accept": "*/*", "User-Agent": "Catena"])
    }

    @Test("two different locations are refused, two equal ones are not")
    func twoLocations() throws {
        let request = try Self.request(.get, "https://h/a")
        #expect(message(302, ["/b", "/c"], request) == "The response names two different places to go to.")
        let fields = ["/b", "/b"].map { HTTPHeaders.Field(name: "Location", value: $0) }
        #expect(try Self.next(302, HTTPHeaders(fields), after: request)?.address.text == "https://h/b")
    }

    // `HTTPAddressResolvingTests` has the other invalid references.
    @Test(
        "a location that cannot be used is refused, with the reason",
        arguments: [
            ("", "it is empty"), ("file:///etc/passwd", "the scheme \"file\" is neither http nor https"), ("https://", "it has no host"),
            ("/\u{FFFD}", "it is not text"), ("/a\r\nX: y", "it contains a control character"),
        ])
    func unusable(location: String, reason: String) throws {
        let message = message(302, [location], try Self.request(.get, "https://h/a"))
        #expect(message == "The response leads to an address that cannot be used: \(reason).")
    }
}
