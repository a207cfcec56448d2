import Catena
import CatenaTesting
import Foundation
import TestSupport
import Testing

@Suite("Scopes of stubs and other settings", .limitedParallelism)
struct ScopePairsTests {
    @Test("a scope begins with a closed breaker, all turns and all places")
    func limits() async {
        for _ in 0..<2 {
            let stubs = Stubs()
            stubs.get("/a").reply(status: 503)
            await stubs.activate {
                API.configure("pairs-limits") { profile in
                    profile.host = "https://forum.test"
                    profile.circuitBreaker = CircuitBreakerPolicy(minimumCalls: 1)
                    profile.rateLimits = [RateLimit(1, per: .seconds(7200))]
                    profile.maxConcurrentCalls = ConcurrencyLimit(1, maxWaiting: 0)
                }
                let request = API.tag("pairs-limits").get("/a")
                let first = await #expect(throws: APIError.self) { try await request.value(as: Int.self) }
                #expect(first?.status == 503)
                let second = await #expect(throws: APIError.self) { try await request.value(as: Int.self) }
                #expect(second?.kind == .circuitOpen)
            }
        }
    }

    @Test("a call in a scope joins no call of another scope", arguments: [true, false])
    func sharing(isOnce: Bool) async throws {
        let (gate, resolver) = Promise<Void>.pending()
        let (slow, quick) = (Stubs(), Stubs())
        slow.get("/a").reply { _ in
            try await gate.value
            return .reply(data: 1)
        }
        quick.get("/a").reply(data: 2)
        let begin: @Sendable () -> Promise<Int> = {
            let request = API.host("https://forum.test").get("/a")
            return (isOnce ? request.once() : request.set(\.dedupe, true)).execute(as: Int.self)
        }
        let first = await slow.activate { begin() }
        await slow.requestsReceived(1)
        #expect(try await quick.activate { try await begin().value } == 2)
        resolver.fulfill(())
        #expect(try await first.value == 1)
    }

    @Test("the request of a refresh reaches the stubs of the scope in which the call was refused")
    func refresh() async throws {
        let stubs = Stubs()
        stubs.get("/a").header("Authorization", "Bearer old").reply(status: 401)
        stubs.post("/token").reply(data: "new")
        stubs.get("/a").header("Authorization", "Bearer new").reply(data: 7)
        let authenticator = BearerAuthenticator { _ in
            BearerToken(accessToken: try await API.host("https://forum.test").post("/token").value(as: String.self))
        }
        let authentication = Authentication(authenticator, store: MemoryCredentialStore(BearerToken(accessToken: "old")))
        let value = try await stubs.activate {
            API.configure("pairs-refresh") { profile in
                profile.host = "https://forum.test"
                profile.authentication = authentication
            }
            return try await API.tag("pairs-refresh").get("/a").value(as: Int.self)
        }
        #expect(value == 7)
        #expect(stubs.requests.count == 3)
    }

    @Test("loops and values in a scope are answered by its stubs on its clock")
    func loops() async throws {
        let stubs = Stubs()
        stubs.get("/list").query("page", 1).reply(.json(["items": [1], "total": 2]))
        stubs.get("/list").query("page", 2).reply(.json(["items": [2], "total": 2]))
        stubs.get("/job").sequence(.reply(data: 1), .reply(data: 2))
        stubs.get("/value").reply(data: 3)
        stubs.get("/feed").sequence(
            .text("data: 1\n\n", contentType: "text/event-stream"), .text("data: 2\n\n", contentType: "text/event-stream"), .status(204))
        try await stubs.activate {
            let base = API.host("https://forum.test")
            var items: [Int] = []
            for try await item in base.get("/list").items(of: Int.self) { items.append(item) }
            #expect(items == [1, 2])
            _ = try await base.get("/job").poll(every: .seconds(600), until: { (number: Int) in number == 2 })
            var events: [String] = []
            for try await event in base.get("/feed").events() { events.append(event.data) }
            #expect(events == ["1", "2"])
            for try await value in base.get("/value").values(of: Int.self) { #expect(value == 3) }
        }
        #expect(stubs.clock.now >= .seconds(600))
    }
}
