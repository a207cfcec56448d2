import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena
@testable import CatenaFleet

/// Lets the store operations of two machines happen one by one, in an order that a test chooses.
private final class OperationOrder: Sendable {
    private struct State: Sendable {
        /// The operations that wait for their turn, by machine.
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var finished: Set<Int> = []
        var isFree = true
        /// The machines that had a choice of turns, and the chosen ones.
        var taken: [Int] = []
        var choices: [Int] = []
    }

    private let state = Monitor(State())
    /// The machines that the test chooses, while both have an operation.
    private let wanted: [Int]
    /// The number of turns after which the machines alternate, because a machine that waits for a lock has turns without an end.
    private static let most = 10

    init(_ wanted: [Int]) { self.wanted = wanted }

    /// Makes the operations wait from now on.
    func begin() { state.withLock { $0.isFree = false } }

    func turn(of machine: Int) async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if !state.isFree { state.waiting[machine] = continuation }
                return state.isFree
            }
            if isFree { continuation.resume() }
        }
    }

    func finish(_ machine: Int) { state.withLock { _ = $0.finished.insert(machine) } }

    /// Gives turns until both machines have finished. Returns the turns that were chosen.
    func run() async -> [Int] {
        while true {
            await state.wait { $0.isFree || $0.finished.union($0.waiting.keys).count == 2 }
            let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
                let waiting = state.waiting.keys.sorted().filter { !state.finished.contains($0) }
                guard let first = waiting.first else { return nil }
                var machine = first
                if waiting.count == 2 {
                    let turn = state.choices.count
                    machine = turn < wanted.count ? wanted[turn] : turn < Self.most ? 0 : turn % 2
                    state.choices.append(machine)
                }
                return state.waiting.removeValue(forKey: machine)
            }
            guard let next else { break }
            next.resume()
        }
        let (left, choices) = state.withLock { state in
            state.isFree = true
            defer { state.waiting = [:] }
            return (Array(state.waiting.values), Array(state.choices.prefix(Self.most)))
        }
        for operation in left { operation.resume() }
        return choices
    }

    /// Runs a test once for each order.
    static func each(_ test: (OperationOrder) async throws -> [Int]) async rethrows -> Int {
        var (wanted, count): ([Int]?, Int) = ([], 0)
        while let order = wanted {
            let choices = try await test(OperationOrder(order))
            count += 1
            // The next order differs in the last turn that the first machine had.
            wanted = choices.lastIndex(of: 0).map { choices[..<$0] + [1] }
        }
        return count
    }
}

/// The store as one machine sees it.
private final class StoreOfMachine: SharedStore {
    private let machine: Int
    private let store: MemorySharedStore
    private let order: OperationOrder
    private let past: Recorder<Data?>
    /// The reading that gives the record before the present one.
    private let lateReading: Int?
    private let readings = Counter()
    /// Called when a change of the credential has been written.
    let written = Mutex<@Sendable () -> Void> {}

    init(_ machine: Int, _ store: MemorySharedStore, _ order: OperationOrder, past: Recorder<Data?>, lateReading: Int?) {
        (self.machine, self.store, self.order, self.past, self.lateReading) = (machine, store, order, past, lateReading)
    }

    func read(_ keys: [String]) async throws -> SharedReading {
        await order.turn(of: machine)
        var reading = try await store.read(keys)
        let former = past.events.dropLast().last
        if readings.count == lateReading, keys == [FleetOrderTests.key], let former { reading.values = [former] }
        readings.increment()
        return reading
    }

    func write(_ value: Data?, for key: String, lifetime: Duration) async throws {
        await order.turn(of: machine)
        try await store.write(value, for: key, lifetime: lifetime)
    }

    func replace(_ former: Data?, with value: Data?, for key: String, lifetime: Duration) async throws -> Bool {
        await order.turn(of: machine)
        let isDone = try await store.replace(former, with: value, for: key, lifetime: lifetime)
        if isDone, key == FleetOrderTests.key {
            past.note(value)
            written.withLock { $0 }()
        }
        return isDone
    }
}

/// Notes each refresh token that a machine spends.
private struct SpendingScheme: Authenticator {
    let spent: Recorder<String>

    func apply(_ credential: Person, to request: inout HTTPRequest) { request.headers["Authorization"] = credential.token }
    func refresh(_ credential: Person) async throws -> Person {
        spent.note(credential.token)
        return Person(name: credential.name, number: credential.number + 1)
    }
    func identity(of credential: Person) -> String { credential.name }
    func user(of credential: Person) -> String? { credential.name }
}

@Suite("The order of a fleet's reads and writes", .limitedParallelism)
struct FleetOrderTests {
    static let key = "credential:forum"

    enum Act: String, CaseIterable { case signIn, signOut, refresh }

    /// A machine of the fleet. Its server accepts the tokens that the test names.
    private final class Machine: Sendable {
        let signIn: Authentication<SpendingScheme>
        let spent: Recorder<String>
        let client: Client
        let store: StoreOfMachine
        let accepted = Mutex<Set<String>>([])

