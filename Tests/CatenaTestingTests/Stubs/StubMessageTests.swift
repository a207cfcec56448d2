import Catena
import CatenaTesting
import Foundation
import Testing

/// The messages for the most common mistakes with stubs.
@Suite(.limitedParallelism) struct StubMessageTests {
    let stubs = Stubs()
    let client: Client

    init() {
        client = Client(testing: stubs)
        client.configure("forum") { $0.host = "https://forum.example.com" }
    }

    func message(_ request: Request) async -> String? {
        await #expect(throws: APIError.self) { try await request.value() }?.message
    }

    @Test("the error of a wrong path names the nearest stub with its file and line")
    func wrongPath() async {
        stubs.get("/v1/rooms").reply(data: 1)
        stubs.get("/v1/users").reply(data: 1); let line = #line
        #expect(
            await message(client.tag("forum").get("/v1/user").params(["page": 1]))
                == "No stub answers GET https://forum.example.com/v1/user?page=1 (tag forum). The nearest is GET /v1/users "
                + "(StubMessageTests.swift:\(line)), but the path is /v1/user.")
    }

    @Test("the error of a missing query item names it")
    func missingItem() async {
        stubs.get("/v1/users").query(["page": 2]).reply(data: 1); let line = #line
        stubs.get("/v1/rooms").reply(data: 1)
        #expect(
            await message(client.get("/v1/users"))
                == "No stub answers GET https://stubs.test/v1/users. The nearest is GET /v1/users (StubMessageTests.swift:\(line)), "
                + "but the query item page is missing.")
    }

    @Test("the error of a wrong body names the first different member and hides secrets")
    func wrongBody() async {
        stubs.post("/login").json(["email": "a@b.c", "password": "made-up"]).reply(data: 1); let line = #line
        #expect(
            await message(client.post("/login").params(["email": "x@b.c", "password": "made-up"]))
                == "No stub answers POST https://stubs.test/login. The nearest is POST /login (StubMessageTests.swift:\(line)), "
                + #"but the body's email is "x@b.c", not "a@b.c"."#)
    }

    @Test("verify names an unused stub and the stub that replied in its place")
    func unusedStub() async throws {
        stubs.get("/v1/**").reply(data: 1); let first = #line
        stubs.get("/v1/users").reply(data: 2); let second = #line
        stubs.get("/v2/users").reply(data: 3); let third = #line
        stubs.get("/v1/rooms").times(2).reply(data: 4)
        _ = try await client.get("/v1/users").value()
        let failure = try #require(#expect(throws: StubFailure.self) { try stubs.verify() })
        let lines = failure.description.split(separator: "\n").map(String.init)
        #expect(lines.count == 3)
        #expect(
            Array(lines.prefix(2)) == [
                "The stub GET /v1/users (StubMessageTests.swift:\(second)) was never used: GET /v1/** (StubMessageTests.swift:\(first)) "
                    + "comes first and answered in its place.",
                "The stub GET /v2/users (StubMessageTests.swift:\(third)) was never used.",
            ])
        #expect(failure.localizedDescription == failure.description)
    }

    @Test("the error of a call after the end of a sequence names the sequence")
    func exhausted() async throws {
        stubs.get("/v1/rooms/*").sequence(.reply(data: 1), .reply(data: 2)); let line = #line
        for _ in 0..<2 { _ = try await client.get("/v1/rooms/7").value() }
        let wanted =
            "GET /v1/rooms/* (StubMessageTests.swift:\(line)) has given all of its 2 replies, and "
            + "GET https://stubs.test/v1/rooms/7 is one more."
        #expect(await message(client.get("/v1/rooms/7")) == wanted)
        #expect(#expect(throws: StubFailure.self) { try stubs.verify() }?.description == wanted)
    }

    @Test("errors name stubs that were called more or less often than declared")
    func counts() async throws {
        stubs.get("/a").times(1).reply(data: 1); let first = #line
        stubs.get("/b").times(3).reply(data: 1); let second = #line
        stubs.get("/c").sequence(.reply(data: 1), .reply(data: 1)); let third = #line
        for path in ["/a", "/b", "/c"] { _ = try await client.get(path).value() }
        #expect(
            await message(client.get("/a"))
                == "GET /a (StubMessageTests.swift:\(first)) was for 1 call only, and GET https://stubs.test/a is one more.")
        #expect(
            #expect(throws: StubFailure.self) { try stubs.verify() }?.description.split(separator: "\n").prefix(2) == [
                "The stub GET /b (StubMessageTests.swift:\(second)) was used 1 time, not 3 times.",
                "The stub GET /c (StubMessageTests.swift:\(third)) gave 1 of its 2 replies.",
            ])
    }

    @Test("the error says if there are no stubs, or if host or method differ")
    func elsewhere() async {
        #expect(await message(client.get("/a")) == "No stub answers GET https://stubs.test/a: there are no stubs.")
        stubs.get("https://other.test/a").reply(data: 1); let line = #line
        #expect(
            await message(client.post("/a"))
                == "No stub answers POST https://stubs.test/a. The nearest is GET https://other.test/a (StubMessageTests.swift:\(line)), "
                + "but the method is POST; the host is https://stubs.test.")
    }

    @Test("the error of an unmet closure condition gives its file and line")
    func condition() async {
        stubs.get("/a").when { _ in false }.reply(data: 1); let line = #line
        #expect(await message(client.get("/a"))?.hasSuffix("but the condition at StubMessageTests.swift:\(line) is not met.") == true)
    }

    @Test("the differences of a call hide what its tag knows to be secret, by name and by value")
    func secretsOfTag() async {
        client.configure("forum") { forum in
            forum.secrets.add(params: "seed")
            forum.secrets.add(values: "made-up-0123456789")
        }
        stubs.post("/a").json(["note": "b", "seed": "c"]).reply(data: 1)
        stubs.post("/b/made-up").query("q", "d").reply(data: 1)
        let request = client.tag("forum").post("/a").json(["note": "say made-up-0123456789", "seed": "s33d"])
        #expect(await message(request)?.hasSuffix("but the body's note is \"say ***\", not \"b\".") == true)
        let other = client.tag("forum").post("/b/made-up").query(["q": "made-up-0123456789"])
        #expect(await message(other)?.hasSuffix("but the query item q is ***, not d.") == true)
        let seed = client.tag("forum").post("/a").json(["note": "b", "seed": "s33d"])
        #expect(await message(seed)?.contains("s33d") == false)
    }

    @Test("a call without a stub is not retried, and its error hides secrets")
    func notTriedAgain() async {
        let request = client.get("/a").params(["token": "made-up"]).retry(.exponential(limit: 3))
        let error = await #expect(throws: APIError.self) { try await request.value() }
        #expect(stubs.requests.count == 1)
        #expect(error.map { "\($0)" }?.contains("made-up") == false)
        #expect(#expect(throws: StubFailure.self) { try stubs.verify() }?.description.contains("token=***") == true)
    }
}
