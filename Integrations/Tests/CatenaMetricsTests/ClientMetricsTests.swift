import Catena
import CatenaMetrics
import CatenaTesting
import CoreMetrics
import MetricsTestKit
import Testing

@Suite("swift-metrics") struct ClientMetricsTests {
    private let stubs = Stubs()
    private let client: Client
    private let metrics = TestMetrics()
    private let forum: Catena.Tag = "forum"
    private let finished: AsyncStream<Void>

    init() {
        client = Client(testing: stubs)
        client.configure(forum) { $0.host = "https://forum.test" }
        client.recordMetrics(to: metrics)
        let (finished, ends) = AsyncStream<Void>.makeStream()
        self.finished = finished
        // Observers run in the order in which they were added, so the metrics are recorded by then.
        client.observe { if case .finished = $0.kind { ends.yield() } }
    }

    private func ended(_ count: Int) async {
        for await _ in finished.prefix(count) {}
    }

    private func total(_ name: String, _ dimensions: (String, String)...) -> Int64 {
        metrics.counterTotal(label: name, dimensions: [("tag", "forum")] + dimensions)
    }

    @Test("a call is counted and timed by its tag and outcome")
    func success() async throws {
        stubs.get("/rooms").delay(.seconds(3)).reply(data: [1])
        try await client.tag(forum).get("/rooms").void()
        await ended(1)
        #expect(total("catena_calls", ("outcome", "success")) == 1)
        #expect(total("catena_attempts") == 1)
        #expect(metrics.counterTotal(label: "catena_failures") == 0)
        let timer = try metrics.expectTimer("catena_call_duration", [("tag", "forum"), ("outcome", "success")])
        #expect(timer.lastValue == 3_000_000_000)
    }

    @Test("failures are counted by their kind, and retries by the kind of the failure before them")
    func failures() async throws {
        stubs.get("/rooms").sequence(.status(503), .connectionLost, .status(404))
        _ = await client.tag(forum).get("/rooms").retry(.exponential(limit: 2)).execute(.void).result
        await ended(1)
        #expect(total("catena_attempts") == 3)
        #expect(total("catena_retries", ("kind", "status")) == 1)
        #expect(total("catena_retries", ("kind", "connectionLost")) == 1)
        #expect(total("catena_failures", ("kind", "status")) == 1)
        #expect(total("catena_calls", ("outcome", "failure")) == 1)
    }

    @Test("a response from the cache counts as a hit and not as an attempt")
    func cache() async throws {
        client.configure(forum) { $0.cache = .memory(limit: 1 << 20) }
        stubs.get("/rooms").reply(data: [1])
        for _ in 0..<3 { try await client.tag(forum).get("/rooms").cache(.always).void() }
        await ended(3)
        #expect(total("catena_cache_hits") == 2)
        #expect(total("catena_attempts") == 1)
        #expect(total("catena_calls", ("outcome", "success")) == 3)
    }

    @Test("a cancelled call does not count as a failure")
    func cancelled() async throws {
        stubs.get("/rooms").reply(.unanswered)
        let call: Promise<Void> = client.tag(forum).get("/rooms").execute(.void)
        await stubs.requestsReceived(1)
        call.cancel()
        await ended(1)
        #expect(total("catena_calls", ("outcome", "cancelled")) == 1)
        #expect(metrics.counterTotal(label: "catena_failures") == 0)
    }

    @Test("the gauge of a circuit breaker opens, and closes after a probe")
    func breaker() async throws {
        client.configure(forum) { forum in
            var policy = CircuitBreakerPolicy()
            policy.minimumCalls = 1
            forum.circuitBreaker = policy
        }
        stubs.get("/rooms").sequence(.status(500), .reply(data: 1))
        let gauge = { try metrics.expectGauge("catena_circuit_breaker", [("tag", "forum")]).values }
        for _ in 0..<2 { _ = await client.tag(forum).get("/rooms").execute(.void).result }
        await ended(2)
        #expect(try gauge() == [2, 2])
        #expect(total("catena_failures", ("kind", "circuitOpen")) == 1)
        stubs.clock.advance(by: .seconds(5))
        _ = await client.tag(forum).get("/rooms").execute(.void).result
        await ended(1)
        #expect(try gauge() == [2, 2, 0])
    }

    @Test("a call without a tag is counted with the tag none, also under a custom prefix")
    func untagged() async throws {
        let registration = client.recordMetrics(to: metrics, prefix: "app")
        stubs.get("/rooms").reply(data: 1)
        try await client.get("/rooms").void()
        await ended(1)
        #expect(metrics.counterTotal(label: "app_calls", dimensions: [("tag", "none"), ("outcome", "success")]) == 1)
        registration.end()
        try await client.get("/rooms").void()
        await ended(1)
        #expect(metrics.counterTotal(label: "app_calls") == 1)
    }
}
