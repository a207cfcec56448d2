#if os(Linux)
import Catena
import CatenaFleet
import CatenaRedis
import CatenaTesting
import Foundation
import Synchronization
import Testing

/// The server that .ci/integrations has started.
enum RedisServer {
    static let port = ProcessInfo.processInfo.environment["CATENA_REDIS_PORT"].flatMap { Int($0) }
}

@Suite("Redis", .enabled(if: RedisServer.port != nil, "no Redis: see .ci/integrations"))
struct RedisTests {
    private let redis = Redis(port: RedisServer.port ?? 0, prefix: UUID().uuidString, timeout: .seconds(2))

    @Test("values are read, written, replaced if they have the expected value, and removed")
    func store() async throws {
        #expect(try await redis.read(["a", "b"]).values == [nil, nil])
        try await redis.write(Data([0, 13, 10, 255]), for: "a", lifetime: .seconds(60))
        #expect(try await redis.replace(nil, with: Data("x".utf8), for: "b", lifetime: .seconds(60)))
        #expect(try await redis.read(["a", "b"]).values == [Data([0, 13, 10, 255]), Data("x".utf8)])
        #expect(try await !redis.replace(nil, with: Data("y".utf8), for: "b", lifetime: .seconds(60)))
        #expect(try await redis.replace(Data("x".utf8), with: nil, for: "b", lifetime: .seconds(60)))
        try await redis.write(nil, for: "a", lifetime: .seconds(60))
        #expect(try await redis.read(["a", "b"]).values == [nil, nil])
    }

    @Test("a response is cached for all clients")
    func cache() async throws {
        let (stubs, forum) = (Stubs(), Catena.Tag("forum"))
        stubs.get("/rooms").reply(data: ["red"])
        func client() -> Client {
            let client = Client(testing: stubs)
            client.configure(forum) { forum in
                forum.cache = .redis(redis)
                forum.cachePolicy = .expire(.seconds(600))
            }
            return client
        }
        #expect(try await client().tag(forum).get("/rooms").value(as: [String].self) == ["red"])
        #expect(try await client().tag(forum).get("/rooms").response(as: [String].self).source == .cache)
        #expect(stubs.requests.count == 1)
    }
}

@Suite("A server that is not Redis") struct LyingRedisTests {
    @Test(
        "a server with wrong replies or without replies fails no call, and is reported once",
        arguments: [
            "garbage\r\n", "$-1\r\n$-1\r\n", "*99999999999\r\n", "$999999999999\r\nx", ":1\r\n:1\r\n", "*0\r\n*0\r\n",
            "-ERR no\r\n-ERR no\r\n", "",
        ])
    func lies(reply: String) async throws {
        let port = try LyingServer(reply: reply)
        defer { port.stop() }
        let redis = Redis(port: port.port, timeout: .milliseconds(200))
        let stubs = Stubs()
        stubs.get("/rooms").reply(data: ["red"])
        let client = Client(testing: stubs)
        let said = Mutex(0)
        client.onDiagnostic { if $0.kind == .sharedStore { said.withLock { $0 += 1 } } }
        client.configure("forum") { forum in
            forum.cache = .redis(redis)
            forum.cachePolicy = .expire(.seconds(600))
            forum.rateLimits = [RateLimit(1000, per: .seconds(1))]
            forum.circuitBreaker = CircuitBreakerPolicy()
            forum.sharedLimits = redis
        }
        for _ in 0..<3 {
            #expect(try await client.tag("forum").get("/rooms").value(as: [String].self) == ["red"])
        }
        #expect(said.withLock { $0 } == 1)
    }
}
#endif
