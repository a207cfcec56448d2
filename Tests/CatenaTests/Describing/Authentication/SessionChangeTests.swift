import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena
@testable import CatenaFleet

@Suite("Changes of a session", .limitedParallelism)
struct SessionChangeTests {
    private typealias Kind = SessionChange.Kind

    private static let refusal = APIError(.status, status: 401)
    private let stubs = Stubs()

    /// Reads the changes that have been reported, of which the last one has to be known.
    private static func kinds(_ changes: AsyncStream<SessionChange>, _ count: Int) async -> [Kind] {
        var (iterator, kinds) = (changes.makeAsyncIterator(), [Kind]())
        while kinds.count < count, let change = await iterator.next() { kinds.append(change.kind) }
        return kinds
    }

    // MARK: The state

    enum Step: Sendable {
        case signIn(String?), signOut, refresh(String?), refused
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [Step]
        let kinds: [SessionChange.Kind]
    }

    static let rows = [
        Row(testDescription: "a sign-out without a user", steps: [.signOut], kinds: []),
        Row(testDescription: "in and out", steps: [.signIn("a"), .signOut, .signOut], kinds: [.signedIn, .signedOut]),
        Row(testDescription: "the same user again", steps: [.signIn("a"), .signIn("a")], kinds: [.signedIn, .refreshed]),
        Row(testDescription: "another user", steps: [.signIn("a"), .signIn("b")], kinds: [.signedIn, .signedOut, .signedIn]),
        Row(testDescription: "an unknown user", steps: [.signIn(nil), .signIn(nil)], kinds: [.signedIn, .signedOut, .signedIn]),
        Row(
            testDescription: "a refresh", steps: [.signIn("a"), .refresh("a"), .refresh(nil)], kinds: [.signedIn, .refreshed, .refreshed]),
        Row(
            testDescription: "a refresh for another user", steps: [.signIn("a"), .refresh("b")], kinds: [.signedIn, .signedOut, .signedIn]),
        Row(
            testDescription: "a session that is refused and signed out has one end", steps: [.signIn("a"), .refused, .refused, .signOut],
            kinds: [.signedIn, .refused(refusal)]),
        Row(
            testDescription: "a sign-in after a refusal", steps: [.signIn("a"), .refused, .signIn("a"), .refused],
            kinds: [.signedIn, .refused(refusal), .signedIn, .refused(refusal)]),
        Row(
            testDescription: "another user after a refusal", steps: [.signIn("a"), .refused, .signIn("b")],
            kinds: [.signedIn, .refused(refusal), .signedIn]),
        Row(
            testDescription: "a refresh that succeeds after a refusal", steps: [.signIn("a"), .refused, .refresh("a"), .signOut],
            kinds: [.signedIn, .refused(refusal), .signedIn, .signedOut]),
        Row(testDescription: "a refusal after the sign-out", steps: [.signIn("a"), .signOut, .refused], kinds: [.signedIn, .signedOut]),
    ]

    @Test("the changes of each course of a session", arguments: rows)
    func course(_ row: Row) {
        var state = CredentialState<Int>(window: nil)
        var kinds: [Kind] = []
        for (number, step) in row.steps.enumerated() {
            let generation = state.generation
            switch step {
            case .signIn(let user): state.replace(with: number, of: user.map { ExactText($0) })
            case .signOut: state.replace(with: nil, of: nil)
            case .refresh(let user): _ = state.finishRefresh(of: generation, with: number, of: user.map { ExactText($0) })
            case .refused: state.noteRefusedRefresh(of: generation, Self.refusal)
            }
            kinds += state.takeChanges()
        }
        #expect(kinds == row.kinds)
        #expect(state.takeChanges() == [])
    }

    @Test("a refresh that ends after a sign-out or another sign-in changes nothing, and neither does a stored credential")
    func late() {
        var state = CredentialState<Int>(window: nil)
        state.load(1, of: nil)
        #expect(state.takeChanges() == [])
        let former = state.generation
        state.replace(with: 2, of: nil)
        #expect(state.takeChanges() == [.signedOut, .signedIn])
        state.noteRefusedRefresh(of: former, Self.refusal)
        _ = state.finishRefresh(of: former, with: 3, of: nil)
        #expect(state.takeChanges() == [])
    }

    // MARK: Calls

    @Test("in 10,000 calls with refusals each session has one end")
    func oneEnd() async throws {
        let signIn = Authentication(CountingScheme { _ in throw Self.refusal }, window: nil)
        let changes = Recorder<SessionChange>()
        let stream = try #require(signIn.sessions(of: "forum"))
        let reader = Task { for await change in stream { changes.note(change) } }
        for round in 1...100 {
            try signIn.signIn(Stamp(number: round))
            let answers = await signIn.calls(100) { _ in
                // The app signs out while its calls are refused.
                if round.isMultiple(of: 3) { try signIn.signOut() }
                return Self.refusal
            }
            #expect(answers.allSatisfy { $0.apiError != nil })
            try signIn.signOut()
            await changes.reached(2 * round)
        }
        reader.cancel()
        let kinds = changes.events.map(\.kind)
        #expect(kinds.count == 200)
        #expect(zip(kinds.indices, changes.events).allSatisfy { $1.isEnd == ($0 % 2 == 1) })
        #expect(kinds.filter { $0 == .refused(Self.refusal) }.count >= 67)
        #expect(changes.events.allSatisfy { $0.tag == "forum" })
    }

