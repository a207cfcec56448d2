import CatenaTesting
import TestSupport
import Testing

@testable import Catena

@Suite("Errors of other sendings", .limitedParallelism)
struct RepeatReasonTests {
    private static var notProcessed: APIError {
        var error = APIError(.connectionLost)
        error.repeatReason = .notProcessed
        return error
    }

    @Test("a call is not repeated because its refresh was not processed")
    func refresh() async throws {
        let transport = StubTransport { _ in .status(401) }
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
        #expect(stubs.calls.isEmpty)
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
        #expect(stubs.calls.map { $0.headers["X-Asked"] } == ["1", "2", "3"])
    }
}
