import Catena
import CatenaTesting
import Foundation

/// Measures the cost of the stages, with a transport that responds at once.
func pipelineGroup(_ effort: Effort) async throws {
    let stub = ClosureTransport { _ in .json(#"{"code":0,"data":7}"#, headers: ["Cache-Control": "max-age=3600"]) }
    let plain = Client(transport: stub)
    plain.defaultHost = "https://example.com"
    let staged = Client(transport: stub)
    staged.configureDefaults { defaults in
        defaults.host = "https://example.com"
        defaults.retry = .exponential(limit: 2)
        defaults.circuitBreaker = CircuitBreakerPolicy()
        defaults.rateLimits = [RateLimit(1_000_000_000, per: .seconds(1))]
        defaults.maxConcurrentCalls = ConcurrencyLimit(64)
    }
    let cached = Client(transport: stub)
    cached.defaultHost = "https://example.com"
    cached.configureDefaults { $0.cache = .memory(limit: 1_000_000) }
    let calls = [plain, staged, cached].map { $0.get("/a") }
    try await compare(
        "a call over a stub", iterations: effort.iterations(20_000), effort: effort,
        zip(["no stage", "retry, breaker, rate, concurrency", "a hit in the memory cache"], calls).map { name, request in
            Alternative(name: name) { count in
                for _ in 0..<count { keep(try await request.value(as: Int.self)) }
            }
        })
    try await wholeChain(effort)
    try await waitingCalls(effort)
}

/// Measures the processor time of a call, from the bare transport up to all stages with their usual policies.
private func wholeChain(_ effort: Effort) async throws {
    let stub = ClosureTransport { _ in .json(#"{"code":0,"data":7}"#, headers: ["Cache-Control": "no-store"]) }
    let host = "https://example.com"
    let plain = Client(transport: stub)
    plain.defaultHost = host
    let request = try await plain.get("/a").preview()
    let limited = Client(transport: stub)
    let staged = Client(transport: stub)
    for client in [limited, staged] {
        client.configureDefaults { defaults in
            defaults.host = host
            defaults.retry = .exponential(limit: 2)
            defaults.circuitBreaker = CircuitBreakerPolicy()
            defaults.rateLimits = [RateLimit(1_000_000_000, per: .seconds(1))]
            defaults.maxConcurrentCalls = ConcurrencyLimit(64)
        }
    }
    let authentication = Authentication(BearerAuthenticator())
    try authentication.signIn(BearerToken(accessToken: "made-up", user: "ann"))
    staged.configureDefaults { defaults in
        defaults.dedupe = true
        defaults.cache = .memory(limit: 1_000_000)
        defaults.authentication = authentication
        defaults.signer = ParameterSigner(.sha256, secret: .suffix("made-up"))
        defaults.cookieJar = CookieJar()
        defaults.sendsTraceparent = true
        defaults.deadline = .seconds(60)
    }
    let calls: [(name: String, run: @Sendable () async throws -> Void)] = [
        ("the transport alone", { keep(try await stub.send(request).body.collect(limit: 1000)) }),
        ("a call at its defaults", { try await plain.get("/a").execute(.void).value }),
        ("retry, breaker, rate, concurrency", { try await limited.get("/a").execute(.void).value }),
        ("every stage, signed in, signed and traced", { try await staged.get("/a").execute(.void).value }),
    ]
    let count = effort.iterations(20_000)
    var times = [[Double]](repeating: [], count: calls.count)
    for _ in 0..<effort.rounds {
        for (index, call) in calls.enumerated() {
            let start = processorSeconds()
            for _ in 0..<count { try await call.run() }
            times[index].append((processorSeconds() - start) / Double(count) * 1e6)
        }
    }
    print("  processor time of a call over a stub, and what the stages add to a call at its defaults")
    let medians = times.map(median)
    for (index, call) in calls.enumerated() {
        let added = index < 2 ? "" : String(format: "  + %.2f us", medians[index] - medians[1])
        let name = call.name.padding(toLength: 44, withPad: " ", startingAt: 0)
        print("    \(name) \(String(format: "%9.2f us", medians[index]))\(added)")
    }
}

/// Measures calls that wait for one limiter. With ten times as many calls, the cost of each must not grow.
private func waitingCalls(_ effort: Effort) async throws {
    for count in [effort.iterations(1_000), effort.iterations(10_000)] {
        let (gate, resolver) = Promise<Void>.pending()
        let client = Client(
            transport: ClosureTransport { _ in
                try await gate.value
                return .json("1")
            })
        client.configureDefaults { defaults in
            defaults.host = "https://example.com"
            defaults.maxConcurrentCalls = ConcurrencyLimit(1)
        }
        let start = ContinuousClock.now
        let calls = (0..<count).map { _ in client.get("/a").execute(.void) }
        resolver.fulfill(())
        for call in calls { try await call.value }
        let each = (ContinuousClock.now - start) / .nanoseconds(1) / Double(count)
        print("  \(count) calls at one limiter: \(Int(each)) ns each")
    }
}
