import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena
@testable import CatenaFleet

@Suite("A credential shared by machines", .limitedParallelism)
struct SharedCredentialTests {
    private typealias SignIn = Authentication<CountingScheme>

    private static let unauthorized = APIError(.status, status: 401)
    private let clock = VirtualClock(isAutomatic: true)
    private let store: MemorySharedStore

    init() { store = MemorySharedStore(clock: clock) }

    private func machine(_ scheme: CountingScheme) -> SignIn {
        Authentication(scheme, shared: SharedCredential("forum", in: store))
    }

    /// Waits until other machines can read the credential that a machine writes in the background.
    private func written(_ number: Int?) async throws {
        while true {
            let writes = store.writes.count
            let other = machine(CountingScheme())
            if try await other.load()?.number == number, store.keys.contains("credential:forum") { return }
            await store.writes.reached(writes + 1)
        }
    }

    /// Returns two machines that are signed in, and the scheme and the store of the second one.
    private func twoMachines() async throws -> (one: SignIn, other: SignIn, scheme: CountingScheme, store: BriefStore) {
        let (one, scheme, brief) = (machine(CountingScheme()), CountingScheme(), BriefStore(store))
        let other = Authentication(scheme, shared: SharedCredential("forum", in: brief))
        try one.signIn(.first)
        try await written(0)
        _ = try await other.load()
        return (one, other, scheme, brief)
    }

    @Test("machines take over the sign-in and the sign-out of another machine")
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

    @Test("machines stop publishing a sign-in after a bounded number of tries if the store never confirms it")
    func lateReads() async throws {
        let late = LateStore()
        let clock = VirtualClock(isAutomatic: true)
        let members = (0..<2).map { _ in FleetMember<Stamp>(SharedCredential("forum", in: late)) }
        for (number, member) in members.enumerated() {
            member.noteOwn(isSignIn: true)
            await member.publish(SharedAccess(store: late, outageHandler: OutageHandler(clock: clock) { _, _ in })) {
                (Stamp(number: number), 1)
            }
        }
        #expect(late.operations.count <= 2 * 2 * SharedAccess.mostTries)
    }

    @Test("all machines share one refresh")
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

    @Test("machines that start with the same refused credential share one refresh")
    func sameBeginning() async throws {
        let scheme = CountingScheme()
        let (one, other) = (machine(scheme), machine(scheme))
        for machine in [one, other] {
            let writes = store.writes.count
            try machine.signIn(.first)
            // The credential of the first machine reads as that of the second one, whose write must not follow the refresh.
            await store.writes.reached(writes + 1)
        }
        for machine in [one, other] {
            let (token, replays) = try await machine.call(on: clock) { $0 == "a1" ? nil : Self.unauthorized }
            #expect(token == "a1")
            #expect(replays == 1)
        }
        #expect(scheme.refreshed.count == 1)
    }

    @Test("a machine that starts with a credential which another one is refreshing does not undo the refresh")
    func lateStart() async throws {
        let members = (0..<2).map { _ in FleetMember<Stamp>(SharedCredential("forum", in: store)) }
        let access = SharedAccess(store: store, outageHandler: OutageHandler(clock: clock) { _, _ in })
        // The second one starts while the first refreshes the credential.
        for member in members {
            member.noteOwn(isSignIn: true)
            await member.publish(access) { (.first, 1) }
        }
        members[0].noteOwn(isSignIn: false)
        let news = await members[0].publish(access, replacing: .first) { (Stamp(number: 1), 1) }
        #expect(news == nil)
        #expect(try await members[1].news(in: store)?.record.credential == Stamp(number: 1))
    }

    @Test("after a failed refresh another machine may refresh")
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

    @Test("the lock of a vanished machine delays the others by the lease only")
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

    @Test("without the store a machine refreshes its own credential, and publishes it when the store returns")
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

    @Test("a machine takes over the refresh that it has read, although the store then cannot be reached")
    func goneAfterReading() async throws {
        let (one, other, scheme, brief) = try await twoMachines()
        #expect(try await one.call(on: clock) { $0 == "a1" ? nil : Self.unauthorized }.token == "a1")
        brief.readings.withLock { $0 = 1 }
        let (token, replays) = try await other.call(on: clock) { $0 == "a1" ? nil : Self.unauthorized }
        #expect(token == "a1")
        #expect(replays == 1)
        #expect(scheme.refreshed.count == 0)
    }

    @Test("a machine takes over a refresh that it reads under its lock, although it then cannot release the lock")
    func goneBeforeRelease() async throws {
        let (one, other, scheme, brief) = try await twoMachines()
        brief.refusesRemovals.withLock { $0 = true }
        let clock = clock
        brief.afterNextRead.withLock { next in
            next = { _ = try? await one.call(on: clock) { $0 == "a1" ? nil : Self.unauthorized } }
        }
        #expect(try await other.call(on: clock) { $0 == "a1" ? nil : Self.unauthorized }.token == "a1")
        #expect(scheme.refreshed.count == 0)
    }

    @Test("a credential from an outage gives way to a newer one of another machine")
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

    @Test("a damaged or lost entry of the store signs no user in or out")
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

    @Test("a stale or refused credential of another machine is refreshed", arguments: [true, false])
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
        #expect(stubs.requests.count == (isKnown ? 2 : 3))
    }

    @Test("a call on a machine without a credential uses the shared one")
    func found() async throws {
        try machine(CountingScheme()).signIn(Stamp(number: 4))
        try await written(4)
        let stubs = Stubs()
        stubs.get("/me").reply { call in .reply(data: call.headers["X-Token"] ?? "none") }
        let client = Client(testing: stubs)
        client.configure("forum") { $0.authentication = machine(CountingScheme()) }
        #expect(try await client.tag("forum").get("/me").value(as: String.self) == "a4")
    }
}

/// A store whose reads never return a written value, so that no value is ever replaced. It fails after a thousand operations.
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

/// A store that cannot be reached after a number of readings.
private final class BriefStore: SharedStore {
    private let store: MemorySharedStore
    let readings = Mutex(Int.max)
    let refusesRemovals = Mutex(false)
    let afterNextRead = Mutex<(@Sendable () async -> Void)?>(nil)

    init(_ store: MemorySharedStore) { self.store = store }

    func read(_ keys: [String]) async throws -> SharedReading {
        let isThere = readings.withLock { left in
            left -= 1
            return left >= 0
        }
        guard isThere else { throw APIError(.connect) }
        let reading = try await store.read(keys)
        await afterNextRead.withLock { $0.take() }?()
        return reading
    }

    func write(_ value: Data?, for key: String, lifetime: Duration) async throws {
        try await store.write(value, for: key, lifetime: lifetime)
    }

    func replace(_ former: Data?, with value: Data?, for key: String, lifetime: Duration) async throws -> Bool {
        if value == nil, refusesRemovals.withLock({ $0 }) { throw APIError(.connect) }
        return try await store.replace(former, with: value, for: key, lifetime: lifetime)
    }
}
