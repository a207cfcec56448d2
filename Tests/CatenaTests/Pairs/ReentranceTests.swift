import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// A call made inside a closure of the app goes without that closure.
@Suite("Calls that closures of the app make", .limitedParallelism)
struct ReentranceTests {
    let stubs = Stubs()

    /// A closure that makes a call with the same client and the same tag.
    enum Place: CaseIterable {
        case params, headers, host, interceptor, before, signer, token, onError, predicate, observer, messages, store
    }

    /// The number of nested runs after which a closure gives up, so that a recursion fails the test and not the process.
    private static let bound = 5

    private struct Caller: HostProvider, RequestSigner {
        let call: @Sendable () async throws -> Void

        func host(for key: HostKey) async throws -> String {
            try await call()
            return "https://forum.test"
        }

        func sign(_ request: inout HTTPRequest, params: Params) async throws { try await call() }
    }

    /// Sets a closure that makes a call to `path`, and returns the counter of its runs.
    private func set(_ place: Place, of client: Client, callingTo path: Path) -> (Counter, @Sendable (Request) -> Request) {
        let runs = Counter()
        let inner: @Sendable () async throws -> Void = { [weak client] in
            runs.increment()
            guard runs.count < Self.bound else { throw Failure(runs.count) }
            _ = try await client?.tag("forum").get(path).value(as: Int.self)
        }
        let caller = Caller(call: inner)
        switch place {
        case .params:
            client.commonParams { _ in
                try await inner()
                return ["app": "ios"]
            }
        case .headers:
            client.commonHeaders { _ in
                try await inner()
                return ["X-App": "ios"]
            }
        // The inner call goes to the host of the defaults.
        case .host: client.configure("forum") { $0.hostProvider = caller }
        case .interceptor:
            client.intercept("inner") { call, next in
                try await inner()
                return try await next(call)
            }
        case .signer: client.configure("forum") { $0.signer = caller }
        case .token:
            client.configure("forum") {
                $0.authentication = .bearer {
                    try await inner()
                    return "made-up"
                }
            }
        case .onError:
            client.onError { _, _ in
                try? await inner()
                return .proceed
            }
        case .before: return (runs, { $0.before { try await inner() } })
        case .observer:
            client.observe { event in
                guard case .finished = event.kind else { return }
                runs.increment()
                if runs.count < Self.bound { client.tag("forum").get(path).execute(as: Int.self) }
            }
        case .messages:
            client.configureDefaults {
                $0.errorMessages = { _ in
                    runs.increment()
                    if runs.count < Self.bound { client.tag("forum").get(path).execute(as: Int.self) }
                    return nil
                }
            }
        case .store:
            let store = CallingStore {
                runs.increment()
                if runs.count < Self.bound { client.tag("forum").get(path).execute(as: Int.self) }
            }
            client.configure("forum") { $0.authentication = Authentication(CountingScheme(requiresCredential: false), store: store) }
        case .predicate:
            client.configure("forum") {
                $0.retry = .exponential(limit: 1, baseDelay: .zero).when { _ in
                    runs.increment()
                    if runs.count < Self.bound { _ = client.tag("forum").get(path).execute(as: Int.self) }
                    return false
                }
            }
        }
        return (runs, { $0 })
    }

    private func client() -> Client {
        let client = Client(testing: stubs)
        client.configureDefaults { $0.host = "https://forum.test" }
        client.configure("forum") { _ in }
        stubs.get("/inner").reply(data: 1)
        stubs.get("/a").reply(data: 7)
        stubs.get("/broken").reply(status: 500)
        return client
    }

    private struct CallingStore: CredentialStore {
        let call: @Sendable () -> Void

        func load() -> Stamp? {
            call()
            return nil
        }

        func save(_ stamp: Stamp?) {}
    }

    private static let awaiting: [Place] = [.params, .headers, .host, .interceptor, .before, .signer, .token]

    @Test("a call goes without the closure that makes it, and the outer call has its value", arguments: awaiting)
    func values(place: Place) async throws {
        let client = client()
        let (runs, change) = set(place, of: client, callingTo: "/inner")
        #expect(try await change(client.tag("forum").get("/a")).value(as: Int.self) == 7)
        #expect(runs.count == 1)
        #expect(stubs.requests(.get, to: "/inner").count == 1)
    }

    @Test(
        "a failing call of an error handler, a predicate or a text of errors runs that closure no second time",
        arguments: [Place.onError, .predicate, .messages])
    func failures(place: Place) async throws {
        let client = client()
        let (runs, _) = set(place, of: client, callingTo: "/broken")
        await #expect(throws: APIError.self) { try await client.tag("forum").get("/broken").value(as: Int.self) }
        await client.waitUntilIdle()
        #expect(runs.count == 1)
        // Without the predicate, the policy retries the inner call by its own reasons.
        #expect(stubs.requests.count == (place == .predicate ? 3 : 2))
    }

