import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

#if canImport(Glibc)
import Glibc
#endif

/// A backend that accepts each refresh token once. A token that arrives a second time ends the session.
private final class RotatingBackend: Sendable {
    private struct State {
        var number = 1
        var refreshes = 0
        var isRevoked = false
        var refused = 0
    }

    let server: LoopbackServer
    private let state = Monitor(State())

    /// - Parameter together: The number of calls that have to be refused before the backend answers any of them.
    init(together: Int) throws {
        server = try LoopbackServer()
        let gate = LoopbackGate()
        // The handler runs on the server's thread, because all threads of tasks may be waiting for processes.
        server.on(.get, "/me") { [state] request in
            let (isGood, isLast) = state.withLock { state in
                if !state.isRevoked, request.headers["Authorization"] == "Bearer a\(state.number)" { return (true, false) }
                state.refused += 1
                return (false, state.refused == together)
            }
            if isGood { return .json(["data": 1, "code": 0]) }
            if isLast { gate.open() }
            return StubReply.status(401).held(by: gate)
        }
        server.on(.post, "/token") { [state] request in
            state.withLock { state -> StubReply in
                state.refreshes += 1
                guard !state.isRevoked, String(decoding: request.body, as: UTF8.self) == "r\(state.number)" else {
                    state.isRevoked = true
                    return .status(400)
                }
                state.number += 1
                return .text("\(state.number)")
            }
        }
    }

    deinit { server.stop() }

    var refreshes: Int { state.withLock { $0.refreshes } }
    var isRevoked: Bool { state.withLock { $0.isRevoked } }
}

@Suite("A credential that several processes share", .limitedParallelism)
struct ProcessCredentialTests {
    /// Returns the client of one process, and its sign-in with a credential file.
    private static func signIn(_ origin: String, _ file: URL) -> (client: Client, signIn: Authentication<BearerAuthenticator>) {
        let client = Client()
        let signIn = Authentication(
            BearerAuthenticator { old in
                let number = try await client.host(origin).post("/token").authenticated(false)
                    .body(Data((old.refreshToken ?? "").utf8), contentType: "text/plain").execute(.string).value
                return BearerToken(accessToken: "a\(number)", refreshToken: "r\(number)", user: old.user)
            }, store: FileCredentialStore(file: file))
        client.configure("forum") {
            $0.host = origin
            $0.authentication = signIn
            // The other process may take long to start.
            $0.timeout = .seconds(600)
        }
        return (client, signIn)
    }

    private static let spent = BearerToken(accessToken: "a0", refreshToken: "r1", user: "7")

