import Testing

@testable import Catena

@Suite("The limits of a cached value's age", .limitedParallelism)
struct CachedValueLimitsTests {
    @Test("the max-age and min-fresh of the call apply to the cached value, whatever the policy")
    static func limitsRows() async {
        await each(
            [.protocol, .expire(.seconds(60)), .expire(.seconds(1)), .always, .offline] as [CachePolicy],
            [("max-age=5", [2]), ("max-age=60", [1, 2]), ("min-fresh=55", [2]), ("min-fresh=40", [1, 2])]
                as [(control: String, values: [Int])]
        ) { try await Self().limits(policy: $0, limit: $1) }
    }

    func limits(policy: CachePolicy, limit: (control: String, values: [Int])) async throws {
        let bench = ValuesBench()
        bench.client.configureDefaults { $0.cachePolicy = policy }
        try await bench.fill()
        bench.pass(10)
        bench.server.set { $0.number = 2 }
        let request = bench.client.get("/a").header("Cache-Control", limit.control)
        #expect(try await bench.values(request) == limit.values)
    }
}
