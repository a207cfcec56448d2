import AsyncHTTPClient
import Catena
import CatenaAsyncHTTPClient
import CatenaFleet
import CatenaHTTPTypes
import CatenaLogging
import CatenaMetrics
import CatenaRedis
import CatenaTesting
import CatenaTracing
import HTTPTypes
import Logging
import MetricsTestKit

/// The blocks of Docs/Integrations.md, which are compiled here and nowhere else. GuideTests compares them.
enum GuideCode {
    static func logging() {
        API.log(to: .logger(Logger(label: "calls")))
        API.log(.verbose, to: .logger(Logger(label: "calls")) { $0.failure == nil ? .trace : .error })
    }

    static func currentLogger() {
        API.log(to: .entries(capturing: { Logger.current }) { entry, logger in logger.info("\(entry.text)") })
    }

    static func metrics() -> Registration {
        let metrics = Client.shared.recordMetrics()
        return metrics
    }

    static func tracing() -> [Registration] {
        let tracing = Client.shared.trace()
        let internalOnly = Client.shared.trace { call in call.request.address.host.hasSuffix(".internal") }
        return [tracing, internalOnly]
    }

    static func httpTypes() async throws -> (HTTPTypes.HTTPRequest?, Catena.HTTPRequest?, HTTPFields?) {
        let request = try await API.get("/rooms").preview()
        let head = HTTPTypes.HTTPRequest(request)
        let again = head.flatMap { Catena.HTTPRequest($0, body: request.body) }
        let fields = HTTPFields(request.headers)
        return (head, again, fields)
    }

    static func asyncHTTPClient() -> Client {
        var configuration = HTTPClient.Configuration()
        configuration.proxy = .server(host: "proxy.example.com", port: 3128)
        let transport = AsyncHTTPClientTransport(configuration)
        let client = Client(transport: transport)
        return client
    }

    static func redis() async throws {
        let redis = Redis(host: "127.0.0.1", port: 6379, prefix: "forum")
        let scheme = BearerAuthenticator { old in
            try await API.tag("forum").post("/token").json(["refresh": old.refreshToken]).value(as: BearerToken.self)
        }
        let signIn = Authentication(scheme, shared: .redis(redis, "service"))
        API.configure("forum") { forum in
            forum.cache = .redis(redis)
            forum.cachePolicy = .expire(.seconds(60))
            forum.rateLimits = [RateLimit(50, per: .seconds(1))]
            forum.circuitBreaker = CircuitBreakerPolicy()
            forum.sharedLimits = redis
            forum.authentication = signIn
        }
        if try await signIn.load() == nil {
            try signIn.signIn(BearerToken(accessToken: "access", refreshToken: "refresh"))
        }
    }

    static func test() async throws -> [String] {
        let stubs = Stubs()
        let tested = Client(testing: stubs)
        let recorded = TestMetrics()
        tested.recordMetrics(to: recorded)
        stubs.get("/rooms").reply(data: ["red"])
        let rooms = try await tested.get("/rooms").value(as: [String].self)
        return rooms
    }
}
