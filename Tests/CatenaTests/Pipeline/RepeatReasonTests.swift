import CatenaTesting
import TestSupport
import Testing

@testable import Catena

@Suite("Sendings of their own", .limitedParallelism)
struct RepeatReasonTests {
    private static var notProcessed: APIError {
        var error = APIError(.connectionLost)
        error.repeatReason = .notProcessed
        return error
    }

    @Test("a call whose refresh was not processed is not sent once more for that")
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

    @Test("nor is one whose signer has called a server that did not process that")
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

    @Test("a call that is sent anew, since a 304 was said of another request, asks the common closures anew")
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