    @Test("a call that an observer or a store of credentials begins is not told to it", arguments: [Place.observer, .store])
    func begins(place: Place) async throws {
        let client = client()
        let (runs, _) = set(place, of: client, callingTo: "/inner")
        #expect(try await client.tag("forum").get("/a").value(as: Int.self) == 7)
        await stubs.requestsReceived(2)
        await client.waitUntilIdle()
        // An observer would receive the end of the inner call by then.
        client.observation.queue.sync {}
        #expect(runs.count == 1)
        #expect(stubs.requests(.get, to: "/inner").count == 1)
    }

    @Test("a call that the host provider makes itself, and that has no host, fails and says why")
    func withoutHost() async throws {
        let client = Client(testing: stubs)
        let caller = Caller { [weak client] in _ = try await client?.get("/inner").value(as: Int.self) }
        client.configureDefaults { ($0.host, $0.hostProvider) = (nil, caller) }
        let error = await #expect(throws: APIError.self) { try await client.get("/a").value(as: Int.self) }
        #expect(error?.kind == .invalidRequest)
        #expect(error?.message.contains("the host provider makes the call itself") == true)
    }

    @Test("a refresh behind an interceptor goes through the interceptor, because it is not the interceptor's call")
    func behind() async throws {
        let client = client()
        stubs.get("/token").reply(data: 1)
        stubs.get("/refused").sequence(.status(401), .reply(data: 7))
        let scheme = CountingScheme { [weak client] stamp in
            _ = try await client?.get("/token").value(as: Int.self)
            return Stamp(number: stamp.number + 1)
        }
        let authentication = Authentication(scheme, store: MemoryCredentialStore(Stamp.first))
        client.configure("forum") { $0.authentication = authentication }
        client.intercept("mark") { call, next in
            var call = call
            call.request.headers["X-Mark"] = "1"
            return try await next(call)
        }
        #expect(try await client.tag("forum").get("/refused").value(as: Int.self) == 7)
        #expect(stubs.requests(.get, to: "/token").map { $0.headers["X-Mark"] } == ["1"])
    }

    @Test("a call of a task that outlives the closure has the closure")
    func afterwards() async throws {
        let client = client()
        let (gate, resolver) = Promise<Void>.pending()
        let runs = Counter()
        let later = Recorder<String?>()
        client.commonHeaders { [weak client, stubs] _ in
            runs.increment()
            if runs.count == 1 {
                Task {
                    try await gate.value
                    _ = try await client?.tag("forum").get("/inner").value(as: Int.self)
                    later.note(stubs.requests(.get, to: "/inner").first?.headers["X-App"])
                }
            }
            return ["X-App": "ios"]
        }
        #expect(try await client.tag("forum").get("/a").value(as: Int.self) == 7)
        resolver.fulfill(())
        await later.reached(1)
        #expect(later.events == ["ios"])
    }

    /// Closures of the client and its tag, which all of its calls have.
    private static let common: [Place] = [.params, .headers, .host, .interceptor, .signer, .token]

    private static let cycles = common.indices.flatMap { one in common[(one + 1)...].map { (common[one], $0) } }

    @Test("a cycle over two closures ends: each call goes without the closures in which it is made", arguments: cycles)
    func cycle(one: Place, other: Place) async throws {
        let client = client()
        let (first, _) = set(one, of: client, callingTo: "/inner")
        let (second, _) = set(other, of: client, callingTo: "/inner")
        #expect(try await client.tag("forum").get("/a").value(as: Int.self) == 7)
        // The call of the first closure runs the second one, whose call runs neither, and so the other way round.
        #expect(first.count == 2)
        #expect(second.count == 2)
    }

    @Test("a cycle over an error handler and another closure ends", arguments: common)
    func failingCycle(place: Place) async throws {
        let client = client()
        let (handled, _) = set(.onError, of: client, callingTo: "/broken")
        let (runs, _) = set(place, of: client, callingTo: "/broken")
        await #expect(throws: APIError.self) { try await client.tag("forum").get("/a").value(as: Int.self) }
        // The handler runs for the call of the closure and for the outer one, and its second call runs the closure again.
        #expect(handled.count == 2)
        #expect(runs.count == 2)
    }

    @Test("a call that a closure begins, and does not await, goes without the closure too")
    func begun() async throws {
        let client = client()
        let runs = Counter()
        client.commonHeaders { [weak client] _ in
            runs.increment()
            if runs.count < Self.bound { client?.tag("forum").get("/inner").execute(as: Int.self) }
            return [:]
        }
        #expect(try await client.tag("forum").get("/a").value(as: Int.self) == 7)
        await client.waitUntilIdle()
        #expect(runs.count == 1)
    }

    @Test("calls that closures make inside each other cost no more with each of them, forty deep")
    func deep() async throws {
        stubs.get("/a").reply(json: 1)
        let client = Client(testing: stubs)
        @Sendable func load(_ depth: Int) async throws -> Int {
            guard depth > 0 else { return try await client.get("/a").value(as: Int.self) }
            return try await client.get("/a").before { _ = try await load(depth - 1) }.value(as: Int.self)
        }
        #expect(try await load(40) == 1)
        #expect(stubs.requests.count == 41)
    }
}