        init(_ store: StoreOfMachine) {
            (self.store, self.spent) = (store, Recorder())
            let (stubs, clock) = (Stubs(), VirtualClock(isAutomatic: true))
            signIn = Authentication(SpendingScheme(spent: spent), shared: SharedCredential("forum", in: store))
            client = Client(testing: stubs, clock: clock)
            client.configure("forum") { [signIn] in $0.authentication = signIn }
            stubs.get("/a").reply { [weak self] call in
                let token = call.headers["Authorization"] ?? ""
                return self?.accepted.withLock { $0.contains(token) } == true ? .reply(data: token) : .status(401)
            }
        }

        func call() async -> Result<String, any Error> { await client.tag("forum").get("/a").execute(as: String.self).result }

        func find() async { await signIn.findCredential(client.diagnostics.outageHandler) }

        /// Does the act, and returns when its operations have ended.
        func act(_ act: Act, as name: String, _ order: OperationOrder, number: Int) async throws {
            switch act {
            case .refresh:
                accepted.withLock { $0 = ["Ann1", "Bob0", "Cid0"] }
                _ = await call()
                order.finish(number)
            case .signIn, .signOut:
                store.written.withLock { $0 = { order.finish(number) } }
                act == .signIn ? try signIn.signIn(Person(name: name)) : try signIn.signOut()
            }
        }
    }

    private func record(_ store: MemorySharedStore) async throws -> Person? {
        let value = try await store.read([Self.key])[0]
        return try #require(SharedValue.open(value, of: Self.key, as: SharedCredentialRecord<Person>.self)).credential
    }

    /// Runs two acts in one order, and then calls on both machines. Returns the chosen turns.
    private func run(_ acts: [Act], _ order: OperationOrder, late: (machine: Int, reading: Int)?) async throws -> [Int] {
        let store = MemorySharedStore()
        let past = Recorder<Data?>()
        // The fleet has had another user before, whose record a late store may return.
        for (number, name) in ["Zed", "Ann"].enumerated() {
            let member = FleetMember<Person>(SharedCredential("forum", in: store))
            member.noteOwn(isSignIn: true)
            await member.publish(store.access) { (Person(name: name), number + 1) }
            past.note(try await store.read([Self.key])[0])
        }
        var machines: [Machine] = []
        for number in 0..<2 {
            let view = StoreOfMachine(number, store, order, past: past, lateReading: late?.machine == number ? late?.reading : nil)
            machines.append(Machine(view))
            await machines[number].find()
            #expect(try machines[number].signIn.credential() == Person(name: "Ann"))
        }
        order.begin()
        let choices = try await withThrowingTaskGroup(of: Void.self) { [machines] group in
            for number in 0..<2 {
                group.addTask { try await machines[number].act(acts[number], as: ["Bob", "Cid"][number], order, number: number) }
            }
            let choices = await order.run()
            try await group.waitForAll()
            return choices
        }
        try await check(acts, machines, store, "\(acts) \(choices) \(late.map { "\($0)" } ?? "")")
        return choices
    }

    /// Checks the record of the store, and that the next calls of both machines agree with it.
    private func check(_ acts: [Act], _ machines: [Machine], _ store: MemorySharedStore, _ note: String) async throws {
        let last = try await record(store)
        let allowed: [Person?] =
            switch (acts[0], acts[1]) {
            case (.signOut, .signIn), (.signIn, .signOut): [nil, Person(name: acts[0] == .signIn ? "Bob" : "Cid")]
            case (.signIn, .signIn): [Person(name: "Bob"), Person(name: "Cid")]
            case (.signIn, .refresh): [Person(name: "Bob")]
            case (.refresh, .signIn): [Person(name: "Cid")]
            case (.signOut, _), (_, .signOut): [nil]
            case (.refresh, .refresh): [Person(name: "Ann", number: 1)]
            }
        #expect(allowed.contains(last), "\(note)")
        for machine in machines {
            let token = last?.token
            machine.accepted.withLock { $0 = token.map { [$0] } ?? [] }
            // The first call may belong to the former user, so that it fails.
            _ = await machine.call()
            let result = await machine.call()
            #expect((try? result.get()) == token, "\(note)")
            #expect(Set(machine.spent.events).count == machine.spent.count, "\(note): \(machine.spent.events)")
        }
        #expect(try await record(store) == last, "\(note)")
    }

    private static let pairs = Act.allCases.flatMap { one in Act.allCases.map { [one, $0] } }

    @Test("no order of the reads and writes of two machines brings back a former user, or spends a refresh token twice", arguments: pairs)
    func orders(acts: [Act]) async throws {
        let count = try await OperationOrder.each { try await run(acts, $0, late: nil) }
        #expect(count >= 6)
    }

    @Test("neither does a store that returns an older record once", arguments: pairs)
    func lateRecords(acts: [Act]) async {
        // The first machine alone, because the second one is the first of the reverse pair.
        await each(1..<7) { reading in
            _ = try await OperationOrder.each { try await run(acts, $0, late: (0, reading)) }
        }
    }
}
