import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Calls that replace older ones", .limitedParallelism)
struct ReplacingCallTests {
    /// The terminals of a call.
    private static let ways: [(name: String, run: @Sendable (Request) async throws -> Void)] = [
        ("value", { _ = try await $0.value(as: Int.self) }),
        ("execute", { _ = try await $0.execute(as: Int.self).value }),
        ("response", { _ = try await $0.response(as: Int.self) }),
        ("cached values", { for try await _ in $0.values(of: Int.self) {} }),
        ("pages", { for try await _ in $0.pages(of: Int.self, by: .number()) {} }),
        ("stream", { for try await _ in $0.stream() {} }),
        ("events", { for try await _ in $0.events() {} }),
    ]

    private func search(_ client: Client, _ text: String) -> Request {
        client.get("/search").param("q", text).id("search", replacing: true)
    }

    @Test("a call cancels the older one with its id when it begins, whatever awaits it", arguments: ways.map(\.name), [true, false])
    func replaced(name: String, olderReplaces: Bool) async throws {
        let way = try #require(Self.ways.first { $0.name == name })
        let gated = GatedClient()
        let older = search(gated.client, "s").id("search", replacing: olderReplaces)
        let task = Task { try await way.run(older) }
        await gated.arrived(1)
        let newer = search(gated.client, "sw").execute(as: Int.self)
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(gated.client.calls.tasks(id: "search").count == 1)
        gated.open()
        #expect(try await newer.value == 7)
    }

    @Test("a newer call replaces an older one, whatever awaits the newer one", arguments: ways.map(\.name))
    func replacing(name: String) async throws {
        let way = try #require(Self.ways.first { $0.name == name })
        let gated = GatedClient()
        let older = search(gated.client, "s").execute(as: Int.self)
        await gated.arrived(1)
        let newer = search(gated.client, "sw")
        let task = Task { try await way.run(newer) }
        #expect(await older.result.isCancellation)
        await gated.arrived(2)
        task.cancel()
        _ = await task.result
    }

    /// Begins a loop, and returns the request of its first element.
    private static let loops: [(name: String, begin: @Sendable (Request) -> First)] = [
        ("cached values", { First($0.values(of: Int.self).makeAsyncIterator()) }),
        ("pages", { First($0.pages(of: Int.self, by: .number()).makeAsyncIterator()) }),
        ("items", { First($0.items(of: Int.self, by: .number()).makeAsyncIterator()) }),
        ("stream", { First($0.stream().makeAsyncIterator()) }),
        ("lines", { First($0.lines().makeAsyncIterator()) }),
        ("lines of JSON", { First($0.lines(as: Int.self).makeAsyncIterator()) }),
        ("events", { First($0.events().makeAsyncIterator()) }),
    ]

    /// The first element of a loop, whose call begins when it is asked for.
    private final class First {
        private let next: () async throws -> Void

        init<Iterator: AsyncIteratorProtocol>(_ iterator: Iterator) {
            var iterator = iterator
            next = { _ = try await iterator.next() }
        }

        func element() async throws { try await next() }
    }

    @Test("of two loops the one that began later stays, although its call begins first", arguments: loops.map(\.name))
    func loopOrder(name: String) async throws {
        let loop = try #require(Self.loops.first { $0.name == name })
        let gated = GatedClient()
        let older = loop.begin(search(gated.client, "s"))
        let newer = search(gated.client, "sw").execute(as: Int.self)
        await gated.arrived(1)
        await #expect(throws: CancellationError.self) { try await older.element() }
        #expect(gated.client.calls.tasks(id: "search").count == 1)
        gated.open()
        #expect(try await newer.value == 7)
    }

    @Test("a call whose task is cancelled before it begins replaces no call", arguments: ways.map(\.name))
    func cancelledBefore(name: String) async throws {
        let way = try #require(Self.ways.first { $0.name == name })
        let gated = GatedClient()
        let kept = search(gated.client, "sw").execute(as: Int.self)
        await gated.arrived(1)
        let late = search(gated.client, "s")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await way.run(late)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        gated.open()
        #expect(try await kept.value == 7)
    }

