import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite(.limitedParallelism) struct CallTaskTests {
    // MARK: Finding

    @Test("a call is found by its id, group and tag from its execution to its outcome", arguments: ["7", "no number", ""])
    func finding(body: String) async throws {
        let gated = GatedClient { .json(body) }
        let client = gated.client
        let call = client.tag("forum").get("/a").id("search").group("room").execute(as: Int.self)
        #expect(client.calls.tasks().count == 1)
        for found in [client.calls.tasks(id: "search"), client.calls.tasks(group: "room"), client.calls.tasks(tag: "forum")] {
            #expect(found.map(\.callID) == client.calls.tasks().map(\.callID))
        }
        for found in [client.calls.tasks(id: "room"), client.calls.tasks(group: "search"), client.calls.tasks(tag: "wallet")] {
            #expect(found.isEmpty)
        }
        let task = try #require(client.calls.tasks().first)
        #expect(task.id == "search")
        #expect(task.group == "room")
        #expect(task.tag == "forum")
        #expect(task.state == .running)
        let seen = Recorder<Int>()
        let settled = call.map { _ in seen.note(client.calls.tasks().count) }.recover { _ in seen.note(client.calls.tasks().count) }
        gated.open()
        try await settled.value
        #expect(seen.events == [0])
        #expect(task.state == .completed)
        for found in [client.calls.tasks(), client.calls.tasks(id: "search"), client.calls.tasks(group: "room")] { #expect(found.isEmpty) }
    }

    private struct Numbers: Endpoint, Encodable {
        typealias Response = Int
        var path: Path { "/a" }
        func adjust(_ request: Request) -> Request { request.id("list").group("home") }
        func encode(to encoder: any Encoder) throws {}
    }

    /// The terminals of awaited calls.
    private static let ways: [(name: String, run: @Sendable (Client) async throws -> Void)] = [
        ("value", { _ = try await $0.get("/a").id("list").group("home").value() }),
        ("value(as:)", { _ = try await $0.get("/a").id("list").group("home").value(as: Int.self) }),
        ("an endpoint", { _ = try await $0.value(Numbers()) }),
        ("an endpoint as another type", { _ = try await $0.value(Numbers(), as: Double.self) }),
        ("a batch", { for result in try await $0.batch([Numbers()]).value { _ = try result.get() } }),
        ("pages", { for try await _ in $0.get("/a").id("list").group("home").pages(of: Int.self, by: .number()) {} }),
        ("cached values", { for try await _ in $0.get("/a").id("list").group("home").values(of: Int.self) {} }),
        ("a stream", { for try await _ in $0.get("/a").id("list").group("home").stream() {} }),
        ("lines", { for try await _ in $0.get("/a").id("list").group("home").lines() {} }),
        ("events", { for try await _ in $0.get("/a").id("list").group("home").events() {} }),
    ]

    @Test("every awaited call can be found and cancelled", arguments: ways.map(\.name), ["id", "group", "all"])
    func awaited(name: String, by: String) async throws {
        let way = try #require(Self.ways.first { $0.name == name })
        let gated = GatedClient()
        let client = gated.client
        let task = Task { try await way.run(client) }
        await gated.arrived(1)
        #expect(client.calls.tasks(id: "list").map(\.group) == ["home"])
        switch by {
        case "id": client.calls.cancel(id: "list")
        case "group": client.calls.cancel(group: "home")
        default: client.calls.cancelAll()
        }
        let result = await task.result
        let error = #expect(throws: (any Error).self) { try result.get() }
        #expect(error is CancellationError || (error as? APIError)?.kind == .cancelled)
        #expect(client.calls.tasks().isEmpty)
        gated.open()
    }

    @Test("tasks are listed in the order in which they ran, also those with the same id") func order() async {
        let gated = GatedClient()
        let calls = (0..<20).map { _ in gated.client.get("/a").id("same").execute() }
        let ids = gated.client.calls.tasks(id: "same").map(\.callID)
        #expect(ids.count == 20)
        #expect(ids == ids.sorted())
        gated.client.calls.cancel(id: "same")
        #expect(calls.allSatisfy { !$0.isPending })
        #expect(gated.client.calls.tasks().isEmpty)
    }

    @Test("`nil` finds, cancels and suspends no call") func nilMatchesNothing() async throws {
        let gated = GatedClient()
        let client = gated.client
        let call = client.get("/a").execute(as: Int.self)
        #expect(client.calls.tasks(id: nil).isEmpty && client.calls.tasks(group: nil).isEmpty && client.calls.tasks(tag: nil).isEmpty)
        client.calls.cancel(id: nil)
        client.calls.cancel(group: nil)
        client.calls.cancel(tag: nil)
        client.calls.suspend(id: nil)
        client.calls.suspend(group: nil)
        #expect(client.calls.tasks().map(\.state) == [.running])
        gated.open()
        #expect(try await call.value == 7)
    }

    @Test("`id(nil)` and `group(nil)` remove the names") func unnamed() throws {
        let gated = GatedClient()
        let call = gated.client.get("/a").id("search").group("room").id(nil).group(nil).execute()
        let task = try #require(gated.client.calls.tasks().first)
        #expect(task.id == nil && task.group == nil)
        call.cancel()
    }

    @Test("`API.calls` controls the calls of the current client") func facade() async throws {
        // The clock stands still while a stub produces a response. Otherwise it would advance at once to the timeout of a call.
        let (gate, resolver) = Promise<Void>.pending()
        defer { resolver.fulfill(()) }
        let stubs = Stubs()
        stubs.get("/a").reply { _ in
            try await gate.value
            return .reply(data: 1)
        }
        await stubs.activate {
            API.configureDefaults { $0.host = "https://stubs.test" }
            let calls = [("a", nil), (nil, "b"), (nil, nil)].map { API.tag("forum").get("/a").id($0.0).group($0.1).execute() }
            #expect(API.calls.tasks().count == 3 && API.calls.tasks(tag: "forum").count == 3)
            API.calls.suspend(id: "a")
            API.calls.suspend(group: "b")
            #expect(API.calls.tasks().map(\.state) == [.suspended, .suspended, .running])
            API.calls.resume(id: "a")
            API.calls.resume(group: "b")
            #expect(API.calls.tasks().map(\.state) == [.running, .running, .running])
            API.calls.cancel(id: "a")
            #expect(API.calls.tasks(id: "a").isEmpty)
            API.calls.cancel(group: "b")
            #expect(API.calls.tasks(group: "b").isEmpty)
            API.calls.cancel(tag: "forum")
            API.calls.cancelAll()
            for call in calls { await #expect(throws: CancellationError.self) { try await call.value } }
        }
    }

    // MARK: Cancelling

    enum Choice: CaseIterable, Sendable {
        case id, group, tag, all, one

        func cancel(_ client: Client) {
            switch self {
            case .id: client.calls.cancel(id: "0")
            case .group: client.calls.cancel(group: "even")
            case .tag: client.calls.cancel(tag: "wallet")
            case .all: client.calls.cancelAll()
            case .one: client.calls.tasks().first?.cancel()
            }
        }

        var hit: Set<Int> {
            switch self {
            case .id, .one: [0]
            case .group: [0, 2]
            case .tag: [1]
            case .all: [0, 1, 2, 3]
            }
        }
    }

    @Test("only the matching calls are cancelled", arguments: Choice.allCases) func cancelling(_ choice: Choice) async throws {
        let gated = GatedClient()
        let calls = (0..<4).map { number in
            gated.client.tag(number == 1 ? "wallet" : nil).get("/\(number)").id("\(number)").group(number % 2 == 0 ? "even" : nil)
                .execute(as: Int.self)
        }
        let tasks = gated.client.calls.tasks()
        await gated.arrived(4)
        choice.cancel(gated.client)
        // The promises are settled at once, before the transport notices.
        #expect(Set((0..<4).filter { !calls[$0].isPending }) == choice.hit)
        #expect(Set((0..<4).filter { tasks[$0].state == .cancelled }) == choice.hit)
        #expect(gated.client.calls.tasks().count == 4 - choice.hit.count)
        gated.open()
        for (number, call) in calls.enumerated() {
            if choice.hit.contains(number) {
                await #expect(throws: CancellationError.self) { try await call.value }
            } else {
                #expect(try await call.value == 7)
            }
        }
        // Later calls are not affected.
        #expect(try await gated.client.tag("wallet").get("/a").id("0").group("even").value(as: Int.self) == 7)
    }

    @Test("cancelling is not a failure: catch and onError are not called, finally and catch(.cancelled) are") @MainActor
    func notAFailure() async throws {
        let gated = GatedClient()
        let told = Recorder<String>()
        gated.client.onError { _, _ in
            told.note("onError")
            return .proceed
        }
        let chain = gated.client.get("/a").id("search").execute().then { _ in told.note("then") }.catch { _ in told.note("catch") }
            .catch(.cancelled) { _ in told.note("cancelled") }.finally { told.note("finally") }
        await gated.arrived(1)
        gated.client.calls.cancel(id: "search")
        _ = await chain.result
        try await mainQueueHasRun()
        #expect(told.events == ["cancelled", "finally"])
    }

    @Test("`promise.cancel()` removes the call from the list") func promiseCancelled() async throws {
        let gated = GatedClient()
        let call = gated.client.get("/a").id("search").execute()
        let task = try #require(gated.client.calls.tasks(id: "search").first)
        call.cancel()
        #expect(gated.client.calls.tasks().isEmpty)
        #expect(task.state == .cancelled)
    }

    /// The ways in which a call can be awaited.
    enum Await: CaseIterable, Sendable {
        case dynamic, typed, response, open, stream, lines, events, pages, download

        func run(_ request: Request) async throws {
            switch self {
            case .dynamic: _ = try await request.value()
            case .typed: _ = try await request.value(as: Int.self)
            case .response: _ = try await request.execute(.response(as: Int.self)).value
            case .open: _ = try await request.stream().open()
            case .stream: _ = try await request.stream().collected()
            case .lines: _ = try await request.lines().collected()
            case .events: _ = try await request.events().collected()
            case .pages: _ = try await request.pages(of: Int.self, by: .number()).collected()
            case .download:
                _ = try await request.execute(.download(to: FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)))
                    .value
            }
        }
    }

    @Test("awaiting a cancelled call throws a `CancellationError`, and the awaiting task continues", arguments: Await.allCases)
    func awaited(_ way: Await) async throws {
        let gated = GatedClient()
        let request = gated.client.get("/a").id("search")
        let task = Task {
            await #expect(throws: CancellationError.self) { try await way.run(request) }
            #expect(!Task.isCancelled)
        }
        await gated.arrived(1)
        #expect(gated.client.calls.tasks(id: "search").count == 1)
        gated.client.calls.cancel(id: "search")
        await task.value
        #expect(gated.client.calls.tasks().isEmpty)
    }

    @Test("cancelling the awaiting task removes the call from the list", arguments: Await.allCases)
    func awaitingTaskCancelled(_ way: Await) async {
        let gated = GatedClient()
        let request = gated.client.get("/a")
        let task = Task { _ = await #expect(throws: CancellationError.self) { try await way.run(request) } }
        await gated.arrived(1)
        task.cancel()
        await task.value
        #expect(gated.client.calls.tasks().isEmpty)
    }

    @Test("a call that is cancelled while a closure runs is not sent", arguments: [true, false]) func duringClosure(isCommon: Bool) async {
        let gated = GatedClient()
        let (entered, entry) = Promise<Void>.pending()
        let (released, release) = Promise<Void>.pending()
        let keeper = released.map {}
        // Ignores the cancellation of its task.
        let wait: @Sendable () async -> Void = {
            entry.fulfill(())
            await Task.detached { _ = await released.result }.value
        }
        let left = Promise<Void>.pending()
        var request = gated.client.get("/a")
        if isCommon {
            gated.client.commonParams { _ in
                await wait()
                left.resolver.fulfill(())
                return [:]
            }
        } else {
            request = request.before {
                await wait()
                left.resolver.fulfill(())
            }
        }
        let call = request.execute()
        _ = await entered.result
        gated.client.calls.cancelAll()
        await #expect(throws: CancellationError.self) { try await call.value }
        release.fulfill(())
        _ = await left.promise.result
        await giveChances()
        #expect(gated.stub.requests.isEmpty)
        keeper.cancel()
    }

    @Test("a call that waits for its next attempt can be cancelled") func betweenAttempts() async throws {
        let clock = VirtualClock()
        let stub = ClosureTransport { _ in .status(503) }
        let client = Client(transport: stub, clock: clock)
        let call = client.host("https://example.com").get("/a").retry(.exponential(limit: 1, baseDelay: .seconds(9))).id("slow").execute()
        await clock.scheduled(.seconds(9))
        #expect(client.calls.tasks(id: "slow").count == 1)
        client.calls.cancel(id: "slow")
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(stub.requests.count == 1)
    }

    // MARK: Streams

    @Test("a stream is in progress until its body has been read") func streaming() async throws {
        let gated = GatedClient { .pieces(["a", "b"]) }
        gated.open()
        var counts: [Int] = []
        for try await _ in gated.client.get("/a").group("films").stream() { counts.append(gated.client.calls.tasks(group: "films").count) }
        // Pieces may arrive together.
        #expect(!counts.isEmpty && counts.allSatisfy { $0 == 1 })
        #expect(gated.client.calls.tasks().isEmpty)
    }

    @Test("a stream that is left before its end is no longer in progress") func streamLeft() async throws {
        let gated = GatedClient { .pieces(["a", "b"]) }
        gated.open()
        for try await _ in gated.client.get("/a").stream() { break }
        // The task that opened the response may hold it for a moment longer.
        await gated.client.hasNoCalls()
        _ = try await gated.client.get("/a").stream().open()
        await gated.client.hasNoCalls()
    }

    @Test("a stream that waits for bytes can be cancelled") func streamCancelled() async throws {
        let gated = GatedClient { TransportResponse(status: 200, body: TransportBody(AsyncStream<Data> { $0.yield(Data("a".utf8)) })) }
        gated.open()
        let request = gated.client.get("/a").id("film")
        await #expect(throws: CancellationError.self) {
            for try await _ in request.stream() {
                Task { gated.client.calls.cancel(id: "film") }
            }
        }
        #expect(!Task.isCancelled)
        #expect(gated.client.calls.tasks().isEmpty)
    }

    @Test("an event stream can be cancelled while it waits for its next connection") func eventsCancelled() async throws {
        let clock = VirtualClock()
        let stub = ClosureTransport { _ in .pieces(["data: 1\n\n"], headers: ["Content-Type": "text/event-stream"]) }
        let client = Client(transport: stub, clock: clock)
        let events = client.host("https://example.com").get("/a").id("feed").events(reconnecting: .after(.seconds(7), limit: 3))
        let reading = Task { try await events.collected() }
        await clock.scheduled(.seconds(7))
        #expect(client.calls.tasks(id: "feed").count == 1)
        client.calls.cancel(id: "feed")
        await #expect(throws: CancellationError.self) { try await reading.value }
        #expect(stub.requests.count == 1)
        #expect(client.calls.tasks().isEmpty)
    }

    // MARK: Suspending

    @Test("a suspended call is not sent until it is resumed", arguments: [true, false]) func suspended(isByID: Bool) async throws {
        let gated = GatedClient()
        let client = gated.client
        gated.open()
        let (entered, entry) = Promise<Void>.pending()
        let (released, release) = Promise<Void>.pending()
        let other = TransferControl()
        let call = client.get("/a").id("film").group("films").set(\.control, other).before {
            entry.fulfill(())
            _ = await released.result
        }.execute(as: Int.self)
        _ = await entered.result
        if isByID { client.calls.suspend(id: "film") } else { client.calls.suspend(group: "films") }
        let task = try #require(client.calls.tasks().first)
        #expect(task.state == .suspended)
        #expect(!other.isSuspended)
        release.fulfill(())
        await giveChances()
        #expect(gated.stub.requests.isEmpty)
        // Later calls are not suspended, and the call's own control also applies.
        #expect(try await client.get("/b").id("film").group("films").value(as: Int.self) == 7)
        other.suspend()
        if isByID { client.calls.resume(id: "film") } else { client.calls.resume(group: "films") }
        await giveChances()
        #expect(task.state == .suspended)
        #expect(gated.stub.requests.map(\.address.path) == ["/b"])
        other.resume()
        #expect(try await call.value == 7)
        #expect(task.state == .completed)
    }

    @Test("a suspended call can be cancelled") func suspendedCancelled() async throws {
        let gated = GatedClient()
        let (suspended, suspension) = Promise<Void>.pending()
        let call = gated.client.get("/a").id("film").before { [client = gated.client] in
            client.calls.suspend(id: "film")
            suspension.fulfill(())
        }.execute()
        try await suspended.value
        #expect(gated.client.calls.tasks(id: "film").first?.state == .suspended)
        gated.client.calls.cancel(id: "film")
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(gated.stub.requests.isEmpty)
    }

    // MARK: Races

    @Test("if calls are cancelled while they end, none stays in the list and each has one outcome") func races() async throws {
        let gated = GatedClient()
        let client = gated.client
        gated.open()
        let group = CallGroup()
        let outcomes = Counter()
        let indicated = Recorder<Bool>()
        await withTaskGroup(of: Void.self) { tasks in
            for number in 0..<400 {
                tasks.addTask {
                    let request = client.tag("forum").get("/a").id("\(number % 7)").group("\(number % 3)").group(group)
                        .loading { indicated.note($0) }
                    if number % 2 == 0 {
                        _ = try? await request.value(as: Int.self)
                    } else {
                        _ = await request.execute(as: Int.self).result
                    }
                    outcomes.increment()
                }
                if number % 5 == 0 { tasks.addTask { client.calls.cancel(id: "\(number % 7)") } }
                if number % 9 == 0 { tasks.addTask { client.calls.cancel(group: "\(number % 3)") } }
                if number % 31 == 0 { tasks.addTask { client.calls.cancel(tag: "forum") } }
                if number % 17 == 0 { tasks.addTask { group.cancel() } }
            }
        }
        #expect(outcomes.count == 400)
        #expect(client.calls.tasks().isEmpty && group.tasks.isEmpty)
        #expect((0..<7).allSatisfy { client.calls.tasks(id: "\($0)").isEmpty })
        try await mainQueueHasRun()
        #expect(indicated.events.count { $0 } == 400)
        #expect(indicated.events.count { !$0 } == 400)
    }
}