    /// Returns a client whose calls are refused, and whose refresh has this reply.
    private func refused(_ reply: StubReply, _ refresh: (@Sendable (BearerToken) async throws -> BearerToken)? = nil) throws -> (
        client: Client, signIn: Authentication<BearerAuthenticator>
    ) {
        let client = Client(testing: stubs)
        let signIn = Authentication(
            BearerAuthenticator { old in
                if let refresh { return try await refresh(old) }
                return try await client.tag("account").post("/token").params(["refresh": old.refreshToken]).value()
            })
        client.configure("account") { $0.envelope = .standard.retryable(10_099).authentication(10_010) }
        client.configure("forum") { $0.authentication = signIn }
        stubs.get("/me").header("Authorization", "Bearer made-up-2").reply(data: "Ann")
        stubs.get("/me").reply(status: 401)
        stubs.post("/token").reply(reply)
        try signIn.signIn(BearerToken(accessToken: "made-up-1", refreshToken: "made-up-refresh", user: "7"))
        return (client, signIn)
    }

    @Test(
        "the session ends if the server refuses the refresh, and not if it cannot be reached or has no time",
        arguments: [
            (StubReply.status(400), true), (.status(401), true), (.status(403), true),
            (.json(["error": "invalid_grant"], status: 400), true),
            (.reply(code: 10_010, message: "expired"), true), (.reply(code: 10_099, message: "busy"), false),
            (.reply(code: 500, message: "busy"), false),
            (.status(403).header("Retry-After", "3"), false), (.status(404), false), (.status(429), false), (.status(500), false),
            (.status(503), false), (.offline, false), (.timeout, false), (.connectionLost, false), (.tlsFailure, false),
            (.malformedJSON, false), (.text("<html>Sign in to the Wi-Fi</html>", contentType: "text/html"), false), (.unanswered, false),
        ] as [(StubReply, Bool)])
    func refusals(reply: StubReply, isRefusal: Bool) async throws {
        let (client, signIn) = try refused(reply)
        let changes = client.sessions(of: "forum")
        let result = await client.tag("forum").get("/me").execute(as: String.self).result
        #expect(result.apiError?.underlying is RefreshError)
        // The app's own sign-out is the end of a session that was not refused.
        try signIn.signOut()
        let kinds = await Self.kinds(changes, 1)
        guard case .refused(let error) = kinds.first else {
            #expect(!isRefusal)
            #expect(kinds == [.signedOut])
            return
        }
        #expect(isRefusal)
        #expect(error.kind == result.apiError?.kind)
        #expect(error.code == result.apiError?.code)
    }

    @Test("an error of the refresh closure is no refusal, unless it says that there is no credential", arguments: [true, false])
    func ownErrors(isMissing: Bool) async throws {
        let (client, signIn) = try refused(.status(500)) { _ in
            if isMissing { throw APIError(.missingCredential) }
            throw Failure()
        }
        let changes = client.sessions(of: "forum")
        _ = await client.tag("forum").get("/me").execute(as: String.self).result
        try signIn.signOut()
        #expect(await Self.kinds(changes, 1) == [isMissing ? .refused(APIError(.missingCredential)) : .signedOut])
    }

    @Test("a refresh that succeeds is reported, and the call notices nothing")
    func refreshed() async throws {
        let (client, signIn) = try refused(.reply(data: BearerToken(accessToken: "made-up-2")))
        let changes = client.sessions(of: "forum")
        #expect(try await client.tag("forum").get("/me").value(as: String.self) == "Ann")
        try signIn.signOut()
        #expect(await Self.kinds(changes, 2) == [.refreshed, .signedOut])
    }

    @Test("the reason hides the refresh token that the server repeats")
    func secret() async throws {
        let (client, _) = try refused(.reply(code: 7, message: "No session for made-up-refresh", status: 400))
        let changes = client.sessions(of: "forum")
        _ = await client.tag("forum").get("/me").execute(as: String.self).result
        guard case .refused(let error) = await Self.kinds(changes, 1).first else {
            Issue.record("the session has not ended")
            return
        }
        #expect(error.message == "No session for \(Redaction.mark)")
    }

    @Test("a handler receives changes on the main actor, until its registration ends")
    @MainActor func handler() async throws {
        let heard = Recorder<Kind>()
        let signIn = Authentication(CountingUsers())
        try await stubs.activate {
            API.configure("forum") { $0.authentication = signIn }
            let registration = Client.shared.sessions(of: "forum") { heard.note($0.kind) }
            try signIn.signIn("Ann")
            await heard.reached(1)
            try signIn.signIn("Bob")
            registration.end()
            // The changes have been reported, and wait for the main actor.
            await mainQueueIsEmpty()
        }
        #expect(heard.events == [.signedIn])
    }

