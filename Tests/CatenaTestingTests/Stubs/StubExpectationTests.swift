import Catena
import CatenaTesting
import Foundation
import Testing

@Suite(.limitedParallelism) struct StubExpectationTests {
    let stubs = Stubs()

    init() async throws {
        let client = Client(testing: stubs)
        client.onDiagnostic { _ in }
        stubs.on(nil, "/**").reply(data: 1)
        _ = try await client.post("/login").params(["email": "a@b.c", "password": "made-up"]).value()
        _ = try await client.get("/me").query(["page": 1]).header("X-Token", "made-up").value()
        _ = try await client.get("/me").query(["page": 2]).header("X-Token", "made-up").value()
        _ = try await client.tag("shop").post("/order").form(["n": 3]).value()
        _ = try await client.put("/raw").body(Data("raw".utf8), contentType: "text/plain").value()
    }

    func message(_ body: () throws -> Void) -> String? {
        #expect(throws: StubFailure.self, performing: body)?.description
    }

    @Test("expectations pass for calls that meet them")
    func met() throws {
        try stubs.expect(.post, "/login").json(["email": "a@b.c", "password": "made-up"]).header("X-Token", nil).times(1)
        try stubs.expect(.post, "/login").json(containing: ["email": "a@b.c"])
        try stubs.expect(.get, "/me").times(2).query(["page": 2]).times(1).header("x-token", "made-up")
        try stubs.expect(.get, "/me").query("page", 2).query("size", nil).times(1)
        try stubs.expect(nil, "/order").tag("shop").form(["n": 3])
        try stubs.expect(.put, "/{any}").body(Data("raw".utf8)).when { $0.text == "raw" }
        try stubs.expect(.post, "/login").then(.get, "/me").times(2).then(.post, "/order").then(.put, "/raw")
        try stubs.expectNone(.delete, "/**")
        #expect(try stubs.expect(.get, "/me").requests.map { $0.query("page") } == ["1", "2"])
    }

    @Test("the failure of a missing call names the nearest call")
    func missing() {
        #expect(
            message { try stubs.expect(.get, "/login") }
                == "GET /login was not called. The nearest call is POST https://stubs.test/login, but the method is POST.")
        #expect(message { try Stubs().expect(.get, "/login") } == "GET /login was not called: nothing was.")
    }

    @Test("the failure of an unmet condition shows the values of the calls, without secrets")
    func notMet() {
        #expect(
            message { try stubs.expect(.post, "/login").json(["email": "x@b.c", "password": "made-up"]) }
                == #"POST /login was called 1 time, but the body's email is "a@b.c", not "x@b.c"."#)
        #expect(
            message { try stubs.expect(.get, "/me").query(["page": 3]) }
                == "GET /me was called 2 times, but the query item page is 1, not 3; the query item page is 2, not 3.")
        #expect(
            message { try stubs.expect(.get, "/me").query("page", nil) }
                == "GET /me was called 2 times, but the query item page is there.")
        #expect(
            message { try stubs.expect(.post, "/login").query("page", 1) }
                == "POST /login was called 1 time, but the query item page is missing.")
        #expect(
            message { try stubs.expect(.get, "/me").header("X-Token", "other") }
                == "GET /me was called 2 times, but the header X-Token is not the expected one "
                + "(it is not shown, since it looks like a secret).")
        #expect(message { try stubs.expect(.get, "/me").times(1) } == "GET /me was called as expected 2 times, not 1 time.")
        #expect(
            message { try stubs.expectNone(.get, "/me") }
                == "GET /me was called 2 times, but was not to be: GET https://stubs.test/me?page=1.")
    }

    @Test("calls in another order fail with the actual order")
    func wrongOrder() {
        #expect(message { try stubs.expect(.get, "/me").then(.post, "/login") } == "POST /login after GET /me was not called, only before.")
    }
}
