import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("The sign-in of awaited calls in the task of their caller", .limitedParallelism)
struct DirectSignInTests {
    /// An authenticator whose steps run the test's closures.
    private struct Scheme: Authenticator {
        var needsRefresh: @Sendable (BearerToken) -> Bool = { _ in false }
        var apply: @Sendable () throws -> Void = {}
        var refresh: @Sendable () -> Void = {}

        func apply(_ credential: BearerToken, to request: inout HTTPRequest) throws {
            try apply()
            request.headers["Authorization"] = credential.accessToken
        }

        func refresh(_ credential: BearerToken) async throws -> BearerToken {
            refresh()
            return BearerToken(accessToken: credential.accessToken + "'", user: "ann")
        }

        func needsRefresh(_ credential: BearerToken) -> Bool { needsRefresh(credential) }
        func identity(of credential: BearerToken) -> String { credential.user ?? "" }
    }

    /// Responds at once, and records the credentials.
    private final class Canned: Transport {
        let keepsLimits = true
        let status: Int
        let seen = Recorder<String>()
        let whenAsked: @Sendable () -> Void

        init(status: Int = 200, whenAsked: @escaping @Sendable () -> Void = {}) {
            self.status = status
            self.whenAsked = whenAsked
        }

        func send(_ request: HTTPRequest) async throws -> TransportResponse {
            seen.note(request.headers["Authorization"] ?? "")
            whenAsked()
            return .json("1", status: status)
        }
    }

    private struct Refusal: Error {}

    private func client(over transport: Canned, signingInBy authentication: Authentication<Scheme>) -> Client {
        let client = Client(transport: transport)
        client.configure("forum") { forum in
            forum.host = "https://example.com"
            forum.authentication = authentication
        }
        return client
    }

    @Test("a credential that another call has just refreshed is not refreshed again")
    func refreshedMeanwhile() async throws {
        let refreshes = Counter()
        let holder = Mutex<Authentication<Scheme>?>(nil)
        let scheme = Scheme(
            needsRefresh: { credential in
                guard credential.accessToken == "old" else { return false }
                // Simulates that another call's refresh ends here.
                try? holder.withLock { $0 }?.signIn(BearerToken(accessToken: "new", user: "ann"))
                return true
            }, refresh: { refreshes.increment() })
        let authentication = Authentication(scheme, store: MemoryCredentialStore(BearerToken(accessToken: "old", user: "ann")))
        holder.withLock { $0 = authentication }
        let transport = Canned()
        let client = client(over: transport, signingInBy: authentication)
        var request = try await client.tag("forum").get("/a").authenticated(false).preview()
        let pass = try await authentication.authenticateAfterWait(
            &request, AuthenticationContext(clock: client.clock, caller: try authentication.callIdentity()))
        #expect(pass.identity == "ann" && request.headers["Authorization"] == "new")
        #expect(refreshes.count == 0)
    }

    @Test("a call that is cancelled when its response arrives ends as cancelled, whatever the response", arguments: [0, 1])
    func cancelledWithResponse(retries: Int) async throws {
        let transport = Canned(status: 503, whenAsked: { withUnsafeCurrentTask { $0?.cancel() } })
        let client = client(
            over: transport, signingInBy: Authentication(Scheme(), store: MemoryCredentialStore(BearerToken(accessToken: "made-up"))))
        let handled = Counter()
        let ends = Recorder<String>()
        client.configureDefaults { $0.retry = retries == 0 ? .never : .exponential(limit: retries) }
        client.onError { _, _ in
            handled.increment()
            return .proceed
        }
        client.observe { event in
            if case .finished(let result) = event.kind { ends.note("\(result)") }
        }
        let task = Task { try await client.tag("forum").get("/a").value(as: Int.self) }
        await #expect(throws: CancellationError.self) { try await task.value }
        await client.observation.finish()
        #expect(handled.count == 0)
        #expect(ends.events.count == 1 && ends.events[0].contains("Cancellation"))
        #expect(transport.seen.events.count == 1)
        await client.hasNoCalls()
    }

    @Test("a call that is cancelled during its sign-in is not sent")
    func cancelledInSignIn() async throws {
        let holder = Mutex<Client?>(nil)
        let scheme = Scheme(apply: { holder.withLock { $0 }?.calls.cancel(tag: "forum") })
        let transport = Canned()
        let client = client(
            over: transport, signingInBy: Authentication(scheme, store: MemoryCredentialStore(BearerToken(accessToken: "made-up"))))
        holder.withLock { $0 = client }
        let attempts = Counter()
        client.observe { event in
            if case .attempt = event.kind { attempts.increment() }
        }
        await #expect(throws: CancellationError.self) { try await client.tag("forum").get("/a").value(as: Int.self) }
        await client.observation.finish()
        #expect(transport.seen.events.isEmpty && attempts.count == 0)
        holder.withLock { $0 = nil }
    }

    @Test("an attempt calls a failing authenticator once")
    func refused() async throws {
        let applied = Counter()
        let scheme = Scheme(apply: {
            applied.increment()
            throw Refusal()
        })
        let transport = Canned()
        let client = client(
            over: transport, signingInBy: Authentication(scheme, store: MemoryCredentialStore(BearerToken(accessToken: "made-up"))))
        await #expect(throws: (any Error).self) { try await client.tag("forum").get("/a").value(as: Int.self) }
        #expect(applied.count == 1)
        #expect(transport.seen.events.isEmpty)
    }
}