    @Test("each tag of a sign-in is named, and a sign-in that is freed ends its sequences")
    func tags() async throws {
        let client = Client(testing: stubs)
        var signIn: Authentication<CountingUsers>? = Authentication(CountingUsers())
        for tag: Catena.Tag in ["forum", "wallet"] { client.configure(tag) { $0.authentication = signIn } }
        let sequences = [client.sessions(of: "forum"), client.sessions(of: "wallet"), client.sessions(of: "forum")]
        try signIn?.signIn("Ann")
        for tag: Catena.Tag in ["forum", "wallet"] { client.configure(tag) { $0.authentication = nil } }
        signIn = nil
        var tags: [Catena.Tag] = []
        for sequence in sequences { for await change in sequence { tags.append(change.tag) } }
        #expect(tags == ["forum", "wallet", "forum"])
    }

    @Test("a reader that falls behind receives the newest hundred changes, and the others all of theirs")
    func slow() async throws {
        let signIn = Authentication(CountingUsers())
        let changes = try #require(signIn.sessions(of: "forum"))
        for _ in 0..<200 {
            try signIn.signIn("Ann")
            try signIn.signOut()
        }
        try signIn.signIn("Bob")
        let kinds = await Self.kinds(changes, 100)
        #expect(kinds.count == 100)
        #expect(kinds.last == .signedIn)
    }

    @Test("sign-ins of other kinds have no changes, and a diagnostic says so once")
    func others() async {
        let client = Client(testing: stubs)
        let events = Recorder<DiagnosticEvent>()
        client.onDiagnostic { events.note($0) }
        client.configure("token") { $0.authentication = .bearer { "made-up" } }
        client.configure("digest") { $0.authentication = .digest(user: "ann", password: "made-up") }
        client.configure("none") { _ in }
        for tag: Catena.Tag in ["token", "digest", "none", "none"] {
            for await change in client.sessions(of: tag) { Issue.record("\(change)") }
        }
        #expect(events.events.map(\.kind) == [.ineffectiveStep, .ineffectiveStep, .ineffectiveStep])
        #expect(events.events.last?.message.contains(#"sessions(of: "none")"#) == true)
    }

    // MARK: Other processes and machines

    @Test("what another process has done to the credential is reported", arguments: ["refresh", "sign-out", "other user"])
    func processes(what: String) async throws {
        let store = MemoryCredentialStore(BearerToken(accessToken: "made-up-1", user: "7"))
        let client = Client(testing: stubs)
        let signIn = Authentication(BearerAuthenticator { _ in throw Failure() }, store: store)
        client.configure("forum") { $0.authentication = signIn }
        stubs.get("/me").header("Authorization", "Bearer made-up-2").reply(data: "Ann")
        stubs.get("/me").reply(status: 401)
        let changes = client.sessions(of: "forum")
        #expect(try signIn.credential() != nil)
        store.save(what == "sign-out" ? nil : BearerToken(accessToken: "made-up-2", user: what == "refresh" ? "7" : "8"))
        _ = await client.tag("forum").get("/me").execute(as: String.self).result
        let expected: [Kind] = what == "refresh" ? [.refreshed] : what == "sign-out" ? [.signedOut] : [.signedOut, .signedIn]
        #expect(await Self.kinds(changes, expected.count) == expected)
    }

    @Test("the sign-in of another machine is reported")
    func machines() async throws {
        let store = MemorySharedStore(clock: VirtualClock(isAutomatic: true))
        let machines = (0..<2).map { _ in Authentication(CountingScheme(), shared: SharedCredential("forum", in: store)) }
        let changes = try #require(machines[1].sessions(of: "forum"))
        try machines[0].signIn(.first)
        while true {
            let writes = store.writes.count
            if try await machines[1].load() != nil { break }
            await store.writes.reached(writes + 1)
        }
        #expect(await Self.kinds(changes, 1) == [.signedIn])
    }

    // MARK: A server

    @Test("over a real server, a refused refresh ends the session, and one that is not answered does not", arguments: [true, false])
    func server(answers: Bool) async throws {
        let (server, account) = (try LoopbackServer(), try LoopbackServer())
        server.get("/me") { _ in .status(401) }
        account.post("/token") { _ in .status(400) }
        if !answers { account.stop() }
        let client = Client()
        let signIn = Authentication(
            BearerAuthenticator { _ in try await client.host(account.url).post("/token").value() })
        client.configure("forum") { forum in
            forum.host = server.url
            forum.authentication = signIn
        }
        let changes = client.sessions(of: "forum")
        try signIn.signIn(BearerToken(accessToken: "made-up-1", user: "7"))
        _ = await client.tag("forum").get("/me").execute(as: String.self).result
        try signIn.signOut()
        let last = await Self.kinds(changes, 2).last
        if answers {
            guard case .refused(let error) = last else {
                Issue.record("the session has not ended: \(String(describing: last))")
                return
            }
            #expect(error.status == 400)
        } else {
            #expect(last == .signedOut)
        }
    }
}