    #if compiler(>=6.2) && os(Linux) && canImport(Glibc)
    @Test("two processes whose calls are refused at the same time refresh once and stay signed in", .needsEngineInProcesses)
    func twoProcesses() async throws {
        let (folder, backend) = (try ScratchFolder(), try RotatingBackend(together: min(2, ProcessInfo.processInfo.activeProcessorCount)))
        let file = folder.file("token.json")
        try FileCredentialStore<BearerToken>(file: file).save(Self.spent)
        let (origin, path) = (backend.server.url, file.path())
        @Sendable func process() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                [origin = origin as String, path = path as String] in
                let (client, _) = ProcessCredentialTests.signIn(origin, URL(filePath: path))
                for _ in 0..<3 {
                    let value = try await client.tag("forum").get("/me").value(as: Int.self)
                    if value != 1 { exit(1) }
                }
            }
            let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            // Older versions of libcurl cause a message of their own.
            #expect(
                words.split(separator: "\n").filter { !$0.hasPrefix("Catena: libcurl ") } == [], "output of the process on standard error")
        }
        async let one: Void = process()
        async let other: Void = process()
        _ = await (one, other)
        #expect(backend.refreshes == 1)
        #expect(!backend.isRevoked)
        #expect(try FileCredentialStore<BearerToken>(file: file).load()?.accessToken == "a2")
    }
    #endif

    @Test("a process takes over the credential that another process refreshed, also after a refusal", arguments: [1, 5])
    func takenOver(others: Int) async throws {
        let (folder, backend) = (try ScratchFolder(), try RotatingBackend(together: 1))
        let file = folder.file("token.json")
        try FileCredentialStore<BearerToken>(file: file).save(Self.spent)
        let processes = (0...others).map { _ in Self.signIn(backend.server.url, file) }
        // All processes have read the spent credential.
        for (_, signIn) in processes { #expect(try signIn.credential()?.accessToken == "a0") }
        for (client, _) in processes { #expect(try await client.tag("forum").get("/me").value(as: Int.self) == 1) }
        #expect(backend.refreshes == 1)
        #expect(!backend.isRevoked)
    }

    @Test("a sign-out applies to all processes, and a call that began for one user never has another user's credential")
    func signOut() async throws {
        let (folder, backend) = (try ScratchFolder(), try RotatingBackend(together: 1))
        let file = folder.file("token.json")
        try FileCredentialStore<BearerToken>(file: file).save(Self.spent)
        let (one, other) = (Self.signIn(backend.server.url, file), Self.signIn(backend.server.url, file))
        for (_, signIn) in [one, other] { #expect(try signIn.credential() != nil) }
        try one.signIn.signOut()
        var error = await #expect(throws: APIError.self) { try await other.client.tag("forum").get("/me").execute(.void).value }
        #expect(error?.kind == .missingCredential)
        #expect(backend.refreshes == 0)
        let third = Self.signIn(backend.server.url, file)
        try third.signIn.signIn(Self.spent)
        #expect(try one.signIn.credential() == nil)
        let fourth = Self.signIn(backend.server.url, file)
        #expect(try fourth.signIn.credential()?.user == "7")
        try third.signIn.signIn(BearerToken(accessToken: "a1", refreshToken: "r1", user: "8"))
        error = await #expect(throws: APIError.self) { try await fourth.client.tag("forum").get("/me").execute(.void).value }
        #expect(error?.kind == .missingCredential)
        #expect(backend.refreshes == 0)
        #expect(try await fourth.client.tag("forum").get("/me").value(as: Int.self) == 1)
    }

    @Test("a lock that is never released delays a refresh by its timeout only")
    func deadLock() async throws {
        let folder = try ScratchFolder()
        let clock = VirtualClock(isAutomatic: true)
        let store = FileCredentialStore<Stamp>(file: folder.file("stamp.json"))
        try store.save(.first)
        let signIn = Authentication(CountingScheme(), store: store, refreshTimeout: .seconds(7))
        let held = try #require(try store.lock())
        #expect(try store.lock() == nil)
        let unauthorized = APIError(.status, status: 401)
        #expect(try await signIn.call(on: clock) { $0 == "a1" ? nil : unauthorized }.token == "a1")
        #expect(clock.now >= .seconds(7) && clock.now < .seconds(8))
        withExtendedLifetime(held) {}
    }

    @Test("a credential that could not be saved is not replaced by the store's older one")
    func unsaved() async throws {
        let store = FailingStore()
        let signIn = Authentication(CountingScheme(), store: store)
        let clock = VirtualClock(isAutomatic: true)
        let unauthorized = APIError(.status, status: 401)
        for number in 1...3 {
            #expect(try await signIn.call(on: clock) { $0 == "a\(number)" ? nil : unauthorized }.token == "a\(number)")
        }
    }

    @Test("a sign-in that could not be saved is not replaced by the store's older credential, which nothing has read")
    func unsavedSignIn() async throws {
        let signIn = Authentication(CountingScheme(), store: FailingStore())
        #expect(throws: CocoaError.self) { try signIn.signIn(Stamp(number: 5)) }
        let clock = VirtualClock(isAutomatic: true)
        let token = try await signIn.call(on: clock) { $0 == "a6" ? nil : APIError(.status, status: 401) }.token
        #expect(token == "a6")
    }

    @Test("a sign-in that is still being saved is not replaced by the store's older credential")
    func savingSignIn() async {
        let store = HeldStore()
        let signIn = Authentication(CountingScheme(), store: store)
        async let saved: Void = onThread(stackSize: 1 << 20) { try? signIn.signIn(Stamp(number: 5)) }
        await store.saving.reached(1)
        let clock = VirtualClock(isAutomatic: true)
        let token = try? await signIn.call(on: clock) { $0 == "a6" ? nil : APIError(.status, status: 401) }.token
        #expect(token == "a6")
        store.release()
        await saved
        #expect(store.load() == Stamp(number: 6))
    }
}

/// A store whose saves wait until the test releases them.
private final class HeldStore: CredentialStore {
    let saving = Counter()
    private let held = Mutex<Stamp?>(.first)
    private let gate = DispatchSemaphore(value: 0)

    func load() -> Stamp? { held.withLock { $0 } }

    func save(_ credential: Stamp?) {
        saving.increment()
        gate.wait()
        // Let the following saves pass, too.
        gate.signal()
        held.withLock { $0 = credential }
    }

    func release() { gate.signal() }
}

/// A store whose credential cannot be replaced.
private final class FailingStore: CredentialStore {
    func load() -> Stamp? { .first }
    func save(_ credential: Stamp?) throws { throw CocoaError(.fileWriteOutOfSpace) }
}
