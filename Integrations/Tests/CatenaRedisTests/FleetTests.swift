#if os(Linux)
import Catena
import CatenaFleet
import CatenaRedis
import CatenaTesting
import Foundation
import Synchronization
import Testing

@Suite("A fleet of three processes", .enabled(if: RedisServer.port != nil, "no Redis: see .ci/integrations"))
struct FleetTests {
    /// The requests that the backend has received.
    private struct Seen {
        var token = "old"
        var refreshes = 0
        var mine = 0
        var news = 0
        var firstTick: ContinuousClock.Instant?
        var ticks = 0
    }

    private static func start(_ arguments: [String]) throws -> (Process, Pipe) {
        let process = Process()
        let output = Pipe()
        process.executableURL = Bundle.main.bundleURL.appending(path: "fleet-member")
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = output
        try process.run()
        return (process, output)
    }

    private static func run(for time: Duration) async throws -> (seen: (refreshes: Int, mine: Int, news: Int, ticks: Int), output: String) {
        let port = try #require(RedisServer.port)
        let prefix = "fleet-\(UUID().uuidString)"
        let seen = Mutex(Seen())
        let server = try LoopbackServer()
        defer { server.stop() }
        server.get("/mine") { request in
            seen.withLock { $0.mine += 1 }
            return .text(request.headers["Authorization"] ?? "nobody")
        }
        server.get("/news") { _ in
            seen.withLock { $0.news += 1 }
            return .text("news")
        }
        server.get("/me") { request in
            seen.withLock { request.headers["Authorization"] == "Bearer \($0.token)" } ? .text("me") : .status(401)
        }
        server.post("/token") { _ in
            let token = seen.withLock { seen in
                seen.refreshes += 1
                seen.token = "new-\(seen.refreshes)"
                return seen.token
            }
            return .json(BearerToken(accessToken: token, user: "service"))
        }
        // The backend's clock decides when the time is over.
        server.get("/tick") { _ in
            seen.withLock { seen in
                let now = ContinuousClock.now
                let first = seen.firstTick ?? now
                seen.firstTick = first
                guard now < first + time else { return .text("stop") }
                seen.ticks += 1
                return .text("go")
            }
        }
        // The fleet begins with a token that the backend no longer accepts.
        let redis = Redis(port: port, prefix: prefix, timeout: .seconds(2))
        let signIn = Authentication(BearerAuthenticator(), shared: .redis(redis, "shared"))
        try signIn.signIn(BearerToken(accessToken: "expired", user: "service"))
        // The token is written in the background, so wait until it can be read.
        while try await Authentication(BearerAuthenticator(), shared: .redis(redis, "shared")).load() == nil { await Task.yield() }
        let members = try ["red", "green", "blue"].map { try Self.start(["\(port)", prefix, server.url, $0]) }
        var output = ""
        for (process, pipe) in members {
            output += String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
        return (seen.withLock { ($0.refreshes, $0.mine, $0.news, $0.ticks) }, output)
    }

    @Test("three processes share one refresh and one rate, and receive their own users' responses", .timeLimit(.minutes(1)))
    func smoke() async throws {
        let (seen, output) = try await Self.run(for: .seconds(2))
        #expect(output == "")
        #expect(seen.refreshes == 1)
        #expect(seen.mine == 3)
        #expect((1...3).contains(seen.news))
        #expect((90...105).contains(seen.ticks))
    }

    @Test("the fleet keeps a rate of 50 calls per second for 20 seconds", .timeLimit(.minutes(2)))
    func longRate() async throws {
        let (seen, output) = try await Self.run(for: .seconds(20))
        #expect(output == "")
        #expect(seen.refreshes == 1)
        #expect((950...1050).contains(seen.ticks), "\(seen.ticks)")
    }
}
#endif
