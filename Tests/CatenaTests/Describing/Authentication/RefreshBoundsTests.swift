import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Bounds of a refresh", .limitedParallelism)
struct RefreshBoundsTests {
    let stubs = Stubs()

    private func client(_ authentication: Authentication<CountingScheme>) -> Client {
        let client = Client(testing: stubs)
        client.configure("forum") { forum in
            forum.host = "https://forum.test"
            forum.authentication = authentication
        }
        return client
    }

    @Test("a call that a refresh starts has no credential while the refresh runs, and has one afterwards")
    func outliving() async throws {
        let (gate, opening) = Promise<Void>.pending()
        let (late, lateEnd) = Promise<Int>.pending()
        let client = Client(testing: stubs)
        let scheme = CountingScheme { stamp in
            try await client.tag("forum").get("/within").execute(.void).value
            Task {
                try await gate.value
                lateEnd.fulfill(try await client.tag("forum").get("/later").value(as: Int.self))
            }
            return Stamp(number: stamp.number + 1)
        }
        client.configure("forum") { $0.authentication = Authentication(scheme, store: MemoryCredentialStore(.first)) }
        stubs.get("/a").reply { call in call.headers["X-Token"] == "a1" ? .reply(data: 7) : .status(401) }
        stubs.get("/within").reply(data: 1)
        stubs.get("/later").reply(data: 2)
        #expect(try await client.tag("forum").get("/a").value(as: Int.self) == 7)
        opening.fulfill(())
        #expect(try await late.value == 2)
        #expect(stubs.requests(to: "/within").map { $0.headers["X-Token"] } == [nil])
        #expect(stubs.requests(to: "/later").map { $0.headers["X-Token"] } == ["a1"])
    }

    @Test("a route that refuses every credential does not use up the refreshes of other routes")
    func stubbornRoute() async throws {
        let scheme = CountingScheme()
        let authentication = Authentication(
            scheme, store: MemoryCredentialStore(.first), window: RefreshWindow(limit: 2, per: .seconds(30)))
        let client = client(authentication)
        stubs.get("/forbidden").reply(status: 401)
        stubs.get("/a").reply { call in call.headers["X-Token"] == "a2" ? .reply(data: 7) : .status(401) }
        for _ in 0..<10 {
            let error = await #expect(throws: APIError.self) {
                try await client.tag("forum").get("/forbidden").params(["n": 1]).value()
            }
            #expect(error?.status == 401)
        }
        #expect(scheme.refreshed.count == 1)
        #expect(try await client.tag("forum").get("/a").value(as: Int.self) == 7)
    }

    @Test("a refused route may refresh again after the window or another sign-in")
    func forgiven() async throws {
        let clock = VirtualClock()
        let scheme = CountingScheme()
        let authentication = Authentication(scheme, store: MemoryCredentialStore(.first))
        let client = Client(testing: stubs, clock: clock)
        client.configure("forum") { $0.authentication = authentication }
        stubs.get("/a").reply(status: 401)
        let request = client.tag("forum").get("/a")
        for _ in 0..<2 { await #expect(throws: APIError.self) { try await request.value() } }
        #expect(scheme.refreshed.count == 1)
        clock.advance(by: .seconds(30))
        await #expect(throws: APIError.self) { try await request.value() }
        #expect(scheme.refreshed.count == 2)
        try authentication.signIn(Stamp(number: 9))
        await #expect(throws: APIError.self) { try await request.value() }
        #expect(scheme.refreshed.count == 3)
    }

    @Test("a refused Authorization header of the call or an interceptor does not start a refresh", arguments: [true, false])
    func ownAuthorization(isIntercepted: Bool) async throws {
        let refreshes = Counter()
        let scheme = BearerAuthenticator { old in
            refreshes.increment()
            return old
        }
        let client = Client(testing: stubs)
        client.configure("forum") {
            $0.authentication = Authentication(scheme, store: MemoryCredentialStore(BearerToken(accessToken: "t", user: "7")))
        }
        stubs.get("/a").reply(status: 401)
        var request = client.tag("forum").get("/a")
        if isIntercepted {
            client.intercept("own", .after(.authentication)) { call, next in
                var call = call
                call.request.headers["Authorization"] = "Basic abc"
                return try await next(call)
            }
        } else {
            request = request.header("Authorization", "Basic abc")
        }
        let error = await #expect(throws: APIError.self) { try await request.value() }
        #expect(error?.status == 401)
        #expect(refreshes.count == 0)
        #expect(stubs.requests.map { $0.headers["Authorization"] } == ["Basic abc"])
    }
}
