import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("A credential that machines share", .limitedParallelism)
struct SharedCredentialTests {
    private typealias SignIn = Authentication<CountingScheme>

    private static let unauthorized = APIError(.status, status: 401)
    private let clock = VirtualClock(isAutomatic: true)
    private let store: MemorySharedStore

    init() { store = MemorySharedStore(clock: clock) }

    private func machine(_ scheme: CountingScheme) -> SignIn {
        Authentication(scheme, shared: SharedCredential("forum", in: store))
    }

    /// Waits until the others can find what a machine has written in the background.
    private func written(_ number: Int?) async throws {
        while true {
            let writes = store.writes.count
            let other = machine(CountingScheme())
            if try await other.load()?.number == number, store.keys.contains("credential:forum") { return }
            await store.writes.reached(writes + 1)
        }
    }

    @Test("a sign-in on one is taken over by the others, and so is the sign-out")
    func signIn() async throws {
        let (one, other) = (machine(CountingScheme()), machine(CountingScheme()))
        #expect(try await other.load() == nil)
        try one.signIn(Stamp(number: 3))
        try await written(3)
        #expect(try await other.load() == Stamp(number: 3))
        try one.signOut()
        try await written(nil)
        #expect(try await machine(CountingScheme()).load() == nil)
    }

    @Test("machines that sign in over a store whose reads are always late give up after a while, and do not keep it busy")
    func lateReads() async throws {
        let late = LateStore()
        let clock = VirtualClock(isAutomatic: true)
        let members = (0..<2).map { _ in FleetMember<Stamp>(SharedCredential("forum", in: late)) }
        for (number, member) in members.enumerated() {
            member.noteOwn(isSignIn: true)
            await member.publish(SharedAccess(store: late, watch: SharedWatch(clock: clock) { _, _ in })) { (Stamp(number: number), 1) }
        }
        #expect(late.operations.count <= 2 * 2 * SharedAccess.mostTries)
    }

