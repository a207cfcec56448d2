import CatenaArchive
import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Tokens from a closure", .limitedParallelism)
struct TokenAuthenticationTests {
    private let stubs = Stubs()

    private struct Locked: LocalizedError { var errorDescription: String? { "the vault is locked" } }

    private func client(_ vault: Vault, clock: VirtualClock? = nil) -> Client {
        let client = Client(testing: stubs, clock: clock)
        client.configure("forum") {
            $0.host = "https://forum.test"
            $0.authentication = vault.authentication
        }
        return client
    }

    private var sent: [String?] { stubs.requests.map { $0.headers["Authorization"] } }

    @Test("the token closure runs once for each call")
    func closure() async throws {
        let (client, asked) = (Client(testing: stubs), Counter())
        client.configure("forum") { forum in
            forum.host = "https://forum.test"
            forum.authentication = .bearer {
                asked.increment()
                return "made-up-\(asked.count)"
            }
        }
        stubs.get("/a").reply(data: 1)
        for _ in 0..<2 { try await client.tag("forum").get("/a").execute(.void).value }
        #expect(sent == ["Bearer made-up-1", "Bearer made-up-2"])
    }

    @Test("the token closure runs for every attempt, but not for authenticated(false)")
    func attempts() async throws {
        let vault = Vault("") { vault, number in vault.change(to: "made-up-\(number)") }
        stubs.get("/a").sequence(.status(503), .status(503), .reply(data: 1), .reply(data: 1))
        let request = client(vault).tag("forum").get("/a").retry(.exponential(limit: 2, baseDelay: .zero))
        try await request.execute(.void).value
        #expect(sent == ["Bearer made-up-1", "Bearer made-up-2", "Bearer made-up-3"])
        try await request.authenticated(false).execute(.void).value
        #expect(vault.asked.count == 3)
        #expect(sent.last == .some(nil))
    }

    @Test("the token closure does not run for a call to another host")
    func elsewhere() async throws {
        let vault = Vault("made-up")
        stubs.get("https://other.test/a").reply(data: 1)
        try await client(vault).tag("forum").host("https://other.test").get("/a").execute(.void).value
        #expect(vault.asked.count == 0 && sent == [nil])
    }

