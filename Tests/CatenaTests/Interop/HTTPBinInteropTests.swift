import Catena
import Foundation
import Testing

extension InteropTests {
    @Suite("httpbin", .enabled(if: InteropTests.httpbin != nil)) struct HTTPBin {
        let request: Request

        init() throws {
            request = try InteropTests.request(to: InteropTests.httpbin)
        }

        // MARK: Requests

        @Test(
            "methods and params arrive, in the query or in a JSON body",
            arguments: [(HTTPMethod.get, true), (.delete, true), (.post, false), (.put, false), (.patch, false)])
        func methods(_ method: HTTPMethod, isInQuery: Bool) async throws {
            let echo = try await request.path("/anything").method(method).params(["page": 1]).value()
            #expect(echo.method.string == method.name)
            #expect(echo.args.page.string == (isInQuery ? "1" : nil))
            #expect(echo.json.page.int == (isInQuery ? nil : 1))
        }

        @Test("the response to OPTIONS has its headers and no body")
        func options() async throws {
            let response = try await request.options("/get").execute(.response(as: JSON?.self)).value
            #expect(response.headers["Allow"]?.contains("OPTIONS") == true)
        }

        @Test("the server reads every value of a query")
        func query() async throws {
            let echo = try await request.get("/get").params([
                "ids": [1, 2],
                "room": ["name": "lobby", "open": true] as Params,
                "sum": "1+1",
                "face": "👋🏽",
                "empty": "",
                "space": "a b",
                "marks": "a&b=c#d?e/f%20",
                "left out": nil as String?,
            ]).value()
            let expected = JSON([
                "ids[]": ["1", "2"],
                "room[name]": "lobby",
                "room[open]": "true",
                "sum": "1+1",
                "face": "👋🏽",
                "empty": "",
                "space": "a b",
                "marks": "a&b=c#d?e/f%20",
            ])
            #expect(echo.args == expected)
        }

        @Test("the server reads every value of a form")
        func form() async throws {
            let echo = try await request.post("/post").form(["name": "a b+c&d=é", "ids": [1, 2], "empty": ""]).value()
            #expect(echo.form == JSON(["name": "a b+c&d=é", "ids[]": ["1", "2"], "empty": ""]))
            #expect(echo.headers["Content-Type"].string == "application/x-www-form-urlencoded")
        }

        @Test("a JSON body arrives whole, its numbers exact")
        func json() async throws {
            let body: Params = ["id": Int64.max, "text": "\"\\\u{0}é👋🏽", "none": .null, "list": [1.5, 2]]
            let echo = try await request.put("/put").json(body).value()
            #expect(echo.json == JSON(body))
        }

        @Test("a body of 2 MB arrives whole")
        func bytes() async throws {
            let body = Data(String(repeating: "0123456789abcdef", count: 131_072).utf8)
            let echo = try await request.post("/post").body(body, contentType: "text/plain").value()
            #expect(echo.data.string?.utf8.count == body.count)
            #expect(echo.headers["Content-Length"].string == String(body.count))
        }

        @Test("headers arrive, and removed ones do not")
        func headers() async throws {
            let call = request.get("/headers").headers(["X-Name": "value; a=\"b\"", "X-Gone": "a"]).header("X-Gone", nil)
            let echo = try await call.value()
            #expect(echo.headers["X-Gone"].isNull)
            #expect(echo.headers["X-Name"].string == "value; a=\"b\"")
            #expect(echo.headers["User-Agent"].string?.hasPrefix("Catena") == true)
        }

        // MARK: Responses

        @Test("a call with a 2xx status succeeds", arguments: [200, 201, 204])
        func successes(_ status: Int) async throws {
            try await request.get("/status/\(status)").execute(.void).value
        }

        @Test("a status that is not 2xx is the error's code", arguments: [304, 400, 401, 403, 404, 407, 410, 418, 429, 500, 503])
        func failures(_ status: Int) async throws {
            let error = try await InteropTests.failure(of: request.get("/status/\(status)").execute(.void))
            #expect(error.kind == .status)
            #expect(error.status == status)
            #expect(error.code == .integer(status))
        }

        @Test(
            "a compressed response is decompressed", arguments: [("gzip", "gzipped"), ("deflate", "deflated"), ("brotli", "brotli")])
        func compression(path: String, flag: String) async throws {
            // Foundation leaves decompression to libcurl, which may have been built without Brotli.
            if path == "brotli", Engine.isReplaced, LoadedLibcurl.words?.contains("brotli") == false { return }
            #expect(try await request.get("/\(path)").value()[flag].bool == true)
        }

        @Test("a chunked response is received whole")
        func chunked() async throws {
            let data = try await request.get("/stream-bytes/100000").query(["chunk_size": 777, "seed": 1]).execute(.data).value
            #expect(data.count == 100_000)
        }

        @Test("the response to HEAD has a length and no body")
        func head() async throws {
            let response = try await request.head("/bytes/1000").execute(.response(as: JSON?.self)).value
            #expect(response.headers["Content-Length"] == "1000")
            #expect(response.body.isEmpty)
        }

        @Test("a response over the limit is refused")
        func limit() async throws {
            let request = try InteropTests.request(to: InteropTests.httpbin, bodyLimit: 1000)
            #expect(try await request.get("/bytes/1000").execute(.data).value.count == 1000)
            let error = try await InteropTests.failure(of: request.get("/bytes/1001").execute(.void))
            #expect(error.kind == .bodyTooLarge)
        }

        // MARK: Time

        @Test("a response that takes too long is a timeout")
        func timeout() async throws {
            let error = try await InteropTests.failure(of: request.get("/delay/5").timeout(.milliseconds(200)).execute(.void))
            #expect(error.kind == .timeout)
            #expect(error.code == 110)
        }

        @Test("a response that ends too late is a timeout")
        func slowBody() async throws {
            let slow = request.get("/drip").query(["duration": 5, "numbytes": 5, "delay": 0])
            let error = try await InteropTests.failure(of: slow.timeout(.milliseconds(200)).execute(.void))
            #expect(error.kind == .timeout)
        }

        @Test("a cancelled call ends as cancelled, and the next one works")
        func cancellation() async throws {
            let promise: Promise<Void> = request.get("/delay/5").execute(.void)
            promise.cancel()
            await #expect(throws: CancellationError.self) { try await promise.value }
            let task = Task { try await request.get("/delay/5").value() }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await request.get("/get").value().args == JSON([:] as Params))
        }

        // MARK: Sign-in

        @Test(
            "a challenge without credentials fails the call with a 401",
            arguments: ["/basic-auth/ann/made-up", "/digest-auth/auth/ann/made-up", "/bearer"])
        func challenge(path: String) async throws {
            let error = try await InteropTests.failure(of: request.get(path).execute(.void))
            #expect(error.status == 401)
        }

        @Test("credentials in a header are accepted")
        func basic() async throws {
            let credentials = Data("ann:made-up".utf8).base64EncodedString()
            let answer = try await request.get("/basic-auth/ann/made-up").header("Authorization", "Basic \(credentials)").value()
            #expect(answer.authenticated.bool == true)
        }
    }
}
