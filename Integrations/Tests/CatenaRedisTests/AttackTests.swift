#if os(Linux)
import Catena
import CatenaFleet
import CatenaRedis
import CatenaTesting
import Foundation
import Glibc
import Synchronization
import Testing

/// Makes calls of several users on two machines each. None may fail or receive another user's response.
@Suite("A Redis under attack", .enabled(if: RedisServer.port != nil, "no Redis: see .ci/integrations"))
struct AttackTests {
    /// Replaces the value of every key with another type or with garbage.
    private static let garbage = """
        for n, key in ipairs(redis.call('KEYS', '*')) do
            if n % 3 == 0 then redis.call('DEL', key) redis.call('LPUSH', key, 'list')
            elseif n % 3 == 1 then redis.call('SET', key, 'garbage')
            else redis.call('SET', key, redis.call('GET', redis.call('KEYS', '*')[1]) or '') end
        end
        """

    private static func machine(_ redis: Redis, url: String, user: String) -> Client {
        let client = Client()
        let signIn = Authentication(
            BearerAuthenticator { _ in try await client.tag("shared").post("/token").authenticated(false).value(as: BearerToken.self) },
            shared: .redis(redis, "shared"), window: nil)
        client.onDiagnostic { _ in }
        client.configure("own") { own in
            own.host = url
            own.cache = .redis(redis)
            own.cachePolicy = .expire(.milliseconds(20))
            own.circuitBreaker = CircuitBreakerPolicy()
            own.rateLimits = [RateLimit(100_000, per: .seconds(1))]
            own.sharedLimits = redis
            own.authentication = Authentication(
                BearerAuthenticator(), store: MemoryCredentialStore(BearerToken(accessToken: user, user: user)))
        }
        client.configure("shared") { shared in
            shared.host = url
            shared.authentication = signIn
        }
        return client
    }

    private static func server() throws -> LoopbackServer {
        let server = try LoopbackServer()
        server.get("/mine/{n}") { .text($0.headers["Authorization"] ?? "nobody") }
        // A token is valid for 500 uses.
        let uses = Mutex<[String: Int]>([:])
        server.get("/me") { request in
            let isGood = uses.withLock { uses in
                let token = request.headers["Authorization"] ?? ""
                uses[token]? += 1
                return uses[token].map { $0 <= 500 } ?? false
            }
            return isGood ? .text("me") : .status(401)
        }
        server.post("/token") { _ in
            let token = UUID().uuidString
            uses.withLock { $0["Bearer \(token)"] = 0 }
            return .json(BearerToken(accessToken: token, user: "service"))
        }
        return server
    }

    /// Makes calls until the test ends.
    private static func callAlways(_ client: Client, _ user: String, _ seen: Seen) async {
        var number = 0
        while !seen.isOver {
            number += 1
            let start = ContinuousClock.now
            do {
                let me = try await client.tag("shared").get("/me").string()
                if me != "me" { seen.note(wrong: "\(me) instead of me") }
                let text = try await client.tag("own").get("/mine/\(number % 5)").string()
                if text != "Bearer \(user)" { seen.note(wrong: "\(user) got \(text)") }
            } catch {
                seen.note(wrong: "\(error)")
            }
            seen.note(ContinuousClock.now - start)
        }
    }

    @Test(
        "calls succeed with their own user's responses while Redis is killed, stopped, emptied or full of garbage", .timeLimit(.minutes(2)))
    func attack() async throws {
        let (own, server, seen) = (try await OwnServer(), try Self.server(), Seen())
        defer { server.stop() }
        // A token that the backend refuses. It is written in the background, so wait until it can be read.
        let redis = Redis(port: own.port, timeout: .seconds(2))
        func signIn() -> Authentication<BearerAuthenticator> { Authentication(BearerAuthenticator(), shared: .redis(redis, "shared")) }
        try signIn().signIn(BearerToken(accessToken: "old", user: "service"))
        while try await signIn().load() == nil { await Task.yield() }
        try await withThrowingTaskGroup(of: Void.self) { callers in
            for user in ["red", "green", "blue", "black"] {
                // Two machines for each user.
                for _ in 0..<2 {
                    let redis = Redis(port: own.port, timeout: .milliseconds(100))
                    let client = Self.machine(redis, url: server.url, user: user)
                    callers.addTask { await Self.callAlways(client, user, seen) }
                }
            }
            defer { seen.end() }
            await seen.more("well")
            try own.run("FLUSHALL")
            await seen.more("FLUSHALL")
            for _ in 0..<5 {
                try own.run("EVAL", Self.garbage, "0")
                await seen.more("garbage")
            }
            own.send(SIGSTOP)
            await seen.more("SIGSTOP")
            own.send(SIGCONT)
            await seen.more("SIGCONT")
            own.send(SIGKILL)
            await seen.more("SIGKILL")
            try await own.start()
            await seen.more("started again")
            for _ in 0..<3 {
                own.send(SIGKILL)
                try await own.start()
            }
            await seen.more("killed three times")
            try own.run("CONFIG", "SET", "maxmemory", "1")
            await seen.more("full")
        }
        #expect(seen.wrong.prefix(5) == [])
    }
}

/// The observations of the callers.
private final class Seen: Sendable {
    private struct State {
        var calls = 0
        var longest = Duration.zero
        var wrong: [String] = []
        var isOver = false
        var waiting: (calls: Int, CheckedContinuation<Void, Never>)?
    }

    private static let calls = 400
    private let state = Mutex(State())

    var isOver: Bool { state.withLock { $0.isOver } }
    var wrong: [String] { state.withLock { $0.wrong } }

    func note(wrong: String) { state.withLock { $0.wrong.append(wrong) } }

    func note(_ time: Duration) {
        let waiting = state.withLock { state in
            state.calls += 1
            state.longest = max(state.longest, time)
            guard let waiting = state.waiting, state.calls >= waiting.calls else { return nil as CheckedContinuation<Void, Never>? }
            state.waiting = nil
            return waiting.1
        }
        waiting?.resume()
    }

    func end() { state.withLock { $0.isOver = true } }

    /// Waits for more calls, and prints the duration of the longest one.
    func more(_ name: String) async {
        await withCheckedContinuation { waiting in
            state.withLock { state in
                state.longest = .zero
                state.waiting = (state.calls + Self.calls, waiting)
            }
        }
        print("Redis, \(name): longest call \(state.withLock { $0.longest })")
    }
}
#endif