    @Test("neither other ids, groups and clients nor calls without `replacing` are affected")
    func others() async throws {
        let (gated, other) = (GatedClient(), GatedClient())
        let client = gated.client
        let kept = [
            client.get("/a").id("other").execute(as: Int.self), client.get("/a").group("search").execute(as: Int.self),
            client.get("/a").execute(as: Int.self), search(other.client, "s").execute(as: Int.self),
            client.get("/a").id(nil, replacing: true).execute(as: Int.self),
        ]
        let newest = search(client, "s").execute(as: Int.self)
        // A call that replaces none may have the same id.
        let plain = client.get("/a").id("search").execute(as: Int.self)
        gated.open()
        other.open()
        for call in kept + [newest, plain] { #expect(try await call.value == 7) }
    }

    @Test("the last `id` of a request counts")
    func lastStep() async throws {
        let gated = GatedClient()
        let client = gated.client
        let first = search(client, "s").execute(as: Int.self)
        let second = search(client, "sw").id("search").execute(as: Int.self)
        let third = search(client, "swi").id(nil).execute(as: Int.self)
        gated.open()
        for call in [first, second, third] { #expect(try await call.value == 7) }
    }

    @Test("of many calls that begin at the same time, exactly one stays")
    func crowd() async throws {
        let gated = GatedClient()
        let client = gated.client
        let calls = Recorder<Promise<Int>>()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 { group.addTask { calls.note(search(client, "\(number)").execute(as: Int.self)) } }
        }
        #expect(calls.events.filter(\.isPending).count == 1)
        #expect(client.calls.tasks(id: "search").count == 1)
        gated.open()
        var values = 0
        for call in calls.events { if (try? await call.value) == 7 { values += 1 } }
        #expect(values == 1)
    }

    @Test("a list that is read further does not replace a newer call, and ends")
    func pages() async throws {
        let gated = GatedClient { .json("[7]") }
        let client = gated.client
        gated.open()
        var pages = search(client, "s").pages(of: Int.self, by: .number()).makeAsyncIterator()
        #expect(try await pages.next()?.items == [7])
        let (gate, resolver) = Promise<Void>.pending()
        let newer = search(client, "sw").before { try await gate.value }.execute(as: [Int].self)
        await #expect(throws: CancellationError.self) { try await pages.next() }
        resolver.fulfill(())
        #expect(try await newer.value == [7])
    }

    @Test("an event stream that waits for its next connection is replaced, too")
    func events() async throws {
        let clock = VirtualClock()
        let client = Client(
            transport: ClosureTransport { request in
                request.address.path == "/events"
                    ? .pieces(["data: 1\n\n"], headers: ["Content-Type": "text/event-stream"]) : .json("7")
            }, clock: clock)
        client.defaultHost = "https://example.com"
        let stream = client.get("/events").id("search", replacing: true)
        let task = Task { try await stream.events().collected() }
        await clock.scheduled(.seconds(3))
        #expect(try await search(client, "s").value(as: Int.self) == 7)
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(
        "the older call ends before it is sent if it still waits, and nothing of it remains",
        arguments: ["before", "suspended", "deadline"])
    func waiting(reason: String) async throws {
        let stubs = Stubs()
        stubs.get("/search").reply(data: 7)
        let client = Client(testing: stubs, clock: VirtualClock())
        let (begun, beginning) = Promise<Void>.pending()
        var older = search(client, "s")
        switch reason {
        case "suspended":
            let control = TransferControl()
            control.suspend()
            older = older.set(\.control, control)
            beginning.fulfill(())
        case "deadline": older = older.deadline(.seconds(5))
        default: break
        }
        if reason != "suspended" {
            older = older.before {
                beginning.fulfill(())
                await untilCancelled()
            }
        }
        let call = older.execute(as: Int.self)
        try await begun.value
        #expect(try await search(client, "sw").value(as: Int.self) == 7)
        #expect(await call.result.isCancellation)
        await client.hasNoCalls()
        #expect(stubs.requests.count == 1)
    }

    @Test("a call that is refused after a shutdown replaces no call, and the older one finishes")
    func shutdown() async throws {
        let gated = GatedClient()
        let older = search(gated.client, "s").execute(as: Int.self)
        await gated.arrived(1)
        gated.client.shutdown()
        #expect(await search(gated.client, "sw").execute(as: Int.self).result.apiError?.kind == .invalidRequest)
        gated.open()
        #expect(try await older.value == 7)
        #expect(gated.client.calls.tasks().isEmpty)
    }

    @Test("a call of another user replaces that of the former one", arguments: [true, false])
    func users(signsOut: Bool) async throws {
        let gated = GatedClient()
        let authentication = Authentication(CountingUsers(), store: MemoryCredentialStore("Ann"))
        gated.client.configureDefaults { $0.authentication = authentication }
        let older = search(gated.client, "s").execute(as: Int.self)
        await gated.arrived(1)
        if signsOut { try authentication.signOut() }
        try authentication.signIn("Bob")
        let newer = search(gated.client, "s").execute(as: Int.self)
        #expect(await older.result.isCancellation)
        gated.open()
        #expect(try await newer.value == 7)
        #expect(gated.stub.requests.map { $0.headers["X-Name"] } == ["Ann", "Bob"])
    }

    @Test("a call of an endpoint replaces an older one")
    func endpoints() async throws {
        struct Search: Endpoint {
            typealias Response = Int
            let path: Path = "/search"
        }
        let gated = GatedClient()
        let older = gated.client.request(for: Search()).id("search", replacing: true).execute()
        let newer = gated.client.request(for: Search()).id("search", replacing: true).execute()
        #expect(await older.result.isCancellation)
        gated.open()
        #expect(try await newer.value == 7)
    }
}

extension Result where Failure == any Error {
    /// Whether the result is that of a cancelled call.
    fileprivate var isCancellation: Bool {
        if case .failure(let error) = self { error is CancellationError } else { false }
    }
}