    @Test("without a token no user is signed in, no call is sent, and the error names authenticated(false)", arguments: [nil, ""])
    func nobody(token: String?) async throws {
        let error = await #expect(throws: APIError.self) {
            try await client(Vault(token)).tag("forum").get("/a").execute(.void).value
        }
        #expect(error?.kind == .missingCredential)
        #expect(error?.message == "No user is signed in. Sign in first, or call authenticated(false) if the call needs no credential.")
        #expect(error?.request?.url == "https://forum.test/a")
        #expect(stubs.requests.isEmpty)
    }

    @Test("an error of the token closure fails the call with its message, before anything is sent")
    func throwing() async throws {
        let vault = Vault("made-up") { _, _ in throw Locked() }
        let error = await #expect(throws: APIError.self) { try await client(vault).tag("forum").get("/a").execute(.void).value }
        #expect(error?.message == "authentication: the vault is locked")
        #expect(error?.underlying is Locked)
        #expect(error?.request?.url == "https://forum.test/a")
        #expect(stubs.requests.isEmpty)
    }

    @Test("an APIError of the token closure fails the call unchanged")
    func throwingAPIError() async throws {
        let vault = Vault("made-up") { _, _ in throw APIError(.business, code: 7, message: "locked") }
        let error = await #expect(throws: APIError.self) { try await client(vault).tag("forum").get("/a").execute(.void).value }
        #expect(error?.code == 7 && error?.message == "locked")
    }

    @Test("a call that is cancelled while the token closure runs is not sent")
    func cancelled() async {
        let vault = Vault("made-up") { _, _ in await untilCancelled() }
        let call: Promise<Void> = client(vault).tag("forum").get("/a").execute(.void)
        await vault.asked.reached(1)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(stubs.requests.isEmpty)
    }

    /// The form in which a backend refuses a token.
    enum Refusal: CaseIterable {
        case status, code

        var reply: StubReply {
            switch self {
            case .status: .status(401)
            case .code: .reply(code: 7, message: "expired")
            }
        }
    }

    private func refusing(_ refusal: Refusal, _ accepted: String) {
        stubs.get("/a").reply { $0.headers["Authorization"] == "Bearer \(accepted)" ? .reply(data: 1) : refusal.reply }
    }

    private func refused(_ vault: Vault) -> Client {
        let client = client(vault)
        client.configureDefaults { $0.envelope = .standard.authentication(7) }
        return client
    }

    @Test("after a refusal the token closure runs once more, and the call is sent once more", arguments: Refusal.allCases)
    func refreshed(refusal: Refusal) async throws {
        let vault = Vault("made-up-1") { vault, number in if number == 2 { vault.change(to: "made-up-2") } }
        refusing(refusal, "made-up-2")
        try await refused(vault).tag("forum").get("/a").execute(.void).value
        #expect(sent == ["Bearer made-up-1", "Bearer made-up-2"])
        #expect(vault.asked.count == 2)
    }

    @Test("a refusal fails the call if the token closure has no other token", arguments: Refusal.allCases, ["made-up-1", nil])
    func stands(refusal: Refusal, second: String?) async throws {
        let vault = Vault("made-up-1") { vault, number in if number == 2 { vault.change(to: second) } }
        refusing(refusal, "made-up-2")
        let error = await #expect(throws: APIError.self) { try await refused(vault).tag("forum").get("/a").execute(.void).value }
        #expect(error?.code == (refusal == .status ? 401 : 7))
        #expect(sent == ["Bearer made-up-1"])
        #expect(vault.asked.count == 2)
    }

    @Test("a call is not sent a third time, even if the token closure has more tokens")
    func third() async throws {
        let vault = Vault("") { vault, number in vault.change(to: "made-up-\(number)") }
        stubs.get("/a").reply(status: 401)
        let error = await #expect(throws: APIError.self) { try await client(vault).tag("forum").get("/a").execute(.void).value }
        #expect(error?.status == 401)
        #expect(sent == ["Bearer made-up-1", "Bearer made-up-2"])
        #expect(vault.asked.count == 2)
    }

    @Test("an error of the token closure after a refusal fails the call and keeps the refusal")
    func throwingLater() async throws {
        let vault = Vault("made-up-1") { _, number in if number == 2 { throw Locked() } }
        stubs.get("/a").reply(status: 401)
        let error = await #expect(throws: APIError.self) { try await client(vault).tag("forum").get("/a").execute(.void).value }
        #expect(error?.message == "authentication: the vault is locked")
        #expect((error?.underlying as? RefreshError)?.original?.status == 401)
        #expect(stubs.requests.count == 1)
    }

    @Test("a 401 for the call's own Authorization header does not run the token closure again")
    func ownHeader() async throws {
        let vault = Vault("made-up")
        stubs.get("/a").reply(status: 401)
        let request = client(vault).tag("forum").get("/a").header("Authorization", "Basic made-up")
        await #expect(throws: APIError.self) { try await request.execute(.void).value }
        #expect(sent == ["Basic made-up"] && vault.asked.count == 1)
    }

    @Test("calls of the token closure have no token, and do not wait for the places of the calls that wait for it")
    func nested() async throws {
        let client = Client(testing: stubs)
        stubs.post("/token").reply(data: "made-up")
        stubs.get("/a").sequence(.status(503), .reply(data: 1))
        client.configure("forum") {
            $0.host = "https://forum.test"
            $0.maxConcurrentCalls = ConcurrencyLimit(1)
            $0.authentication = .bearer { try await client.tag("forum").post("/token").value(as: String.self) }
        }
        try await client.tag("forum").get("/a").retry(.exponential(limit: 1, baseDelay: .zero)).execute(.void).value
        #expect(sent == [nil, "Bearer made-up", nil, "Bearer made-up"])
    }

    @Test("a preview runs the token closure once and has its token")
    func preview() async throws {
        let vault = Vault("made-up")
        let request = client(vault).tag("forum").get("/a")
        #expect(try await request.preview().headers["Authorization"] == "Bearer made-up")
        #expect(vault.asked.count == 1)
    }

    @Test("a token that no header can carry is refused and not shown")
    func broken() async throws {
        let request = client(Vault("se\r\nX-Cret: 1")).tag("forum").get("/a")
        let error = await #expect(throws: APIError.self) { try await request.execute(.void).value }
        #expect(error?.kind == .invalidRequest && error?.message.hasPrefix("authentication: ") == true)
        #expect(stubs.requests.isEmpty)
        if let error { #expect(!"\(error) \(String(reflecting: error))".contains("Cret")) }
    }

    @Test("logs, archives, errors and dumps do not show the token")
    func secret() async throws {
        let (vault, lines, recorder) = (Vault("t0pmost"), Recorder<String>(), HARRecorder())
        stubs.get("/a").reply(status: 500)
        let client = client(vault)
        client.log(.verbose, to: LogSink { lines.note($0) })
        client.record(into: recorder)
        client.onError { error, request in
            lines.note("\(error) \(String(reflecting: error)) \(request) \(request.headers) \(String(reflecting: request))")
            return .proceed
        }
        let request = client.tag("forum").get("/a")
        let error = await #expect(throws: APIError.self) { try await request.execute(.void).value }
        let run = CallRun(request)
        let call = try await Preparation.call(of: run)
        let authenticated = try await call.authenticated(by: vault.authentication, call.authenticationContext)
        let pass = try #require(authenticated.pass)
        await lines.reached(2)
        let shown = [
            "\(String(describing: error))", error.map { "\($0.request?.headers ?? [:])" } ?? "", try await request.curl(),
            String(decoding: try await recorder.archive(), as: UTF8.self), "\(vault.authentication)", "\(authenticated)", "\(pass)",
            String(reflecting: authenticated), String(reflecting: pass), String(reflecting: try call.authenticationContext),
        ]
        for text in shown + lines.events { #expect(!text.contains("t0pmost")) }
        var dumped = ""
        dump(authenticated, to: &dumped)
        #expect(!dumped.contains("t0pmost"))
        // The request itself has the token.
        #expect(authenticated.request.headers["Authorization"] == "Bearer t0pmost")
    }
}
