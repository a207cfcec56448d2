import Catena
import Foundation
import Testing

extension InteropTests {
    @Suite("httpbin redirects", .enabled(if: InteropTests.httpbin != nil)) struct Redirects {
        let request: Request

        init() throws {
            request = try InteropTests.request(to: InteropTests.httpbin)
        }

        @Test("redirects are followed", arguments: ["/redirect/3", "/relative-redirect/3", "/absolute-redirect/3"])
        func followed(path: String) async throws {
            let response = try await request.get(path).execute(.response(as: JSON.self)).value
            #expect(response.status == 200)
            #expect(response.url.path() == "/get")
        }

        @Test("redirects have a limit")
        func limited() async throws {
            let error = try await InteropTests.failure(of: request.get("/relative-redirect/21").execute(.void))
            #expect(error.kind == .tooManyRedirects)
        }

        @Test(
            "a redirected POST becomes a GET after 301, 302 and 303, and stays a POST after 307 and 308",
            arguments: [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
        func methods(status: Int, method: String) async throws {
            let echo = try await request.post("/redirect-to").query(["url": "/anything", "status_code": status]).json(["a": 1]).value()
            #expect(echo.method.string == method)
            #expect(echo.json.a.int == (method == "POST" ? 1 : nil))
        }

        @Test("credentials stay within their origin", arguments: [(false, "made-up"), (true, nil)])
        func credentials(leaves: Bool, token: String?) async throws {
            let own = try #require(InteropTests.httpbin)
            // Another name for one server is another origin.
            let target = leaves ? own.replacing("127.0.0.1", with: "localhost") : own
            #expect(leaves == (target != own), "the server is named by its number")
            let echo = try await request.get("/redirect-to").query(["url": target + "/headers"])
                .headers(["Authorization": "made-up", "X-Token": "made-up", "Accept-Language": "en"]).value()
            #expect(echo.headers.Authorization.string == token)
            #expect(echo.headers["X-Token"].string == token)
            #expect(echo.headers["Accept-Language"].string == "en")
        }

        @Test("a redirect that would send a body to another origin fails the call")
        func body() async throws {
            let other = try #require(InteropTests.httpbin).replacing("127.0.0.1", with: "localhost")
            let call = request.post("/redirect-to").query(["url": other + "/post", "status_code": 307]).json(["a": 1])
            #expect(try await InteropTests.failure(of: call.execute(.void)).kind == .redirect)
        }
    }
}
