import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena
@testable import CatenaFleet

@Suite("A circuit breaker for each route", .limitedParallelism)
struct RouteBreakersTests {
    private let stubs = Stubs()

    private static let policy = CircuitBreakerPolicy(minimumCalls: 2, pause: .seconds(5), scope: .route)

    private func client(clock: VirtualClock? = nil, _ change: (inout Profile) -> Void = { _ in }) -> Client {
        let client = Client(testing: stubs, clock: clock)
        client.configure("forum") { forum in
            forum.circuitBreaker = Self.policy
            change(&forum)
        }
        return client
    }

    private func fail(_ request: Request, _ count: Int = 2) async {
        for _ in 0..<count { _ = await request.execute(.void).result }
    }

    @Test("a failing route is refused, whatever its values, and the other routes of the tag are not")
    func separate() async throws {
        stubs.get("/rooms/*").reply(status: 500)
        stubs.get("/users").reply(data: 1)
        let request = client().tag("forum")
        for room in 0..<2 { _ = await request.get("/rooms/\(room)").execute(.void).result }
        let error = await request.get("/rooms/\(7)").execute(.void).result.apiError
        #expect(error?.kind == .circuitOpen)
        #expect(error?.message.contains("The route /rooms/{} has failed too often") == true)
        #expect(error?.retryAfter == .seconds(5))
        try await request.get("/users").execute(.void).value
        // A path with a name is another route, although the address is equal.
        #expect(await request.get("/rooms/{room}").params(["room": 7]).execute(.void).result.apiError?.status == 500)
        #expect(stubs.requests.count == 4)
    }

    @Test("names of a path, its params and the method do not make another route")
    func names() async {
        stubs.on(nil, "/rooms/*").reply(status: 500)
        let request = client().tag("forum")
        _ = await request.get("/rooms/{room}").params(["room": 1]).execute(.void).result
        _ = await request.put("/rooms/{room}?x=1").params(["room": 2]).execute(.void).result
        #expect(await request.delete("/rooms/{room}").params(["room": 3]).execute(.void).result.apiError?.kind == .circuitOpen)
    }

    @Test("after the pause one call of the route is the probe")
    func probe() async throws {
        let clock = VirtualClock()
        let isWell = Counter()
        stubs.get("/a").reply { _ in isWell.count > 0 ? .reply(data: 1) : .status(503) }
        let client = client(clock: clock)
        let request = client.tag("forum").get("/a")
        await fail(request)
        #expect(await request.execute(.void).result.apiError?.kind == .circuitOpen)
        #expect(client.circuitBreakerStatus(of: "forum", route: "/a") == .open)
        #expect(client.circuitBreakerStatus(of: "forum", route: "/b") == nil)
        #expect(client.circuitBreakerStatus(of: "forum") == .open)
        clock.advance(by: .seconds(5))
        #expect(client.circuitBreakerStatus(of: "forum") == .halfOpen)
        isWell.increment()
        try await request.execute(.void).value
        #expect(client.circuitBreakerStatus(of: "forum", route: "/a") == .closed)
        #expect(client.circuitBreakerStatus(of: "forum") == .closed)
    }

    @Test("a path with interpolated values names the route of the status, too")
    func status() async {
        stubs.get("/rooms/*").reply(status: 500)
        let client = client()
        await fail(client.tag("forum").get("/rooms/\(1)"))
        #expect(client.circuitBreakerStatus(of: "forum", route: "/rooms/\("any")") == .open)
        client.configure("forum") { $0.circuitBreaker?.scope = .tag }
        _ = await client.tag("forum").get("/rooms/\(1)").execute(.void).result
        #expect(client.circuitBreakerStatus(of: "forum", route: "/rooms/\(1)") == nil)
        #expect(client.circuitBreakerStatus(of: "forum") == .closed)
    }

