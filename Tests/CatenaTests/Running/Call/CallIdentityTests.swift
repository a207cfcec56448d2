import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// The credential of a user on the test's device.
struct Person: Codable, Sendable, Equatable {
    var name: String
    var number = 0

    var token: String { "\(name)\(number)" }
}

struct PersonScheme: Authenticator {
    var isKnown = true
    var requiresCredential = true
    /// Runs during a refresh of the credential.
    var whileRefreshing: @Sendable () async throws -> Void = {}

    func apply(_ credential: Person, to request: inout HTTPRequest) { request.headers["Authorization"] = credential.token }

    func refresh(_ credential: Person) async throws -> Person {
        try await whileRefreshing()
        return Person(name: credential.name, number: credential.number + 1)
    }

    func identity(of credential: Person) -> String { isKnown ? credential.name : credential.token }
    func user(of credential: Person) -> String? { isKnown ? credential.name : nil }
}

@Suite("The identity of a call", .limitedParallelism)
struct CallIdentityTests {

    /// The step of a call at which another user signs in.
    enum Moment: String, CaseIterable {
        case before, commonParams, cache, limits, backoff, attempt, refusal, refresh
    }

    let stubs = Stubs()

    private func client(_ authentication: Authentication<PersonScheme>, _ stubs: Stubs? = nil) -> Client {
        let client = Client(testing: stubs ?? self.stubs)
        client.configure("forum") { forum in
            forum.authentication = authentication
            forum.maxConcurrentCalls = ConcurrencyLimit(1)
            forum.rateLimits = [RateLimit(100, per: .seconds(1))]
        }
        return client
    }

    /// Runs a call of user A, with an event at one of its steps. Returns the result and the credentials that were sent.
    private func run(
        _ moment: Moment, isKnown: Bool, _ event: @escaping @Sendable (Authentication<PersonScheme>) throws -> Void
    ) async -> (result: Result<Int, any Error>, sent: [String?]) {
        let stubs = Stubs()
        let happened = Counter()
        let box = Recorder<Authentication<PersonScheme>>()
        let happen: @Sendable () throws -> Void = {
            defer { happened.increment() }
            if happened.count == 0, let authentication = box.events.last { try event(authentication) }
        }
        let scheme = PersonScheme(isKnown: isKnown, whileRefreshing: { if moment == .refresh { try happen() } })
        let authentication = Authentication(scheme, store: MemoryCredentialStore(Person(name: "A")))
        box.note(authentication)
        let client = client(authentication, stubs)
        if moment == .commonParams {
            client.commonParams { _ in
                try happen()
                return [:]
            }
        }
        if moment == .cache || moment == .limits || moment == .attempt {
            let position: Interceptor.Position = moment == .cache ? .before(.cache) : moment == .limits ? .before(.limits) : .after(.retry)
            client.intercept("event", position) { call, next in
                try happen()
                return try await next(call)
            }
        }
        stubs.get("/a").reply { call in
            let isFirst = call.attempt == 1
            if isFirst, moment == .backoff {
                try happen()
                return .status(503)
            }
            if isFirst, moment == .refusal || moment == .refresh {
                if moment == .refusal { try happen() }
                return .status(401)
            }
            return .reply(data: 7)
        }
        var request = client.tag("forum").get("/a").retry(.exponential(limit: 2))
        if moment == .before { request = request.before { try happen() } }
        let result = await request.execute(as: Int.self).result
        return (result, stubs.requests.map { $0.headers["Authorization"] })
    }

    @Test(
        "a call sends nothing with the credential of a user who signs in meanwhile, with or without a sign-out",
        arguments: Moment.allCases, [true, false])
    func another(moment: Moment, isKnown: Bool) async {
        for signsOut in [true, false] {
            let (result, sent) = await run(moment, isKnown: isKnown) { authentication in
                if signsOut { try authentication.signOut() }
                try authentication.signIn(Person(name: "B"))
            }
            #expect(result.apiError?.kind == .missingCredential)
            #expect(!sent.contains { $0?.hasPrefix("B") == true })
        }
    }