    @Test("one refresh for all machines")
    func oneRefresh() async throws {
        let scheme = CountingScheme()
        let machines = (0..<3).map { _ in machine(scheme) }
        try machines[0].signIn(.first)
        try await written(0)
        for machine in machines { #expect(try await machine.load() == .first) }
        let arrived = Counter()
        try await withThrowingTaskGroup(of: String?.self) { [clock] calls in
            for machine in machines {
                calls.addTask {
                    try await machine.call(on: clock) { token in
                        arrived.increment()
                        await arrived.reached(3)
                        return token == "a1" ? nil : Self.unauthorized
                    }.token
                }
            }
            for try await token in calls { #expect(token == "a1") }
        }
        #expect(scheme.refreshed.count == 1)
    }

    @Test("machines that begin with the same credential do not take that over from each other")
    func sameBeginning() async throws {
        let scheme = CountingScheme()
        let (one, other) = (machine(scheme), machine(scheme))
        for machine in [one, other] {
            try machine.signIn(.first)
            try await written(0)
        }
        for machine in [one, other] {
            let (token, replays) = try await machine.call(on: clock) { $0 == "a1" ? nil : Self.unauthorized }
            #expect(token == "a1")
            #expect(replays == 1)
        }
        #expect(scheme.refreshed.count == 1)
    }

    @Test("a refresh that fails leaves it to the next machine")
    func failed() async throws {
        let failing = CountingScheme { _ in throw APIError(.status, status: 500) }
        let (one, other) = (machine(failing), machine(CountingScheme()))
        try one.signIn(.first)
        try await written(0)
        _ = try await other.load()
        await #expect(throws: (any Error).self) { try await one.call(on: clock) { _ in Self.unauthorized } }
        #expect(try await other.call(on: clock) { $0 == "a1" ? nil : Self.unauthorized }.token == "a1")
        #expect(try await one.call(on: clock) { $0 == "a1" ? nil : Self.unauthorized }.token == "a1")
        #expect(failing.refreshed.count == 1)
    }

    @Test("a machine that is gone with the lock holds the others up for the time of the lease")
    func gone() async throws {
        let other = machine(CountingScheme())
        try machine(CountingScheme()).signIn(.first)
        try await written(0)
        _ = try await other.load()
        let lock = SharedLock(key: "lock:forum", lease: .seconds(12))
        guard case .taken = try await lock.take(in: store) else { return #expect(Bool(false)) }
        #expect(try await other.call(on: clock) { $0 == "a1" ? nil : Self.unauthorized }.token == "a1")
        #expect(clock.now >= .seconds(12))
    }

    @Test("without the store a machine refreshes what it has, and tells the others when the store is back")
    func away() async throws {
        let (one, other) = (machine(CountingScheme()), machine(CountingScheme()))
        try one.signIn(.first)
        try await written(0)
        _ = try await other.load()
        store.isAway = true
        #expect(try await one.call(on: clock) { $0 == "a1" ? nil : Self.unauthorized }.token == "a1")
        #expect(try await machine(CountingScheme()).load() == nil)
        store.isAway = false
        #expect(try await one.call(on: clock) { $0 == "a2" ? nil : Self.unauthorized }.token == "a2")
        #expect(try await other.call(on: clock) { $0 == "a2" ? nil : Self.unauthorized }.token == "a2")
    }

    @Test("what a machine got while the store was away gives way to what another has written since")
    func later() async throws {
        let scheme = CountingScheme()
        let (one, other) = (machine(scheme), machine(CountingScheme { Stamp(number: $0.number + 10) }))
        try one.signIn(.first)
        try await written(0)
        _ = try await other.load()
        store.isAway = true
        #expect(try await one.call(on: clock) { $0 == "a1" ? nil : Self.unauthorized }.token == "a1")
        store.isAway = false
        #expect(try await other.call(on: clock) { $0 == "a10" ? nil : Self.unauthorized }.token == "a10")
        #expect(try await one.call(on: clock) { $0 == "a10" ? nil : Self.unauthorized }.token == "a10")
        #expect(scheme.refreshed.count == 1)
    }

    @Test("what is no credential, or is lost, signs nobody in or out")
    func garbage() async throws {
        let one = machine(CountingScheme())
        try one.signIn(.first)
        try await written(0)
        for garbage in [Data(), Data("garbage".utf8), SharedValue.seal(Data("{}".utf8), for: "credential:forum")] {
            store.replaceAll { _ in garbage }
            #expect(try await machine(CountingScheme()).load() == nil)
        }
        store.removeAll()
        #expect(try await one.load() == .first)
        #expect(try await one.call(on: clock) { $0 == "a1" ? nil : Self.unauthorized }.token == "a1")
        #expect(try await machine(CountingScheme()).load() == Stamp(number: 1))
    }

    @Test("what another machine has got may be too old as well, as the credential or the backend says", arguments: [true, false])
    func tooOld(isKnown: Bool) async throws {
        let (one, other) = (machine(CountingScheme()), machine(CountingScheme()))
        try one.signIn(.first)
        try await written(0)
        _ = try await other.load()
        try one.signIn(Stamp(number: 1, isStale: isKnown))
        try await written(1)
        let stubs = Stubs()
        stubs.get("/me").header("X-Token", "a2").reply(data: "me")
        stubs.get("/me").reply(status: 401)
        let client = Client(testing: stubs, clock: clock)
        client.configure("forum") { $0.authentication = other }
        #expect(try await client.tag("forum").get("/me").value(as: String.self) == "me")
        #expect(stubs.calls.count == (isKnown ? 2 : 3))
    }

    @Test("a call that finds nobody signed in here finds the credential of the others")
    func found() async throws {
        try machine(CountingScheme()).signIn(Stamp(number: 4))
        try await written(4)
        let stubs = Stubs()
        stubs.get("/me").reply { call in .reply(data: call.request.headers["X-Token"] ?? "none") }
        let client = Client(testing: stubs)
        client.configure("forum") { $0.authentication = machine(CountingScheme()) }
        #expect(try await client.tag("forum").get("/me").value(as: String.self) == "a4")
    }
}

/// A store whose reads never show what was written last, so that nothing is ever replaced; after a thousand operations it fails.
private final class LateStore: SharedStore {
    struct Busy: Error {}

    let operations = Counter()

    private func note() throws {
        operations.increment()
        if operations.count > 1000 { throw Busy() }
    }

    func read(_ keys: [String]) async throws -> SharedReading {
        try note()
        return SharedReading(values: keys.map { _ in nil }, time: .zero)
    }

    func write(_ value: Data?, for key: String, lifetime: Duration) async throws { try note() }

    func replace(_ former: Data?, with value: Data?, for key: String, lifetime: Duration) async throws -> Bool {
        try note()
        return false
    }
}
