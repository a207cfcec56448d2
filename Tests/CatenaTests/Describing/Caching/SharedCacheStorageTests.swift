import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena
@testable import CatenaFleet

@Suite("A cache shared by machines", .limitedParallelism)
struct SharedCacheStorageTests {
    private let store = MemorySharedStore()
    private let stubs = Stubs()
    private let served = Counter()

    init() {
        stubs.post("/rooms").reply(data: true)
        stubs.get("/rooms").reply { [served] call in
            served.increment()
            return .reply(data: [call.headers["Authorization"] ?? "nobody", "\(served.count)"])
        }
    }

    private func machine(token: BearerToken? = nil, limit: Int = 1024 * 1024) -> Client {
        let client = Client(testing: stubs)
        client.configure("forum") { [store] forum in
            forum.cache = .shared(store, limit: limit)
            forum.cachePolicy = .expire(.seconds(600))
            forum.authentication = token.map { Authentication(BearerAuthenticator(), store: MemoryCredentialStore($0)) }
        }
        return client
    }

    private static func rooms(_ machine: Client) async throws -> [String] {
        try await machine.tag("forum").get("/rooms").value(as: [String].self)
    }

    @Test("a response that one machine received is used by all")
    func shared() async throws {
        for _ in 0..<2 { #expect(try await Self.rooms(machine()) == ["nobody", "1"]) }
    }

    @Test("each user has cached responses of its own, and the responses for a token without a user are not cached")
    func users() async throws {
        for _ in 0..<2 {
            #expect(try await Self.rooms(machine(token: BearerToken(accessToken: "red", user: "red"))) == ["Bearer red", "1"])
        }
        #expect(try await Self.rooms(machine(token: BearerToken(accessToken: "blue", user: "blue"))) == ["Bearer blue", "2"])
        #expect(try await Self.rooms(machine()) == ["nobody", "3"])
        for number in 4...5 {
            #expect(try await Self.rooms(machine(token: BearerToken(accessToken: "token"))) == ["Bearer token", "\(number)"])
        }
    }

    @Test("a change by one machine invalidates the responses of all users on all machines")
    func changed() async throws {
        let red = machine(token: BearerToken(accessToken: "red", user: "red"))
        #expect(try await Self.rooms(red) == ["Bearer red", "1"])
        _ = try await machine().tag("forum").post("/rooms").value(as: Bool.self)
        #expect(try await Self.rooms(red) == ["Bearer red", "2"])
    }

    @Test(
        "the paths and groups that a call of one machine makes stale are stale on all machines", arguments: ["path", "group", "everything"])
    func named(way: String) async throws {
        stubs.get("/lists/7").reply { [served] _ in
            served.increment()
            return .reply(data: ["\(served.count)"]).header("Cache-Groups", "\"lists\"")
        }
        stubs.post("/change").reply(.reply(data: true).header("Cache-Group-Invalidation", way == "group" ? "\"lists\"" : ""))
        let (one, other) = (machine(), machine())
        let list = other.tag("forum").get("/lists/7")
        for _ in 0..<2 { #expect(try await list.value(as: [String].self) == ["1"]) }
        #expect(try await Self.rooms(other) == ["nobody", "2"])
        let change = one.tag("forum").post("/change")
        switch way {
        case "path": try await change.set(\.invalidates, ["/lists/*"]).void()
        case "group": try await change.void()
        default: try await change.set(\.invalidates, ["/**"]).void()
        }
        #expect(try await list.value(as: [String].self) == ["3"])
        #expect(try await Self.rooms(other) == ["nobody", way == "everything" ? "4" : "2"])
        // A response that is stored after the change is used again, by machines that begin later, too.
        for machine in [one, other, machine()] {
            #expect(try await machine.tag("forum").get("/lists/7").value(as: [String].self) == ["3"])
        }
    }

    @Test("a path that becomes stale while the store is away is stale when the store is back")
    func namedAway() async throws {
        stubs.post("/change").reply(data: true)
        let one = machine()
        one.onDiagnostic { _ in }
        #expect(try await Self.rooms(one) == ["nobody", "1"])
        store.isAway = true
        try await one.tag("forum").post("/change").set(\.invalidates, ["/rooms"]).void()
        store.isAway = false
        #expect(try await Self.rooms(one) == ["nobody", "2"])
        #expect(try await Self.rooms(machine()) == ["nobody", "2"])
    }

    @Test("any number of changes keeps what the store holds for them small, and no stale response is used after them")
    func manyNames() async throws {
        stubs.post("/change").reply(data: true)
        let one = machine()
        #expect(try await Self.rooms(one) == ["nobody", "1"])
        for number in 0..<200 { try await one.tag("forum").post("/change").set(\.invalidates, ["/other/\(number)"]).void() }
        #expect(try await store.read(["cache:all"])[0].map { $0.count < 10_000 } == true)
        try await one.tag("forum").post("/change").set(\.invalidates, ["/rooms"]).void()
        #expect(try await Self.rooms(machine()) == ["nobody", "2"])
    }

    @Test(
        "a response is not stored if another machine changed the address or named its path while it was in progress",
        arguments: [false, true])
    func underWay(isNamed: Bool) async throws {
        let (gate, resolver) = Promise<Void>.pending()
        let isAsked = Counter()
        stubs.get("/slow").reply { _ in
            isAsked.increment()
            if isAsked.count == 1 { try await gate.value }
            return .reply(data: isAsked.count)
        }
        for path in ["/slow", "/change"] { stubs.post(path).reply(data: true) }
        let slow = Task { [one = machine()] in try await one.tag("forum").get("/slow").value(as: Int.self) }
        await isAsked.reached(1)
        let forum = machine().tag("forum")
        try await (isNamed ? forum.post("/change").set(\.invalidates, ["/slow"]) : forum.post("/slow")).void()
        resolver.fulfill(())
        #expect(try await slow.value == 1)
        #expect(try await machine().tag("forum").get("/slow").value(as: Int.self) == 2)
    }

    @Test("a write that is never answered delays a call by the time limit of the store, and no longer")
    func unanswered() async throws {
        let (silent, clock) = (SilentStore(), VirtualClock())
        let client = Client(testing: stubs, clock: clock)
        let cache = ResponseCache.shared(silent)
        client.configure("forum") {
            $0.cache = cache
            $0.cachePolicy = .expire(.seconds(600))
        }
        cache.clear()
        await silent.asked.reached(1)
        for _ in 0..<2 {
            let call = client.tag("forum").get("/rooms").execute(as: [String].self)
            await clock.scheduled(.seconds(5))
            clock.advance(by: .seconds(5))
            #expect(try await call.value == ["nobody", "1"])
        }
    }

    @Test("without the store a machine caches locally, reports it once, and drops these responses when the store returns")
    func away() async throws {
        let one = machine()
        let said = Counter()
        one.onDiagnostic { if $0.kind == .sharedStore { said.increment() } }
        store.isAway = true
        #expect(try await Self.rooms(one) == ["nobody", "1"])
        #expect(try await Self.rooms(one) == ["nobody", "1"])
        #expect(said.count == 1)
        store.isAway = false
        #expect(try await Self.rooms(one) == ["nobody", "2"])
        #expect(try await Self.rooms(machine()) == ["nobody", "2"])
        stubs.clock.advance(by: .seconds(5))
        store.isAway = true
        #expect(try await Self.rooms(one) == ["nobody", "3"])
        #expect(said.count == 2)
    }

    @Test("a read that began before an outage and ends during it does not report the outage again")
    func late() async throws {
        let one = machine()
        let (said, isRead) = (Counter(), Counter())
        one.onDiagnostic { if $0.kind == .sharedStore { said.increment() } }
        #expect(try await Self.rooms(one) == ["nobody", "1"])
        let (gate, resolver) = Promise<Void>.pending()
        store.afterRead {
            isRead.increment()
            try? await gate.value
        }
        let late = Task { try await Self.rooms(one) }
        await isRead.reached(1)
        store.isAway = true
        #expect(try await Self.rooms(one) == ["nobody", "2"])
        resolver.fulfill(())
        #expect(try await late.value == ["nobody", "1"])
        _ = try await Self.rooms(one)
        #expect(said.count == 1)
    }

    @Test("a change during an outage invalidates shared responses before the next read after the outage")
    func overdue() async throws {
        let (one, other) = (machine(), machine())
        #expect(try await Self.rooms(other) == ["nobody", "1"])
        store.isAway = true
        _ = try await one.tag("forum").post("/rooms").value(as: Bool.self)
        store.isAway = false
        #expect(try await Self.rooms(one) == ["nobody", "2"])
        #expect(try await Self.rooms(other) == ["nobody", "2"])
    }

    @Test("clearing a shared cache clears it for all machines")
    func cleared() async throws {
        let cache = ResponseCache.shared(store)
        #expect(try await Self.rooms(machine()) == ["nobody", "1"])
        let client = machine()
        client.configure("forum") { $0.cache = cache }
        #expect(try await client.tag("forum").get("/rooms").value(as: [String].self) == ["nobody", "1"])
        cache.clear()
        #expect(try await client.tag("forum").get("/rooms").value(as: [String].self) == ["nobody", "2"])
        #expect(try await Self.rooms(machine()) == ["nobody", "2"])
    }

    @Test("a damaged, foreign or lost entry is a miss")
    func garbage() async throws {
        let damages: [(String) -> Data] = [
            { _ in Data("garbage".utf8) }, { _ in Data() }, { SharedValue.seal(Data(), for: $0) },
            { SharedValue.seal(Data(repeating: 0, count: 200), for: $0) }, { SharedValue.seal(Data("x".utf8), for: $0 + "x") },
        ]
        for (number, damage) in damages.enumerated() {
            #expect(try await Self.rooms(machine()) == ["nobody", "\(number + 1)"])
            store.replaceAll(with: damage)
        }
        store.removeAll()
        #expect(try await Self.rooms(machine()) == ["nobody", "\(damages.count + 1)"])
    }

    @Test("a response that exceeds the limit is not stored")
    func limit() async throws {
        for number in 1...2 { #expect(try await Self.rooms(machine(limit: 10)) == ["nobody", "\(number)"]) }
    }
}

/// A store that answers no write.
private final class SilentStore: SharedStore {
    let asked = Counter()
    private let answer = Promise<Void>.pending()

    func read(_ keys: [String]) async throws -> SharedReading {
        SharedReading(values: keys.map { _ in nil }, time: .seconds(1_800_000_000))
    }

    func write(_ value: Data?, for key: String, lifetime: Duration) async throws {
        asked.increment()
        try await answer.promise.value
    }

    func replace(_ former: Data?, with value: Data?, for key: String, lifetime: Duration) async throws -> Bool {
        try await write(value, for: key, lifetime: lifetime)
        return true
    }
}
