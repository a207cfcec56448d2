import Catena
import CatenaTesting
import Foundation
import Testing

@Suite("The explanation of a request", .limitedParallelism)
struct ExplanationTests {
    @Test("`explain()` lists the stages in running order, with their settings")
    func stages() {
        let client = Client(testing: Stubs())
        client.configure("forum") { forum in
            forum.deadline = .seconds(30)
            forum.retry = .exponential(limit: 2)
            forum.dedupe = true
            forum.cache = .memory(limit: 1000)
            forum.cachePolicy = .expire(.seconds(60)).orOffline
            forum.circuitBreaker = CircuitBreakerPolicy()
            forum.rateLimits = [RateLimit(10, per: .seconds(1))]
            forum.maxConcurrentCalls = ConcurrencyLimit(4)
            forum.authentication = Authentication(BearerAuthenticator())
            forum.signer = ParameterSigner(.md5)
            forum.intercept("clock", .before(.cache)) { call, next in try await next(call) }
        }
        client.commonHeaders { _ in [:] }
        client.intercept("trace") { call, next in try await next(call) }
        #expect(
            client.tag("forum").get("/a").explain() == """
                1. tag: forum
                2. deadline: 30.0 seconds
                3. common: headers, for every attempt
                4. interceptor "clock"
                5. joins identical calls under way
                6. cache: for 60.0 seconds, any when offline
                7. circuit breaker: opens at 50 % of 10 calls or more
                8. rate: 10 calls per 1.0 seconds
                9. concurrency: 4 calls at a time
                10. retry: up to 2 more attempts
                11. interceptor "trace"
                12. sign-in
                13. signature: ParameterSigner
                14. timeout: 60.0 seconds for each attempt
                15. redirects: up to 20
                16. body limit: 52428800 bytes
                17. transport: Stubs
                """)
    }

    @Test("`explain()` of a plain call lists only the stages of every call")
    func plain() {
        #expect(
            Client(testing: Stubs()).get("/a").explain() == """
                1. tag: none
                2. timeout: 60.0 seconds for each attempt
                3. redirects: up to 20
                4. body limit: 52428800 bytes
                5. transport: Stubs
                """)
    }

    @Test("the curl command contains the whole request, and secrets only if the caller wants them")
    func curl() async throws {
        let client = Client(testing: Stubs())
        client.commonParams { _ in ["v": "3.2"] }
        let authentication = Authentication(BearerAuthenticator(), store: MemoryCredentialStore(BearerToken(accessToken: "made-up")))
        client.configure("forum") { forum in
            forum.authentication = authentication
            forum.signer = ParameterSigner(.custom { _ in [0xAB] }, placement: .header("X-Sign"))
        }
        let request = client.tag("forum").post("/a b").json(["n": "it's"])
        #expect(
            try await request.curl(showingSecrets: true) == #"""
                curl --globoff --request 'POST' 'https://stubs.test/a%20b?v=3.2' --header 'Accept: */*' --header 'User-Agent: Catena' \#
                --header 'Content-Type: application/json' --header 'Authorization: Bearer made-up' --header 'X-Sign: ab' --header 'Expect:' \#
                --data-raw '{"n":"it'\''s"}'
                """#)
        let shown = try await request.curl()
        #expect(shown.contains("Authorization: ***"))
        #expect(shown.contains("X-Sign: ***"))
        #expect(!shown.contains("made-up"))
    }
}
