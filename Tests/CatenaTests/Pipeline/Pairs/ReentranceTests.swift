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
    enum Place: CaseIterable { case params, headers, host, interceptor, before, signer, onError, predicate }

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
        case .host: client.configureDefaults { ($0.host, $0.hostProvider) = (nil, caller) }
        case .interceptor:
            client.intercept("inner") { call, next in
                try await inner()
                return try await next(call)
            }
        case .signer: client.configure("forum") { $0.signer = caller }
        case .onError:
            client.onError { _, _ in
                try? await inner()
                return .proceed
            }
        case .before: return (runs, { $0.before { try await inner() } })
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

    private static let awaiting = Place.allCases.filter { $0 != .onError && $0 != .predicate }

    @Test("a call goes without the closure that makes it, and the outer call has its value", arguments: awaiting)
    func values(place: Place) async throws {
        let client = client()
        let (runs, change) = set(place, of: client, callingTo: "/inner")
        #expect(try await change(client.tag("forum").get("/a")).value(as: Int.self) == 7)
        #expect(runs.count == 1)
        #expect(stubs.calls(.get, to: "/inner").count == 1)
    }

    @Test("a failing call of an error handler or a predicate runs that closure no second time", arguments: [Place.onError, .predicate])
    func failures(place: Place) async throws {
        let client = client()
        let (runs, _) = set(place, of: client, callingTo: "/broken")
        await #expect(throws: APIError.self) { try await client.tag("forum").get("/broken").value(as: Int.self) }
        await client.waitUntilIdle()
        #expect(runs.count == 1)
        // Without the predicate, the policy retries the inner call by its own reasons.
        #expect(stubs.calls.count == (place == .predicate ? 3 : 2))
    }

    @Test("a cycle over two closures ends: each call goes without the closures in which it is made")
    func cycle() async throws {
        let client = client()
        let (params, _) = set(.params, of: client, callingTo: "/inner")
        let (headers, _) = set(.headers, of: client, callingTo: "/inner")
        #expect(try await client.tag("forum").get("/a").value(as: Int.self) == 7)
        // The call of the params runs the headers, whose call runs neither, and so the other way round.
        #expect(params.count == 2)
        #expect(headers.count == 2)
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
}
