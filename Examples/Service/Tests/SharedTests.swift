#if os(Linux)
import Catena
import CatenaTesting
import InMemoryLogging
import Logging
import Testing

@testable import Overview

@Suite("Machines that share a Redis", .enabled(if: RedisServer.isInstalled, "no redis-server: see .ci/examples"), .timeLimit(.minutes(1)))
struct SharedTests {
    let stubs = Stubs()

    private func machine(_ redis: RedisServer, logger: Logger = silent) -> Backends {
        Backends(
            client: Client(testing: stubs), profiles: "https://profiles.example.com", orders: "https://orders.example.com",
            shared: redis.store, logger: logger)
    }

    private func stubProfiles() {
        stubs.get("/users/{id}").tag(.profiles)
            .reply(.json(["code": 0, "msg": "", "data": ["id": 7, "name": "Ann"]]).header("Cache-Control", "max-age=600"))
    }

    @Test("a profile that one machine has received is used by the other")
    func cache() async throws {
        let redis = try RedisServer()
        stubProfiles()
        for _ in 1...2 {
            let profile = try await machine(redis).profile(of: 7)
            #expect(profile == Profile(id: 7, name: "Ann"))
        }
        try stubs.expect(.get, "/users/7").times(1)
    }

    @Test("a backend that fails for one machine is left alone by the other")
    func breaker() async throws {
        let redis = try RedisServer()
        stubs.get("/users/7").tag(.profiles).reply(status: 500)
        let (one, other) = (machine(redis), machine(redis))
        for _ in 1...10 { await #expect(throws: APIError.self) { try await one.profile(of: 7) } }
        let calls = stubs.requests.count
        let refused = await #expect(throws: APIError.self) { try await other.profile(of: 7) }
        #expect(refused?.kind == .circuitOpen)
        #expect(stubs.requests.count == calls)
        #expect(other.health["profiles"] == .open)
    }

    @Test("the service goes on when Redis is killed, and logs that once")
    func killed() async throws {
        let redis = try RedisServer()
        stubProfiles()
        stubs.get("/orders").tag(.orders).reply(json: ["result": ["code": "OK", "text": ""], "payload": []])
        let logs = InMemoryLogHandler()
        try await serving(machine(redis, logger: Logger(label: "test") { _ in logs })) { service, _ in
            for turn in 1...6 {
                if turn == 3 { redis.kill() }
                let overview = try await service.get("/users/7/overview").value(as: Overview.self)
                #expect(overview == Overview(id: 7, name: "Ann", orders: []))
            }
        }
        // Requested once with Redis and once without it.
        try stubs.expect(.get, "/users/7").times(2)
        try stubs.expect(.get, "/orders").times(6)
        #expect(logs.entries.filter { $0.metadata["kind"] == "sharedStore" }.count == 1)
    }
}

struct RedisAddressTests {
    @Test(
        "an address is a host and a port",
        arguments: [
            ("127.0.0.1:6379", "127.0.0.1", 6379), ("redis.example.com:7000", "redis.example.com", 7000), ("[::1]:6379", "::1", 6379),
        ])
    func right(text: String, host: String, port: Int) {
        let address = RedisAddress(text)
        #expect(address?.host == host && address?.port == port)
    }

    @Test(
        "what is none is refused",
        arguments: ["", "redis", "redis:", ":6379", "redis:0", "redis:65536", "redis:6379x", "::1:6379", "a b:1", "redis:-1"])
    func wrong(text: String) {
        #expect(RedisAddress(text) == nil)
    }
}
#endif
