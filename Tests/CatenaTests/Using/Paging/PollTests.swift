import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Polling", .limitedParallelism)
struct PollTests {
    struct Job: Codable, Sendable, Equatable {
        var state: String
        var isDone: Bool { state == "done" }
    }

    let stubs = Stubs()

    private var client: Client { Client(testing: stubs) }

    private static func reply(_ state: String) -> StubReply { .reply(data: Job(state: state)) }

    /// Lets the job be done at this call.
    private func finish(at count: Int, _ path: Path = "/jobs/1", _ change: @escaping @Sendable (StubReply) -> StubReply = { $0 }) {
        let calls = Counter()
        stubs.get(path).reply { _ in
            calls.increment()
            return change(Self.reply(calls.count >= count ? "done" : "running"))
        }
    }

    // MARK: Values and waits

    @Test("a poll sends its request until the closure accepts the value, and waits the interval between two calls")
    func until() async throws {
        finish(at: 4)
        let states = Recorder<String>()
        let job = try await client.get("/jobs/1").poll(every: .seconds(2)) { (job: Job) in
            states.note(job.state)
            return job.isDone
        }
        #expect(job == Job(state: "done"))
        #expect(states.events == ["running", "running", "running", "done"])
        #expect(stubs.requests.count == 4)
        #expect(stubs.clock.now == .seconds(6))
    }

    @Test("without a type the value is JSON, and the context can give a type")
    func types() async throws {
        finish(at: 2)
        let request = client.get("/jobs/1")
        let json = try await request.poll(every: .seconds(1), until: { job in job.state.string == "done" })
        #expect(json.state.string == "done")
        let job: Job = try await request.poll(every: .seconds(1)) { $0.isDone }
        #expect(job.isDone)
        try await request.poll(every: .seconds(1)) { $0.state.string == "done" }
    }

    @MainActor private final class Screen {
        var states: [String] = []

        func load(_ request: Request) async throws -> Job {
            try await request.poll(every: .seconds(1)) { (job: Job) in
                states.append(job.state)
                return job.isDone
            }
        }
    }

    @Test("the closure runs on the caller's actor")
    @MainActor func isolation() async throws {
        finish(at: 2)
        let screen = Screen()
        #expect(try await screen.load(client.get("/jobs/1")).isDone)
        #expect(screen.states == ["running", "done"])
    }

    @Test(
        "with upTo each wait is twice the one before, up to that limit",
        arguments: [
            (Duration.seconds(1), nil, [1, 1, 1, 1]), (.seconds(1), .seconds(5), [1, 2, 4, 5, 5]), (.seconds(3), .seconds(3), [3, 3]),
            (.seconds(100_000), nil, [86_400, 86_400]), (.seconds(60_000), .seconds(Int64.max), [60_000, 86_400, 86_400]),
        ] as [(Duration, Duration?, [Int])])
    func pace(interval: Duration, longest: Duration?, expected: [Int]) {
        var pace = PollPace(every: interval, upTo: longest)
        #expect(pace.fault == nil)
        #expect(expected.map { _ in pace.next(asked: nil) } == expected.map { .seconds($0) })
    }

    @Test(
        "a Retry-After is the minimum wait, and one of more than an hour ends the poll",
        arguments: [("1", 2), ("5", 5), ("7s", 7), ("3600", 3600), ("100000", nil), ("soon", 2), ("Sun, 06 Nov 1994 08:49:00 GMT", 2)]
            as [(String, Int?)])
    func retryAfter(text: String, seconds: Int?) async throws {
        finish(at: 2) { $0.header("Retry-After", text).header("Date", "Sun, 06 Nov 1994 08:49:37 GMT") }
        let poll = Task { [client] in try await client.get("/jobs/1").poll(every: .seconds(2)) { (job: Job) in job.isDone } }
        let error = await poll.result.apiError
        #expect(stubs.clock.now == seconds.map { .seconds($0) } ?? .zero)
        #expect(error?.kind == (seconds == nil ? .rateLimited : nil))
    }

