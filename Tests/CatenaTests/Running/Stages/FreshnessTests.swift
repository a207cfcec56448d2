import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("The freshness of a response", .limitedParallelism)
struct FreshnessTests {
    private let stubs = Stubs()
    private let day = CacheCallTests.Day()
    private let client: Client

    init() {
        client = Client(transport: stubs, timers: stubs.clock, random: { 1 }, date: { [day] in day.date })
        client.configureDefaults { defaults in
            defaults.host = "https://stubs.test"
            defaults.cache = .memory(limit: 1_000_000)
        }
    }

    @Test("the server's response has no freshness, and one from the cache says why it was used")
    func freshness() async throws {
        let headers: HTTPHeaders = ["Cache-Control": "max-age=60, stale-while-revalidate=60, stale-if-error=600", "ETag": "\"1\""]
        let state = Mutex((status: 200, tag: "\"1\""))
        stubs.get("/a").reply { call in
            let (status, tag) = state.withLock { $0 }
            if status != 200 { return .status(status) }
            var reply = call.headers["If-None-Match"] == tag ? StubReply.status(304) : .reply(data: 7)
            for field in headers.fields { reply = reply.header(field.name, field.value) }
            return reply
        }
        func freshness(_ request: Request? = nil) async throws -> ResponseFreshness? {
            let response = try await (request ?? client.get("/a")).response(as: Int.self)
            #expect(response.payload == 7)
            #expect((response.freshness == nil) == (response.source != .cache))
            return response.freshness
        }
        #expect(try await freshness() == nil)
        day.pass(59)
        #expect(try await freshness() == .fresh)
        day.pass(1)
        // The response is used while it is renewed.
        #expect(try await freshness() == .stale)
        await client.waitUntilIdle()
        #expect(try await freshness() == .fresh)
        #expect(try await freshness(client.get("/a").header("Cache-Control", "no-cache")) == .revalidated)
        day.pass(61)
        #expect(try await freshness(client.get("/a").header("Cache-Control", "max-stale=30")) == .stale)
        #expect(try await freshness(client.get("/a").cache(.always)) == .fresh)
        #expect(try await freshness(client.get("/a").cache(.expire(.seconds(90)))) == .fresh)
        day.pass(60)
        state.withLock { $0.status = 503 }
        #expect(try await freshness() == .stale)
        state.withLock { $0 = (200, "\"2\"") }
        #expect(try await freshness() == nil)
    }

    @Test("calls that share a response from the cache share its freshness, and a new response of an interceptor has none")
    func sharedFreshness() async throws {
        stubs.get("/a").reply(.reply(data: 1).header("Cache-Control", "max-age=60"))
        #expect(try await client.get("/a").value(as: Int.self) == 1)
        #expect(try await client.get("/a").set(\.dedupe, true).response(as: Int.self).freshness == .fresh)
        client.intercept("other", .before(.cache)) { call, next in
            let response = try await next(call)
            #expect(response.freshness == .fresh)
            return HTTPResponse(status: 200, headers: response.headers, body: response.body, address: response.address)
        }
        #expect(try await client.get("/a").response(as: Int.self).freshness == nil)
    }
}
