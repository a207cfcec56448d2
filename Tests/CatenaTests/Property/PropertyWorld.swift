import CatenaTesting
import Foundation
import TestSupport

@testable import Catena
@testable import CatenaFleet

/// A client with several backends, their servers and users, and the test's knowledge of them. Lives in a ``Simulation``.
final class PropertyWorld: Sendable {
    struct State: Sendable {
        var random: SeededRandom
        var setups: [PropertySetup] = []
        /// The backends that have, or had, interceptors.
        var meddled: Set<Int> = []
        var records: [Int: PropertyRecord] = [:]
        var live: Set<Int> = []
        var exchanges: [Int: PropertyExchange] = [:]
        /// The bodies that are not complete yet, with the call of each.
        var bodies: [Int: (call: Int, pieces: AsyncThrowingStream<Data, any Error>.Continuation)] = [:]
        /// The number of changes to each resource.
        var versions: [String: Int] = [:]
        /// The last version of each resource whose change has been confirmed to its caller.
        var floors: [String: Int] = [:]
        /// The resources with a response that the cache may refresh in the background.
        var renewable: Set<String> = []
        /// The first refresh of each session's credential that the servers accept.
        var oldestRenewals: [Int: Int] = [:]
        /// The person whom interceptors put into the requests.
        var person = "Ann"
        var lastCall = 0
        /// The number of calls that have begun.
        var begun = 0
        var lastExchange = 0
        var lastSession = 0
        /// All users who have ever signed in, by backend.
        var members: [Int: Set<PropertyMember>] = [:]
        /// The backends that have, or had, an interceptor that sends a call twice.
        var doubling: Set<Int> = []
        /// The number of waits that ignore cancellation.
        var deaf = 0
        /// The number of values from common closures and signers, and the values that have been sent.
        var lastAsking = 0
        var askings: Set<String> = []
        /// The number of calls that have passed a backend's limits, and the time of the last one.
        var inside: [Int: Int] = [:]
        var lastPass: [Int: Duration] = [:]
        /// Whether errors and delays are switched off.
        var isCalm = false
        var isShutDown = false
        var log: [String] = []
        /// The backends that answer all calls, or none, for a while.
        var spells: [Int: PropertySpell] = [:]
        var violation: String?
        var tally = PropertyTally()
        /// The shared state of the backends' calls, now and under earlier configurations.
        var backends: [ObjectIdentifier: TagState] = [:]
    }

    /// The events of one call that observers received.
    struct Told: Sendable {
        var tag: Catena.Tag?
        var starts = 0
        var retries = 0
        var ends = 0
        /// The number of attempts in progress, and the number that began while another one was.
        var open = 0
        var hedges = 0
        /// The number of immediate repeats of requests that no server has processed.
        var repeats = 0
        var attempts = 0
    }

    static let otherHost = "other.example.com"
    /// The date at which the virtual clock starts.
    static let start = Date(timeIntervalSince1970: 1_800_000_000)

    let simulation: Simulation
    let clock: VirtualClock
    let client: Client
    let caches: [ResponseCache]
    let authentications: [Authentication<PropertyScheme>]
    /// The sign-ins of another machine or process that share these credentials.
    let neighbours: [Authentication<PropertyScheme>?]
    let store: PropertyStore
    /// Receives the availability of the store on the other machine.
    let watch: OutageHandler
    /// The limits of another machine.
    let neighbouringRates: [SharedRateLimiter?]
    let neighbouringBreakers: [SharedCircuitBreaker?]
    let canaries = Canary.Cage()
    let told = Mutex<[UInt64: Told]>([:])
    /// The number of attempts that observers received, by the number of the call.
    let toldAttempts = Mutex<[Int: Int]>([:])
    let state: Mutex<State>

