import CatenaRules
import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite("Options by key path", .limitedParallelism) struct CallOptionsTests {
    private static func header(_ name: String, of request: Request) async throws -> String? {
        try await request.preview().headers[name]
    }

    @Test("the accepted media types become the Accept header, and nil removes it")
    func acceptedTypes() async throws {
        let request = Client(testing: Stubs()).get("/a")
        let own = request.set(\.acceptedTypes, ["text/html", "text/*"])
        #expect(try await Self.header("Accept", of: own) == "text/html, text/*")
        #expect(try await Self.header("Accept", of: own.set(\.acceptedTypes, [])) == "*/*")
        #expect(try await Self.header("Accept", of: own.set(\.acceptedTypes, nil)) == Self.header("Accept", of: request))
    }

    @Test("an idempotency key is the one that is set, or a new one for each run")
    func idempotencyKey() async throws {
        let request = Client(testing: Stubs()).post("/a")
        #expect(try await Self.header("Idempotency-Key", of: request.set(\.idempotencyKey, "order-7")) == "order-7")
        let random = request.set(\.idempotencyKey, .random)
        let (one, other) = (try await Self.header("Idempotency-Key", of: random), try await Self.header("Idempotency-Key", of: random))
        #expect(one?.count == 36 && one != other)
        #expect(try await Self.header("Idempotency-Key", of: random.set(\.idempotencyKey, nil)) == nil)
    }

    @Test("an option that is set to nil is the tag's again")
    func tag() {
        let client = Client(testing: Stubs())
        client.configureDefaults { $0.idleTimeout = .seconds(9) }
        let request = client.get("/a").set(\.idleTimeout, .seconds(2))
        #expect(CallRun(request).configuration.idleTimeout == .seconds(2))
        #expect(CallRun(request.set(\.idleTimeout, nil)).configuration.idleTimeout == .seconds(9))
    }

    @Test("a simulated delay comes before a simulated failure, and nil ends either")
    func simulated() async throws {
        let (stubs, clock) = (Stubs(), VirtualClock())
        stubs.get("/a").reply(json: 1)
        let client = Client(testing: stubs, clock: clock)
        let request = client.get("/a").set(\.debugFail, "E1").set(\.debugDelay, .seconds(3))
        let call = request.execute(as: Int.self)
        await clock.scheduled(.seconds(3))
        clock.advance(by: .seconds(3))
        let error = await #expect(throws: APIError.self) { try await call.value }
        #expect(error?.code == "E1")
        #expect(try await request.set(\.debugFail, nil).set(\.debugDelay, nil).value(as: Int.self) == 1)
    }
}
