// A process of a fleet: fleet-member <port of Redis> <prefix> <URL of the backend> <name of the process>
//
// It requests a resource of its own user and one with the fleet's credential. It then calls as often as the rate allows, until the backend responds with
// "stop". It prints "failed: …" for each violation.
#if os(Linux)
import Catena
import CatenaFleet
import CatenaRedis
import Foundation

@main struct FleetMember {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 5, let port = Int(words[1]) else { return print("failed: port prefix url name") }
        let redis = Redis(port: port, prefix: words[2], timeout: .seconds(2))
        let client = Client()
        client.onDiagnostic { print("failed: \($0)") }
        do {
            try await own(client, redis, url: words[3], name: words[4])
            try await refreshed(client, redis, url: words[3])
            try await limited(client, redis, url: words[3])
        } catch {
            print("failed: \(error)")
        }
    }

    /// Requests one address twice, as a user that differs in each process.
    private static func own(_ client: Client, _ redis: Redis, url: String, name: String) async throws {
        let token = BearerToken(accessToken: "token-\(name)", user: name)
        client.configure("own") { own in
            own.host = url
            own.cache = .redis(redis)
            own.cachePolicy = .expire(.seconds(600))
            own.authentication = Authentication(BearerAuthenticator(), store: MemoryCredentialStore(token))
        }
        for _ in 0..<2 {
            let seen = try await client.tag("own").get("/mine").string()
            if seen != "Bearer token-\(name)" { print("failed: \(name) got \(seen)") }
        }
        let shared = try await client.tag("own").get("/news").authenticated(false).string()
        if shared != "news" { print("failed: \(shared)") }
    }

    private static func refreshed(_ client: Client, _ redis: Redis, url: String) async throws {
        let scheme = BearerAuthenticator { _ in
            try await client.tag("shared").post("/token").authenticated(false).value(as: BearerToken.self)
        }
        let signIn = Authentication(scheme, shared: .redis(redis, "shared"))
        client.configure("shared") { shared in
            shared.host = url
            shared.authentication = signIn
        }
        guard try await signIn.load() != nil else { return print("failed: the fleet has no credential") }
        try await withThrowingTaskGroup(of: Void.self) { calls in
            for _ in 0..<5 { calls.addTask { try await client.tag("shared").get("/me").void() } }
            try await calls.waitForAll()
        }
    }

    private static func limited(_ client: Client, _ redis: Redis, url: String) async throws {
        client.configure("limited") { limited in
            limited.host = url
            limited.rateLimits = [RateLimit(50, per: .seconds(1), burst: 5)]
            limited.sharedLimits = redis
        }
        try await withThrowingTaskGroup(of: Void.self) { callers in
            for _ in 0..<8 {
                callers.addTask { while try await client.tag("limited").get("/tick").string() != "stop" {} }
            }
            try await callers.waitForAll()
        }
    }
}
#else
@main struct FleetMember {
    static func main() {}
}
#endif