    init(_ simulation: Simulation, seed: UInt64, backends: Int = 3) {
        self.simulation = simulation
        var random = SeededRandom(seed: seed)
        let setups = (0..<backends).map { _ in PropertySetup(using: &random) }
        let clock = VirtualClock()
        let server = PropertyServer()
        let draws = Mutex(SeededRandom(seed: seed &+ 1))
        let randomly = { @Sendable in draws.withLock { Double.random(in: 0...1, using: &$0) } }
        self.clock = clock
        client = Client(
            transport: server, timers: clock, random: randomly,
            date: { Self.start.addingTimeInterval(clock.now / .seconds(1)) })
        caches = setups.map { _ in ResponseCache(storage: PropertyCacheStorage(limit: PropertySetup.cacheLimit)) }
        state = Mutex(State(random: random, setups: setups))
        let store = PropertyStore(clock: clock, seed: seed &+ 2)
        self.store = store
        let pairs = setups.enumerated().map { backend, setup in
            Self.signIns(
                backend, setup, store, own: { try await server.world.renew($0) }, others: { try await server.world.renewElsewhere($0) })
        }
        (authentications, neighbours) = (pairs.map(\.own), pairs.map(\.other))
        let watch = OutageHandler(clock: clock, random: randomly) { _, _ in }
        self.watch = watch
        // The watch uses the world's clock, so that no sign-in reads the real time.
        for signIn in authentications + neighbours.compactMap(\.self) {
            (signIn.fleet as? SignInFleet<PropertyScheme>)?.lastOutageHandler = watch
        }
        let access = SharedAccess(store: store, outageHandler: watch)
        neighbouringRates = setups.enumerated().map { backend, setup in
            setup.sharesLimits ? setup.rate.map { SharedRateLimiter([$0], of: "tag:b\(backend)", in: access, clock: clock) } : nil
        }
        neighbouringBreakers = setups.enumerated().map { backend, setup in
            setup.sharesLimits
                ? setup.breaker.map {
                    SharedCircuitBreaker($0, of: "tag:b\(backend)", in: access, local: CircuitBreaker($0, clock: clock))
                } : nil
        }
        server.begin(self)
        client.onDiagnostic { _ in }
        askForCommonValues(isWaiting: seed.isMultiple(of: 2))
        for backend in setups.indices { configure(backend) }
        client.onError { [unowned self] error, request in await handle(error, request) }
        client.observe { [unowned self] event in note(event) }
    }

    static func tag(_ backend: Int) -> Catena.Tag { Catena.Tag("b\(backend)") }
    static func host(_ backend: Int) -> String { "b\(backend).example.com" }

    /// Returns a random number below `limit`.
    func draw(_ limit: Int) -> Int { state.withLock { Int($0.random.next() % UInt64(limit)) } }

    func draw<Element>(_ elements: [Element]) -> Element { elements[draw(elements.count)] }

    var isCalm: Bool { state.withLock { $0.isCalm } }

    var violation: String? { state.withLock { $0.violation } }

    /// Records a violation, if it is the first.
    func violate(_ text: @autoclosure () -> String) {
        let isFirst = state.withLock { $0.violation == nil }
        guard isFirst else { return }
        let text = text()
        state.withLock { $0.violation = text }
    }

    func log(_ text: @autoclosure () -> String) {
        let line = "\(clock.now): \(text())"
        state.withLock { $0.log.append(line) }
    }

    func record(_ number: Int) -> PropertyRecord? { state.withLock { $0.records[number] } }

    func update(_ number: Int, _ change: (inout PropertyRecord) -> Void) {
        state.withLock { state in
            guard var record = state.records[number] else { return }
            change(&record)
            state.records[number] = record
        }
    }

    private func note(_ event: CallEvent) {
        told.withLock { told in
            told[event.callID, default: Told()].tag = event.tag
            switch event.kind {
            case .started: told[event.callID]?.starts += 1
            case .attempt:
                if let call = told[event.callID], call.open > 0 { told[event.callID]?.hedges += 1 }
                told[event.callID]?.open += 1
                told[event.callID]?.attempts += 1
                if let number = event.request?.headers["X-Call"].flatMap({ Int($0) }) {
                    toldAttempts.withLock { $0[number, default: 0] += 1 }
                }
            case .answered, .failed: told[event.callID]?.open -= 1
            case .retrying(.zero, let error) where error.contents.repeatReason != nil: told[event.callID]?.repeats += 1
            case .retrying: told[event.callID]?.retries += 1
            case .finished:
                told[event.callID]?.ends += 1
                // Counted here, because a call that shares the response may send it after the end of this one.
                if let count = told[event.callID]?.attempts, count != event.attempt {
                    violate("\(count) attempts of the call with id \(event.callID) were told, and \(event.attempt) were counted")
                }
            }
            if let open = told[event.callID]?.open, open > 2 { violate("observers are told of \(open) attempts of one call at a time") }
        }
    }
}