    @Test("another change of the tag keeps the state of its routes, and a changed policy begins anew")
    func reconfigured() async {
        stubs.get("/a").reply(status: 500)
        let client = client()
        let request = client.tag("forum").get("/a")
        await fail(request)
        client.configure("forum") { $0.rateLimits = [RateLimit(100, per: .seconds(1))] }
        #expect(await request.execute(.void).result.apiError?.kind == .circuitOpen)
        client.configure("forum") { $0.circuitBreaker?.window = .seconds(40) }
        #expect(await request.execute(.void).result.apiError?.status == 500)
    }

    @Test("a call that waits in the chain reports to the breaker that admitted it")
    func chained() async {
        stubs.get("/a").reply(status: 500)
        let request = client().tag("forum").get("/a").before { _ = try await Promise { 1 }.value }.set(
            \.interceptors, [Interceptor("call") { call, next in try await next(call) }])
        await fail(request)
        #expect(await request.execute(.void).result.apiError?.kind == .circuitOpen)
    }

    // MARK: The number of routes

    private static func open(_ breaker: CircuitBreaker) async {
        for _ in 0..<2 { try? await breaker.run { () async throws -> Void in throw APIError(.connect) } }
    }

    @Test("of more than a thousand routes, the closed one that was not used for longest goes")
    func limit() async {
        let breakers = RouteBreakers(Self.policy, clock: VirtualClock(), sharing: nil)
        for route in 0..<RouteBreakers.most {
            let breaker = breakers.breaker(of: "/\(route)")
            if route == 0, let breaker { await Self.open(breaker.local) }
        }
        // Route 0 is open, and route 1 has been used.
        _ = breakers.breaker(of: "/1")
        #expect(breakers.breaker(of: "/new") != nil)
        #expect(breakers.status(of: "/0") == .open)
        #expect(breakers.status(of: "/1") == .closed)
        #expect(breakers.status(of: "/2") == nil)
        #expect(breakers.status(of: "/3") == .closed)
        #expect(breakers.status(of: "/new") == .closed)
    }

    @Test("if a thousand routes are open, the calls of a further route are sent unchecked")
    func full() async throws {
        let client = client()
        stubs.get("/new").reply(data: 1)
        stubs.get("/failing").reply(status: 500)
        let breakers = try #require(CallRun(client.tag("forum").get("/new")).tagState.routeBreakers)
        for route in 0..<RouteBreakers.most {
            if let breaker = breakers.breaker(of: "/\(route)") { await Self.open(breaker.local) }
        }
        #expect(breakers.breaker(of: "/new") == nil)
        try await client.tag("forum").get("/new").execute(.void).value
        await fail(client.tag("forum").get("/failing"), 5)
        #expect(stubs.requests.count == 6)
        #expect(client.circuitBreakerStatus(of: "forum", route: "/failing") == nil)
    }

    // MARK: Machines that share the breakers

    @Test("machines share the breaker of each route under its name")
    func fleet() async throws {
        let clock = VirtualClock()
        let store = MemorySharedStore(clock: clock)
        stubs.get("/rooms/*").reply(status: 500)
        stubs.get("/users").reply(data: 1)
        let machines = [client(clock: clock) { $0.sharedLimits = store }, client(clock: clock) { $0.sharedLimits = store }]
        await fail(machines[0].tag("forum").get("/rooms/\(1)"))
        let error = await machines[1].tag("forum").get("/rooms/\(2)").execute(.void).result.apiError
        #expect(error?.kind == .circuitOpen)
        #expect(error?.message.contains("/rooms/{}") == true)
        try await machines[1].tag("forum").get("/users").execute(.void).value
        #expect(stubs.requests.count == 3)
        #expect(machines[1].circuitBreakerStatus(of: "forum", route: "/rooms/\(3)") == .open)
        #expect(machines[1].circuitBreakerStatus(of: "forum", route: "/users") == .closed)
        let key = "breaker:tag:forum route:/rooms/{}"
        #expect(try await store.read([key]).values.map { $0 != nil } == [true])
    }

    @Test("the explanation names the route, and that each has a breaker")
    func explanation() {
        let text = client().tag("forum").get("/rooms/\(7)?token=made-up").explain()
        #expect(text.contains("2. route: /rooms/{}\n"))
        #expect(text.contains("circuit breaker of each route: opens at 50 % of 2 calls or more"))
    }
}