    @Test("a call continues after the same user has signed in again", arguments: Moment.allCases)
    func sameUser(moment: Moment) async throws {
        let (result, sent) = await run(moment, isKnown: true) { authentication in
            // A sign-out fails the calls that wait for a refresh.
            if moment != .refresh { try authentication.signOut() }
            try authentication.signIn(Person(name: "A", number: 5))
        }
        #expect(try result.get() == 7)
        #expect(sent.last == "A5")
    }

    @Test("a call fails after a new sign-in if the credential does not name its user, who may be another one", arguments: Moment.allCases)
    func unknownUser(moment: Moment) async {
        let (result, sent) = await run(moment, isKnown: false) { authentication in
            try authentication.signOut()
            try authentication.signIn(Person(name: "A", number: 5))
        }
        #expect(result.apiError?.kind == .missingCredential)
        #expect(!sent.contains("A5"))
    }

    @Test("a refresh does not begin another session", arguments: [true, false])
    func refreshed(isKnown: Bool) async throws {
        stubs.get("/a").reply { call in call.headers["Authorization"] == "A1" ? .reply(data: 7) : .status(401) }
        let authentication = Authentication(PersonScheme(isKnown: isKnown), store: MemoryCredentialStore(Person(name: "A")))
        #expect(try await client(authentication).tag("forum").get("/a").value(as: Int.self) == 7)
    }

    @Test("a call that began while no user was signed in is sent without a credential to its end")
    func nobody() async throws {
        let authentication = Authentication(PersonScheme(requiresCredential: false))
        stubs.get("/a").reply { call in
            guard call.attempt == 1 else { return .reply(data: 7) }
            try authentication.signIn(Person(name: "B"))
            return .status(503)
        }
        let request = client(authentication).tag("forum").get("/a").retry(.exponential(limit: 1))
        #expect(try await request.value(as: Int.self) == 7)
        #expect(stubs.requests.map { $0.headers["Authorization"] } == [nil, nil])
    }

    @Test("a call whose `before` closure signs a user in has that user's credential")
    func signsIn() async throws {
        let authentication = Authentication(PersonScheme())
        stubs.get("/a").reply(data: 7)
        let request = client(authentication).tag("forum").get("/a").before { try authentication.signIn(Person(name: "B")) }
        #expect(try await request.value(as: Int.self) == 7)
        #expect(stubs.requests.map { $0.headers["Authorization"] } == ["B0"])
    }

    @Test("a call belongs to the user who is signed in when it is created, not when it runs")
    func synchronous() async throws {
        let authentication = Authentication(PersonScheme(), store: MemoryCredentialStore(Person(name: "A")))
        stubs.get("/a").reply(data: 7)
        let run = CallRun(client(authentication).tag("forum").get("/a"))
        try authentication.signIn(Person(name: "B"))
        let error = await #expect(throws: APIError.self) { try await run.value(.void) }
        #expect(error?.kind == .missingCredential)
        #expect(stubs.requests.isEmpty)
    }

    @Test("an event stream does not reconnect after another user has signed in", arguments: [true, false])
    func reconnection(signsOut: Bool) async throws {
        let clock = VirtualClock()
        let authentication = Authentication(PersonScheme(), store: MemoryCredentialStore(Person(name: "A")))
        let stub = ClosureTransport { _ in .pieces(["data: 1\n\n"], headers: ["Content-Type": "text/event-stream"]) }
        let client = Client(transport: stub, clock: clock)
        client.configureDefaults { defaults in
            defaults.host = "https://example.com"
            defaults.authentication = authentication
        }
        let request = client.get("/a")
        let task = Task { try await request.events().collected() }
        await clock.scheduled(.seconds(3))
        if signsOut { try authentication.signOut() }
        try authentication.signIn(Person(name: "B"))
        clock.advance(by: .seconds(3))
        let error = await #expect(throws: APIError.self) { try await task.value }
        #expect(error?.kind == .missingCredential)
        #expect(stub.requests.map { $0.headers["Authorization"] } == ["A0"])
    }
}
