import Catena
import CatenaFleet
import CatenaLogging
import CatenaMetrics
import CatenaTracing
import CoreMetrics
import Logging
import Tracing

extension Catena.Tag {
    static let profiles: Catena.Tag = "profiles"
    static let orders: Catena.Tag = "orders"
}

struct Profile: Codable, Equatable, Sendable {
    let id: Int
    let name: String
}

struct Order: Codable, Equatable, Sendable {
    let id: Int
    let user: Int
    let item: String
}

/// The two backends, each with its host and envelope.
public struct Backends: Sendable {
    let client: Client

    /// - Parameters:
    ///   - client: The client. By default a new one; in tests a client with stubs.
    ///   - profiles: The host of the profiles, whose envelope is code, msg and data.
    ///   - orders: The host of the orders, whose envelope is result.code, result.text and payload.
    ///   - shared: The store in which the machines of this service share responses, rates and circuit breakers. If nil, nothing is shared.
    ///   - rate: The number of calls to each backend that may begin in a second, or nil for no limit.
    ///   - logger: The logger of the attempts.
    ///   - metrics: The factory of the metrics. By default that of the process.
    ///   - tracer: The tracer. By default that of the process.
    public init(
        client: Client = Client(), profiles: String, orders: String, shared: (any SharedStore)? = nil, rate: Int? = nil, logger: Logger,
        metrics: (any MetricsFactory)? = nil, tracer: (any Tracer)? = nil
    ) {
        self.client = client
        var rules = RequestKeyRules()
        rules.volatileHeaders.insert("x-request-timeout-ms")
        client.configureDefaults { [rules] every in
            every.timeout = .seconds(2)
            every.retry = .exponential(limit: 1, baseDelay: .milliseconds(50))
            every.maxConcurrentCalls = ConcurrencyLimit(128, maxWaiting: 1024)
            every.circuitBreaker = CircuitBreakerPolicy()
            every.rateLimits = rate.map { [RateLimit($0, per: .seconds(1))] }
            every.sharedLimits = shared
            // The response does not depend on the caller's time limit, so the cache key must ignore it.
            every.requestKeyRules = rules
        }
        client.configure(.profiles) { tag in
            tag.host = profiles
            tag.cache = shared.map { .shared($0) } ?? .memory(limit: 1_000_000)
        }
        client.configure(.orders) { tag in
            tag.host = orders
            tag.envelope = .standard.codes("result.code").message("result.text").data("payload").success(0, "OK")
        }
        // The closure runs for each attempt, so that a retry sends the time that is left then.
        client.commonHeaders { _ in
            guard let caller = Caller.current else { return [:] }
            return ["X-Request-ID": caller.requestID, "X-Request-Timeout-Ms": "\(caller.remaining.milliseconds)"]
        }
        client.onDiagnostic { logger.warning("\($0.message)", metadata: ["kind": "\($0.kind.name)"]) }
        client.log(to: .logger(logger) { $0.failure == nil ? .debug : .ofOutcome($0) })
        client.recordMetrics(to: metrics)
        client.trace(with: tracer)
    }

    func profile(of user: Int) async throws -> Profile {
        try await request(.profiles).get("/users/{id}").param("id", user).value()
    }

    func orders(of user: Int) async throws -> [Order] {
        try await request(.orders).get("/orders").query("user", user).value()
    }

    /// The states of the circuit breakers by backend. A state is nil before the first call.
    var health: [String: CircuitBreakerStatus?] {
        ["profiles": client.circuitBreakerStatus(of: .profiles), "orders": client.circuitBreakerStatus(of: .orders)]
    }

    private func request(_ tag: Catena.Tag) -> Catena.Request {
        let request = client.tag(tag)
        guard let caller = Caller.current else { return request }
        return request.deadline(caller.remaining)
    }
}

extension Duration {
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
