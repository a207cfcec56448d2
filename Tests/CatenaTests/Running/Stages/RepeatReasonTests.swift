import CatenaTesting
import TestSupport
import Testing

@testable import Catena

@Suite("Errors of other sendings", .limitedParallelism)
struct RepeatReasonTests {
    private static var notProcessed: APIError {
        var error = APIError(.connectionLost)
        error.contents.repeatReason = .notProcessed
        return error
    }

    @Test("a call is not repeated because its refresh was not processed")
    func refresh() async throws {
        let transport = ClosureTransport { _ in .status(401) }
        let client = Client(transport: transport)
        client.configure("forum") { forum in
            forum.host = "https://forum.example.com"
            forum.authentication = Authentication(
                BearerAuthenticator { _ in throw Self.notProcessed }, store: MemoryCredentialStore(BearerToken(accessToken: "made-up")))
        }
        let error = await #expect(throws: APIError.self) { try await client.tag("forum").post("/a").value(as: Int.self) }
        #expect(error?.kind == .connectionLost && error?.attempts == 1)
        #expect(transport.requests.count == 1)
    }

    /// The failure of the target of a redirect, after the server has answered the request itself.
    enum TargetFailure: CaseIterable {
        case notProcessed, unauthorized, unreachable
    }

    @Test("a request that the server has answered with a redirect to a GET is not sent again", arguments: TargetFailure.allCases)
    func redirected(failure: TargetFailure) async throws {
        let transport = ClosureTransport { request in
            if request.method == .post { return .status(303, headers: ["Location": "/orders/7"]) }
            switch failure {
            case .notProcessed: throw Self.notProcessed
            case .unauthorized: return .status(401)
            case .unreachable: throw APIError(.connect)
            }
        }
        let client = Client(transport: transport)
        let fallback = HostFallback(HostRewrite(["forum.example.com": "https://vpn.example.com"]))
        client.configure("forum") { forum in
            forum.host = "https://forum.example.com"
            if failure == .unreachable { forum.intercept("proxy", with: fallback.intercept) }
            forum.authentication = Authentication(
                BearerAuthenticator { _ in BearerToken(accessToken: "new") }, store: MemoryCredentialStore(BearerToken(accessToken: "old")))
        }
        await #expect(throws: APIError.self) { try await client.tag("forum").post("/orders").value() }
        #expect(transport.requests.map(\.method) == [.post, .get])
    }

    @Test("a request is sent again if the server has not carried it out, or may carry it out twice", arguments: [HTTPMethod.post, .put])
    func redirectedAgain(method: HTTPMethod) async throws {
        let count = Counter()
        let transport = ClosureTransport { request in
            if request.address.path == "/orders" { return .status(method == .post ? 307 : 303, headers: ["Location": "/orders/7"]) }
            count.increment()
            if count.count == 1 { throw Self.notProcessed }
            return .json("{}")
        }
        _ = try await Client(transport: transport).host("https://forum.example.com").path("/orders").method(method).value()
        let second = method == .post ? HTTPMethod.post : .get
        #expect(transport.requests.map(\.method) == [method, second, method, second])
    }

    @Test("neither a rate limit nor an empty retry budget refuses a repeat", arguments: [0, 2])
    func limits(retries: Int) async throws {
        let count = Counter()
        let transport = ClosureTransport { _ in
            count.increment()
            if count.count == 1 { throw Self.notProcessed }
            return .json("{}")
        }
        let client = Client(transport: transport, clock: VirtualClock())
        client.configure("forum") { forum in
            forum.host = "https://forum.example.com"
            forum.rateLimits = [RateLimit(1, per: .seconds(60))]
            forum.retry = .exponential(limit: retries)
            forum.retry?.budget = RetryBudget(reserve: 0, share: 0)
        }
        _ = try await client.tag("forum").post("/orders").value()
        #expect(transport.requests.count == 2)
    }

    private struct FailingSigner: RequestSigner {
        let asked: Counter

        func sign(_ request: inout HTTPRequest, params: Params) async throws {
            asked.increment()
            throw RepeatReasonTests.notProcessed
        }
    }

    @Test("a call is not repeated because its signer's own request was not processed")
    func signer() async throws {
        let stubs = Stubs()
        let client = Client(testing: stubs)
        let asked = Counter()
        client.configure("forum") { forum in
            forum.host = "https://forum.example.com"
            forum.signer = FailingSigner(asked: asked)
        }
        await #expect(throws: APIError.self) { try await client.tag("forum").get("/a").value(as: Int.self) }
        #expect(asked.count == 1)
        #expect(stubs.requests.isEmpty)
    }

    @Test("a call that is sent again because a 304 belonged to another request runs the common closures again")
    func unusable() async throws {
        let stubs = Stubs()
        stubs.get("/a").sequence(.json(1).header("ETag", "\"1\"").header("Cache-Control", "max-age=0"), .status(304), .json(2))
        let client = Client(testing: stubs)
        let asked = Counter()
        client.commonHeaders { _ in
            asked.increment()
            return ["X-Asked": "\(asked.count)"]
        }
        client.configure("forum") { forum in
            forum.host = "https://forum.example.com"
            forum.cache = .memory(limit: 1 << 20)
            forum.requestKeyRules = RequestKeyRules()
            forum.requestKeyRules?.volatileHeaders.insert("x-asked")
        }
        #expect(try await client.tag("forum").get("/a").value(as: Int.self) == 1)
        client.intercept("person", .after(.transport)) { call, next in
            var call = call
            call.request.headers["X-Person"] = "Ann"
            return try await next(call)
        }
        #expect(try await client.tag("forum").get("/a").value(as: Int.self) == 2)
        #expect(stubs.requests.map { $0.headers["X-Asked"] } == ["1", "2", "3"])
    }
}
