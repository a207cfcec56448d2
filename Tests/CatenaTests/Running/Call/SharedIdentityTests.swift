import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// Puts the current user into each request.
private struct UserSigner: RequestSigner {
    let user: @Sendable () -> String?

    func sign(_ request: inout HTTPRequest, params: Params) { request.headers["Authorization"] = user() }
}

@Suite("Users of cached and shared responses", .limitedParallelism)
struct SharedIdentityTests {
    /// The code that puts the user into the request, where the cache does not look.
    enum Source: CaseIterable {
        case beforeStart, afterStart, beforeCache, afterCache, beforeLimits, afterRetry, beforeSigning, beforeTransport, signer

        var position: Interceptor.Position? {
            switch self {
            case .beforeStart: .before(.start)
            case .afterStart: .after(.start)
            case .beforeCache: .before(.cache)
            case .afterCache: .after(.cache)
            case .beforeLimits: .before(.limits)
            case .afterRetry: .after(.retry)
            case .beforeSigning: .before(.signing)
            case .beforeTransport: .before(.transport)
            case .signer: nil
            }
        }
    }

    final class User: Sendable {
        private let held = Mutex("A")

        var name: String {
            get { held.withLock { $0 } }
            set { held.withLock { $0 = newValue } }
        }
    }

    let stubs = Stubs()
    let user = User()

    private func client(_ source: Source?) -> Client {
        let client = Client(testing: stubs)
        let user = user
        client.configureDefaults { defaults in
            defaults.cache = .memory(limit: 1_000_000)
            if source == .signer { defaults.signer = UserSigner { user.name } }
        }
        if let position = source?.position {
            client.intercept("user", position) { call, next in
                var call = call
                call.request.headers["Authorization"] = user.name
                return try await next(call)
            }
        }
        return client
    }

    private func answerWithUser(_ headers: HTTPHeaders = [:]) {
        stubs.get("/a").reply { call in
            var reply = StubReply.reply(data: call.headers["Authorization"] ?? "nobody").header("Cache-Control", "max-age=60")
            for field in headers.fields { reply = reply.header(field.name, field.value) }
            return reply
        }
    }

    private func value(_ client: Client) async throws -> String { try await client.get("/a").value(as: String.self) }

    @Test(
        "a user never receives another user's cached response, wherever an interceptor or signer sets the credential",
        arguments: Source.allCases, [[:], ["Vary": "Authorization"]] as [HTTPHeaders])
    func kept(source: Source, headers: HTTPHeaders) async throws {
        answerWithUser(headers)
        let client = client(source)
        #expect(try await value(client) == "A")
        user.name = "B"
        #expect(try await value(client) == "B")
        user.name = "A"
        #expect(try await value(client) == "A")
    }

    @Test("calls in progress do not share a response if an interceptor or signer sets different credentials", arguments: Source.allCases)
    func shared(source: Source) async throws {
        let client = client(source)
        client.configureDefaults { defaults in
            defaults.cache = nil
            defaults.dedupe = true
        }
        let (arrived, arrival) = Promise<Void>.pending()
        let (gate, opening) = Promise<Void>.pending()
        stubs.get("/a").reply { call in
            arrival.fulfill(())
            try await gate.value
            return .reply(data: call.headers["Authorization"] ?? "nobody")
        }
        let request = client.get("/a")
        let first = request.execute(as: String.self)
        try await arrived.value
        user.name = "B"
        let (second, secondBegins) = Promise<Void>.pending()
        client.commonHeaders { _ in
            secondBegins.fulfill(())
            return [:]
        }
        let other = request.execute(as: String.self)
        try await second.value
        opening.fulfill(())
        #expect(try await first.value == "A")
        #expect(try await other.value == "B")
    }