    @Test("an endpoint's request polls the endpoint's response")
    func endpoint() async throws {
        struct ReadJob: Endpoint {
            typealias Response = Job
            var path: Path { "/jobs/1" }
        }
        finish(at: 2)
        let job = try await client.request(for: ReadJob()).retry(.never).poll(every: .seconds(3)) { $0.isDone }
        #expect(job.isDone)
        #expect(stubs.clock.now == .seconds(3))
    }

    @Test("an error that the closure throws ends the poll unchanged")
    func thrown() async {
        finish(at: 9)
        await #expect(throws: Failure.self) {
            try await client.get("/jobs/1").poll(every: .seconds(1)) { (_: Job) in throw Failure() }
        }
        #expect(stubs.requests.count == 1)
        #expect(stubs.clock.now == .zero)
    }

    // MARK: Failures

    @Test("a failing call has the retries of the request, and a failure that remains ends the poll")
    func retries() async throws {
        stubs.get("/jobs/1").sequence(Self.reply("running"), .status(503), Self.reply("running"), .status(503), .status(503))
        let client = client
        let handled = Counter()
        client.onError { _, _ in
            handled.increment()
            return .proceed
        }
        let request = client.get("/jobs/1").retry(.exponential(limit: 1, baseDelay: .seconds(1)))
        let error = await #expect(throws: APIError.self) { try await request.poll(every: .seconds(10)) { (job: Job) in job.isDone } }
        #expect(error?.status == 503)
        #expect(error?.attempts == 2)
        #expect(stubs.requests.count == 5)
        #expect(stubs.clock.now == .seconds(22))
        #expect(handled.count == 1)
        #expect(client.calls.tasks().isEmpty)
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let step: String
        var interval = Duration.seconds(2)
        var longest: Duration?
        var change: @Sendable (Request) -> Request = { $0 }

        var testDescription: String { "\(step), \(interval)" }

        private static var bytes: AsyncStream<Data> { AsyncStream { $0.finish() } }

        static let all = [
            Refusal(step: "interval", interval: .zero), Refusal(step: "interval", interval: .seconds(-1)),
            Refusal(step: "upTo", longest: .seconds(1)), Refusal(step: "cache", change: { $0.cache(.always) }),
            Refusal(step: "cache", change: { $0.cache(.expire(.seconds(9)).orOffline) }),
            Refusal(step: "idempotencyKey", change: { $0.set(\.idempotencyKey, "order-7") }),
            Refusal(step: "body", change: { $0.post("/a").body(stream: bytes) }),
            Refusal(
                step: "multipart", change: { $0.post("/a").multipart { form in form.source(BodySource(stream: bytes), name: "f") } }),
        ]
    }

    @Test("intervals and steps that make no sense with polling are refused by a message that names both", arguments: Refusal.all)
    func refused(refusal: Refusal) async {
        stubs.on(nil, "/a").reply(data: 1)
        let client = client
        let request = refusal.change(client.get("/a"))
        let error = await #expect(throws: APIError.self) {
            try await request.poll(every: refusal.interval, upTo: refusal.longest) { _ in true }
        }
        #expect(error?.kind == .invalidRequest)
        #expect(error?.message.hasPrefix("poll: ") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains(refusal.step) == true, "\(error?.message ?? "")")
        #expect(stubs.requests.isEmpty)
        #expect(client.calls.tasks().isEmpty)
    }

    @Test("a poll of a tag with a cache asks the server each time, and takes a 304 for the stored value", arguments: [true, false])
    func cached(hasETag: Bool) async throws {
        let calls = Counter()
        stubs.get("/jobs/1").reply { call in
            calls.increment()
            if hasETag, calls.count == 2, call.headers["If-None-Match"] == "\"1\"" { return .status(304) }
            let reply = Self.reply(calls.count >= 3 ? "done" : "running").header("Cache-Control", "max-age=60")
            return hasETag ? reply.header("ETag", "\"1\"") : reply
        }
        let client = client
        client.configureDefaults {
            $0.cache = .memory(limit: 100_000)
            $0.cachePolicy = .expire(.seconds(60))
        }
        let job: Job = try await client.get("/jobs/1").poll(every: .seconds(1)) { $0.isDone }
        #expect(job.isDone)
        #expect(stubs.requests.count == 3)
        #expect(stubs.requests.allSatisfy { $0.headers["Cache-Control"] == "no-cache" })
    }

    // MARK: The deadline

    @Test("the deadline limits the whole poll: it strikes in a wait", arguments: [true, false])
    func deadlineInWait(isSuspended: Bool) async {
        finish(at: 99)
        let clock = VirtualClock()
        let client = Client(testing: stubs, clock: clock)
        let (handled, events) = (Counter(), Recorder<CallEvent>())
        client.onError { error, _ in
            if error.kind == .timeout { handled.increment() }
            return .proceed
        }
        client.observe { events.note($0) }
        let request = client.get("/jobs/1").id("job").deadline(.seconds(5))
        let poll = Task { try await request.poll(every: .seconds(2)) { (job: Job) in job.isDone } }
        for _ in 0..<2 {
            await clock.scheduled(.seconds(2))
            clock.advance(by: .seconds(2))
        }
        // The deadline leaves only a second to this wait.
        await clock.scheduled(.seconds(2))
        if isSuspended { client.calls.suspend(id: "job") }
        clock.advance(by: .seconds(1))
        let error = await #expect(throws: APIError.self) { try await poll.value }
        #expect(error?.kind == .timeout)
        #expect(error?.message == "The poll reached its deadline of 5.0 seconds. `until` has accepted no value, of 3.")
        #expect(error?.request?.url == "https://stubs.test/jobs/1")
        #expect(stubs.requests.count == 3)
        #expect(handled.count == 1)
        #expect(client.calls.tasks().isEmpty)
        await client.waitUntilIdle()
        #expect(events.events.count { if case .finished = $0.kind { true } else { false } } == 3)
        await clock.delays { $0.isEmpty }
    }

    @Test("the deadline limits the whole poll: it strikes in a call, which has only the rest of it")
    func deadlineInCall() async {
        let calls = Counter()
        stubs.get("/jobs/1").reply { _ in
            calls.increment()
            return calls.count < 3 ? Self.reply("running") : Self.reply("done").delayed(by: .seconds(60))
        }
        let request = client.get("/jobs/1").deadline(.seconds(5))
        let error = await #expect(throws: APIError.self) { try await request.poll(every: .seconds(2)) { (job: Job) in job.isDone } }
        #expect(error?.kind == .timeout)
        #expect(stubs.clock.now == .seconds(5))
        #expect(stubs.requests.count == 3)
    }

    // MARK: Cancelling

    enum Moment: CaseIterable { case firstCall, closure, wait, secondCall }

    enum Way: CaseIterable { case task, all, id, group, tag }

    @Test("a poll is cancelled at once, wherever it is and however it is cancelled", arguments: Moment.allCases, Way.allCases)
    func cancelled(moment: Moment, way: Way) async {
        let clock = VirtualClock()
        let stubs = stubs
        let client = Client(testing: stubs, clock: clock)
        client.configure("forum") { _ in }
        let (calls, decisions, task) = (Counter(), Counter(), Recorder<Task<Job, any Error>>())
        let cancel: @Sendable () async -> Void = {
            switch way {
            case .task:
                await task.reached(1)
                task.events[0].cancel()
            case .all: client.calls.cancelAll()
            case .id: client.calls.cancel(id: "job")
            case .group: client.calls.cancel(group: "jobs")
            case .tag: client.calls.cancel(tag: "forum")
            }
        }
        stubs.get("/jobs/1").reply { _ in
            calls.increment()
            if (moment == .firstCall && calls.count == 1) || (moment == .secondCall && calls.count == 2) { await cancel() }
            return Self.reply("running")
        }
        let request = client.tag("forum").get("/jobs/1").id("job").group("jobs")
        let poll = Task {
            try await request.poll(every: .seconds(2)) { (job: Job) in
                decisions.increment()
                guard moment == .closure else { return false }
                // The task cannot be waited for in a synchronous closure.
                if way == .task { withUnsafeCurrentTask { $0?.cancel() } } else { client.calls.cancelAll() }
                return true
            }
        }
        task.note(poll)
        if moment == .wait || moment == .secondCall {
            await clock.scheduled(.seconds(2))
            if moment == .wait { await cancel() } else { clock.advance(by: .seconds(2)) }
        }
        await #expect(throws: CancellationError.self) { try await poll.value }
        #expect(stubs.requests.count == (moment == .secondCall ? 2 : 1))
        #expect(decisions.count == (moment == .firstCall ? 0 : 1))
        await client.waitUntilIdle()
        #expect(client.calls.tasks().isEmpty)
        await clock.delays { $0.isEmpty }
    }

    @Test("one handle is listed from the first call to the end, and shows no other call")
    func listed() async throws {
        finish(at: 3)
        let client = client
        let counts = Recorder<Int>()
        client.intercept("count") { call, next in
            counts.note(client.calls.tasks(id: "job").count)
            return try await next(call)
        }
        let request = client.get("/jobs/1").id("job")
        try await request.poll(every: .seconds(2)) { (job: Job) in
            counts.note(client.calls.tasks(id: "job").count)
            return job.isDone
        }
        #expect(counts.events == [1, 1, 1, 1, 1, 1])
        #expect(client.calls.tasks().isEmpty)
    }

    @Test("a suspended poll sends nothing until it is resumed")
    func suspended() async throws {
        finish(at: 2)
        let clock = VirtualClock()
        let client = Client(testing: stubs, clock: clock)
        let request = client.get("/jobs/1").id("job")
        let poll = Task { try await request.poll(every: .seconds(2)) { (job: Job) in job.isDone } }
        await clock.scheduled(.seconds(2))
        client.calls.suspend(id: "job")
        clock.advance(by: .seconds(100))
        #expect(stubs.requests.count == 1)
        #expect(client.calls.tasks(id: "job").map(\.state) == [.suspended])
        client.calls.resume(id: "job")
        #expect(try await poll.value.isDone)
        #expect(stubs.requests.count == 2)
    }

    @Test("waiting for the client to be idle includes the waits of a poll")
    func idle() async throws {
        finish(at: 3)
        let clock = VirtualClock()
        let client = Client(testing: stubs, clock: clock)
        let request = client.get("/jobs/1")
        let poll = Task { try await request.poll(every: .seconds(2)) { (job: Job) in job.isDone } }
        await clock.scheduled(.seconds(2))
        let idle = Task { await client.waitUntilIdle() }
        clock.advance(by: .seconds(2))
        await clock.scheduled(.seconds(2))
        clock.advance(by: .seconds(2))
        await idle.value
        #expect(stubs.requests.count == 3)
        #expect(try await poll.value.isDone)
    }

    // MARK: Sign-out, another user and shutdown

    enum Change: CaseIterable { case signOut, another, anotherAfterSignOut }

    @Test("after a sign-out or another sign-in the next call fails unsent", arguments: Change.allCases)
    func signedOut(change: Change) async throws {
        finish(at: 9)
        let clock = VirtualClock()
        let client = Client(testing: stubs, clock: clock)
        let authentication = Authentication(PersonScheme(), store: MemoryCredentialStore(Person(name: "A")))
        client.configureDefaults { $0.authentication = authentication }
        let request = client.get("/jobs/1").retry(.exponential(limit: 3).when { _ in true })
        let poll = Task { try await request.poll(every: .seconds(2)) { (job: Job) in job.isDone } }
        await clock.scheduled(.seconds(2))
        if change != .another { try authentication.signOut() }
        if change != .signOut { try authentication.signIn(Person(name: "B")) }
        clock.advance(by: .seconds(2))
        let error = await #expect(throws: APIError.self) { try await poll.value }
        #expect(error?.kind == .missingCredential)
        #expect(stubs.requests.map { $0.headers["Authorization"] } == ["A0"])
    }

    @Test("the same user may sign in again, and a poll without a credential goes on without one")
    func sameUser() async throws {
        finish(at: 2)
        let clock = VirtualClock()
        let client = Client(testing: stubs, clock: clock)
        let authentication = Authentication(PersonScheme(requiresCredential: false), store: MemoryCredentialStore(Person(name: "A")))
        client.configureDefaults { $0.authentication = authentication }
        let request = client.get("/jobs/1")
        let poll = Task { try await request.poll(every: .seconds(2)) { (job: Job) in job.isDone } }
        await clock.scheduled(.seconds(2))
        try authentication.signOut()
        try authentication.signIn(Person(name: "A", number: 5))
        clock.advance(by: .seconds(2))
        #expect(try await poll.value.isDone)
        #expect(stubs.requests.map { $0.headers["Authorization"] } == ["A0", "A5"])
        try authentication.signOut()
        finish(at: 2, "/jobs/2")
        let other = client.get("/jobs/2")
        let without = Task { try await other.poll(every: .seconds(2)) { (job: Job) in job.isDone } }
        await clock.scheduled(.seconds(2))
        try authentication.signIn(Person(name: "B"))
        clock.advance(by: .seconds(2))
        #expect(try await without.value.isDone)
        #expect(stubs.requests.suffix(2).map { $0.headers["Authorization"] } == [nil, nil])
    }

    @Test("a poll whose token comes from a closure ends when there is none")
    func noToken() async throws {
        finish(at: 9)
        let client = client
        let asked = Counter()
        client.configureDefaults {
            $0.authentication = .bearer {
                asked.increment()
                return asked.count == 1 ? "first" : nil
            }
        }
        let error = await #expect(throws: APIError.self) {
            try await client.get("/jobs/1").poll(every: .seconds(2)) { (job: Job) in job.isDone }
        }
        #expect(error?.kind == .missingCredential)
        #expect(stubs.requests.map { $0.headers["Authorization"] } == ["Bearer first"])
    }

    @Test("after a shutdown a poll sends no further call")
    func shutdown() async {
        finish(at: 9)
        let clock = VirtualClock()
        let client = Client(testing: stubs, clock: clock)
        let request = client.get("/jobs/1")
        let poll = Task { try await request.poll(every: .seconds(2)) { (job: Job) in job.isDone } }
        await clock.scheduled(.seconds(2))
        client.shutdown()
        clock.advance(by: .seconds(2))
        let error = await #expect(throws: APIError.self) { try await poll.value }
        #expect(error?.kind == .invalidRequest)
        #expect(error?.message.contains("shut down") == true)
        #expect(stubs.requests.count == 1)
        await client.waitUntilIdle()
    }

    @Test("a poll keeps the configuration with which it began, and asks the common closures for each call")
    func configuration() async throws {
        finish(at: 2)
        let clock = VirtualClock()
        let client = Client(testing: stubs, clock: clock)
        client.configure("forum") { $0.headers = ["X-Version": "1"] }
        let asked = Counter()
        client.commonHeaders { _ in
            asked.increment()
            return ["X-Asked": "\(asked.count)"]
        }
        let request = client.tag("forum").get("/jobs/1")
        let poll = Task { try await request.poll(every: .seconds(2)) { (job: Job) in job.isDone } }
        await clock.scheduled(.seconds(2))
        client.configure("forum") { $0.headers = ["X-Version": "2"] }
        clock.advance(by: .seconds(2))
        #expect(try await poll.value.isDone)
        #expect(stubs.requests.map { $0.headers["X-Version"] } == ["1", "1"])
        #expect(stubs.requests.map { $0.headers["X-Asked"] } == ["1", "2"])
    }
}
