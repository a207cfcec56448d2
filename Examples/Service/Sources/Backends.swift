import Catena
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

/// The two backends, each with its own host, envelope and limits.
public struct Backends: Sendable {
    let client: Client

    /// - Parameters:
    ///   - client: A client of its own, or in tests one with stubs.
    ///   - profiles: The host of the profiles, whose envelope is code, msg and data.
    ///   - orders: The host of the orders, whose envelope is result.code, result.text and payload.
    ///   - shared: Where the machines that run this service share responses, rates and circuit breakers; nil if each has its own.
    ///   - rate: How many calls to each backend may begin in a second; nil if nothing but the backend limits them.
    ///   - logger: Where each attempt is logged.
    ///   - metrics: What makes the metrics; that of the process if there is none.
    ///   - tracer: What makes the spans; that of the process if there is none.
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
            // Whose request it is changes nothing in the response, so the cache must not tell requests apart by it.
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
        // Asked again for each attempt, so that a second one says how much time is left then.
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

    /// The states of the circuit breakers, by backend; nil before the first call.
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