    /// Responds to the second attempt of a call in place of the backend.
    private func answerSecondAttempt(_ client: Client) {
        client.intercept("own", .after(.retry)) { call, next in
            guard call.attempt == 2 else { return try await next(call) }
            return HTTPResponse(
                status: 200, headers: ["Content-Type": "application/json", "Cache-Control": "max-age=60"],
                body: Data(#"{"code": 0, "data": "own"}"#.utf8), address: call.request.address)
        }
    }

    @Test("an interceptor's own response is not cached, whatever was sent before")
    func answeredOnTheWay() async throws {
        let client = client(nil)
        let asked = Counter()
        stubs.get("/a").reply { _ in
            asked.increment()
            return asked.count == 1 ? .status(503) : .reply(data: "backend")
        }
        answerSecondAttempt(client)
        #expect(try await client.get("/a").retry(.exponential(limit: 1, baseDelay: .zero)).value(as: String.self) == "own")
        #expect(try await value(client) == "backend")
    }

    @Test("an interceptor's own response is not shared with other calls")
    func answeredOnTheWayOfOthers() async throws {
        let client = client(nil)
        client.configureDefaults { defaults in
            defaults.cache = nil
            defaults.dedupe = true
            defaults.retry = .exponential(limit: 1, baseDelay: .zero)
        }
        let (gate, opening) = Promise<Void>.pending()
        let asked = Counter()
        stubs.get("/a").reply { _ in
            asked.increment()
            guard asked.count == 1 else { return .reply(data: "backend") }
            try await gate.value
            return .status(503)
        }
        answerSecondAttempt(client)
        let calls = (0..<2).map { _ in client.get("/a").execute(as: String.self) }
        let flights = CallRun(client.get("/a")).tagState.flights
        await flights.state.wait { $0.lastID == 2 && !$0.table.isEmpty }
        opening.fulfill(())
        #expect(try await Set([calls[0].value, calls[1].value]) == ["own", "backend"])
    }

    @Test("requests that differ only in volatile headers share a cached response")
    func volatile() async throws {
        answerWithUser()
        let client = client(nil)
        client.configureDefaults { $0.requestKeyRules = RequestKeyRules() }
        client.configureDefaults { $0.requestKeyRules?.volatileHeaders.insert("x-shown") }
        let number = Counter()
        client.intercept("number") { call, next in
            number.increment()
            var call = call
            call.request.headers["X-Shown"] = "\(number.count)"
            call.request.headers["Date"] = "\(number.count)"
            return try await next(call)
        }
        for _ in 0..<3 { #expect(try await value(client) == "nobody") }
        #expect(stubs.requests.count == 1)
    }

    @Test("a credential does not prevent caching, because its user is part of the key", arguments: [true, false])
    func credential(isKnown: Bool) async throws {
        answerWithUser()
        let client = client(nil)
        client.configureDefaults {
            $0.authentication = Authentication(PersonScheme(isKnown: isKnown), store: MemoryCredentialStore(Person(name: "A")))
        }
        for _ in 0..<3 { #expect(try await value(client) == "A0") }
        #expect(stubs.requests.count == 1)
    }

    @Test("a call fails if another user signs in while it waits, and nothing is cached under its key")
    func thereAndBack() async throws {
        answerWithUser()
        let authentication = Authentication(PersonScheme(), store: MemoryCredentialStore(Person(name: "A")))
        let client = client(nil)
        client.configureDefaults { $0.authentication = authentication }
        let visit = client.intercept("visit", .before(.limits)) { call, next in
            try authentication.signIn(Person(name: "B"))
            defer { try? authentication.signIn(Person(name: "A")) }
            return try await next(call)
        }
        await #expect(throws: APIError.self) { try await value(client) }
        visit.end()
        #expect(try await value(client) == "A0")
        #expect(stubs.requests.map { $0.headers["Authorization"] } == ["A0"])
    }

    @Test("a background refresh uses the credential of the original user, or is not sent")
    func renewal() async throws {
        stubs.get("/a").reply { call in
            .reply(data: call.headers["Authorization"] ?? "").header("Cache-Control", "max-age=0, stale-while-revalidate=60")
        }
        let authentication = Authentication(PersonScheme(), store: MemoryCredentialStore(Person(name: "A")))
        let client = client(nil)
        client.configureDefaults { $0.authentication = authentication }
        #expect(try await value(client) == "A0")
        let (renewed, renewal) = Promise<Bool>.pending()
        client.intercept("change", .before(.limits)) { call, next in
            try authentication.signIn(Person(name: "B"))
            do {
                let response = try await next(call)
                renewal.fulfill(true)
                return response
            } catch {
                renewal.fulfill(false)
                throw error
            }
        }
        #expect(try await value(client) == "A0")
        #expect(try await !renewed.value)
        #expect(stubs.requests.map { $0.headers["Authorization"] } == ["A0"])
    }

    @Test("responses of a session are not cached on disk, and those of a user only for that user", arguments: [true, false])
    func disk(isKnown: Bool) async throws {
        answerWithUser()
        let folder = try ScratchFolder()
        let client = client(nil)
        client.configureDefaults { defaults in
            defaults.cache = .disk(folder: folder.file("cache"), limit: 1_000_000)
            defaults.authentication = Authentication(PersonScheme(isKnown: isKnown), store: MemoryCredentialStore(Person(name: "A")))
        }
        for _ in 0..<2 { #expect(try await value(client) == "A0") }
        #expect(stubs.requests.count == (isKnown ? 1 : 2))
        client.configureDefaults {
            $0.authentication = Authentication(PersonScheme(isKnown: isKnown), store: MemoryCredentialStore(Person(name: "B")))
        }
        #expect(try await value(client) == "B0")
    }

    @Test("a call that joins another one keeps its own timeout")
    func ownLimits() async throws {
        let clock = VirtualClock()
        let client = Client(testing: stubs, clock: clock)
        client.configureDefaults { $0.dedupe = true }
        let (gate, opening) = Promise<Void>.pending()
        stubs.get("/a").reply { _ in
            try await gate.value
            return .reply(data: 7)
        }
        // Without another consumer, the gate would be cancelled with the call that waits for it.
        let keeper = Task { try await gate.value }
        defer { keeper.cancel() }
        let hasty = client.get("/a").timeout(.milliseconds(100)).execute(as: Int.self)
        await clock.scheduled(.milliseconds(100))
        let patient = client.get("/a").timeout(.seconds(10)).execute(as: Int.self)
        await clock.scheduled(.seconds(10))
        clock.advance(by: .milliseconds(100))
        #expect(await hasty.result.apiError?.kind == .timeout)
        opening.fulfill(())
        #expect(try await patient.value == 7)
    }

    @Test(
        "a response that was requested before a change is not cached after it",
        arguments: ["POST", "PUT", "PATCH", "DELETE"] as [HTTPMethod])
    func changedMeanwhile(method: HTTPMethod) async throws {
        let client = client(nil)
        let (arrived, arrival) = Promise<Void>.pending()
        let (gate, opening) = Promise<Void>.pending()
        let changes = Counter()
        stubs.get("/a").reply { _ in
            let version = changes.count
            arrival.fulfill(())
            if version == 0 { try await gate.value }
            return .reply(data: "version \(version)").header("Cache-Control", "max-age=60")
        }
        stubs.on(method, "/a").reply { _ in
            changes.increment()
            return .reply(data: 1)
        }
        let request = client.get("/a")
        let slow = request.execute(as: String.self)
        try await arrived.value
        try await client.path("/a").method(method).execute(.void).value
        opening.fulfill(())
        #expect(try await slow.value == "version 0")
        #expect(try await value(client) == "version 1")
        #expect(try await value(client) == "version 1")
        #expect(stubs.requests.count == 3)
    }
}
