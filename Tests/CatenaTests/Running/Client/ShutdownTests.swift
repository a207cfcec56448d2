import CatenaTesting
import TestSupport
import Testing

@testable import Catena

@Suite("Shutting a client down", .limitedParallelism)
struct ShutdownTests {
    /// Responds to `/token` at once, and to other requests once the test opens it.
    private final class Backend: Sendable {
        private let gate = Promise<Void>.pending()
        let arrived = Counter()
        let tokens = Counter()
        /// Whether a request without the second token is refused.
        let wantsSecondToken: Bool

        init(wantsSecondToken: Bool = false) { self.wantsSecondToken = wantsSecondToken }

        func open() { gate.resolver.fulfill(()) }

        func client() -> Client {
            // The clock stands still, because on a busy machine a call that waits for the gate would reach its timeout.
            let client = Client(
                transport: ClosureTransport { [self] request in
                    if request.address.path == "/token" {
                        tokens.increment()
                        return .json("\"made-up-\(tokens.count)\"")
                    }
                    arrived.increment()
                    if request.headers["Authorization"] != "Bearer made-up-2" { try await gate.promise.value }
                    let isRefused = wantsSecondToken && request.headers["Authorization"] != "Bearer made-up-2"
                    return .json("1", status: isRefused ? 401 : 200)
                }, clock: VirtualClock())
            client.defaultHost = "https://example.com"
            return client
        }
    }

    @Test("after a shutdown, calls in progress finish and new ones are rejected")
    func running() async throws {
        let backend = Backend()
        let client = backend.client()
        let call = client.get("/a").execute(as: Int.self)
        await backend.arrived.reached(1)
        client.shutdown()
        let error = await #expect(throws: APIError.self) { try await client.get("/b").value() }
        #expect(error?.message == "client: it has been shut down")
        await #expect(throws: APIError.self) { _ = try await client.get("/b").preview() }
        backend.open()
        #expect(try await call.value == 1)
    }

    @Test("a call that was executed before the shutdown is sent, even if its task has not started")
    func atOnce() async throws {
        let backend = Backend()
        backend.open()
        let client = backend.client()
        let calls = (0..<200).map { _ in client.get("/a").execute(as: Int.self) }
        client.shutdown()
        await client.waitUntilIdle()
        for call in calls { #expect(try await call.value == 1) }
    }

    @Test("a batch that was started before the shutdown runs to its last call, and the client is not idle before that", arguments: [1, 6])
    func batch(concurrency: Int) async throws {
        let backend = Backend()
        let client = backend.client()
        let batch = client.batch((0..<20).map { _ in client.get("/a") }, as: Int.self, concurrency: concurrency)
        client.shutdown()
        let isIdle = Counter()
        let wait = Task {
            await client.waitUntilIdle()
            isIdle.increment()
        }
        await backend.arrived.reached(1)
        await giveChances()
        #expect(isIdle.count == 0)
        backend.open()
        await wait.value
        #expect(backend.arrived.count == 20)
        #expect(try await batch.value.map { try $0.get() } == [Int](repeating: 1, count: 20))
        let late = try await client.batch([client.get("/a")], as: Int.self).value
        #expect(late.allSatisfy { $0.error?.kind == .invalidRequest })
    }

    @Test("a cancelled batch does not keep the client from being idle")
    func cancelledBatch() async {
        let backend = Backend()
        let client = backend.client()
        let batch = client.batch((0..<20).map { _ in client.get("/a") }, as: Int.self)
        await backend.arrived.reached(6)
        client.shutdown()
        batch.cancel()
        await client.waitUntilIdle()
        #expect(client.calls.tasks().isEmpty && backend.arrived.count == 6)
    }

    @Test("a call in progress may still fetch a token through its own client")
    func refresh() async throws {
        let backend = Backend(wantsSecondToken: true)
        let client = backend.client()
        client.configureDefaults { profile in
            profile.authentication = .bearer { [weak client] in try await client?.post("/token").value(as: String.self) }
        }
        let call = client.get("/a").execute(as: Int.self)
        await backend.arrived.reached(1)
        client.shutdown()
        backend.open()
        #expect(try await call.value == 1)
    }

    @Test("after a shutdown, a token for another client's call is refused")
    func refreshForAnother() async throws {
        let backend = Backend()
        let (own, other) = (backend.client(), backend.client())
        other.configureDefaults { profile in profile.authentication = .bearer { try await own.post("/token").value(as: String.self) } }
        own.shutdown()
        let error = await #expect(throws: APIError.self) { try await other.get("/a").value() }
        #expect(error?.message.contains("it has been shut down") == true)
        #expect(backend.tokens.count == 0 && backend.arrived.count == 0)
    }
}
