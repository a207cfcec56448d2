import CatenaLoopback
import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// A reachability that a test sets, and that counts its listeners. They receive every status.
private final class CountedNetwork: Reachability {
    let listened = Counter()
    private let state = Mutex((isReachable: false, listeners: Listeners<NetworkStatus>()))

    var status: NetworkStatus { NetworkStatus(isReachable: state.withLock { $0.isReachable }) }

    func changes() -> AsyncStream<NetworkStatus> {
        defer { listened.increment() }
        return AsyncStream { listener in
            state.withLock { state in
                listener.yield(NetworkStatus(isReachable: state.isReachable))
                _ = state.listeners.add(listener)
            }
        }
    }

    func report(_ isReachable: Bool) {
        state.withLock { state in
            state.isReachable = isReachable
            state.listeners.yield(NetworkStatus(isReachable: isReachable))
        }
    }

    /// Waits until so many calls wait for this network.
    func waiting(_ count: Int) async {
        let listener = NetworkReturn.Listener(source: ObjectIdentifier(self), wasReachable: status.isReachable)
        await NetworkReturn.listeners.waiters(of: listener, count: count)
    }
}

/// A reachability that reports its status once, and then nothing.
private struct SilentNetwork: Reachability {
    let status = NetworkStatus(isReachable: false)

    func changes() -> AsyncStream<NetworkStatus> {
        AsyncStream { stream in
            stream.yield(status)
            stream.finish()
        }
    }
}

@Suite("Waits for the network", .limitedParallelism)
struct NetworkReturnTests {
    private let clock = VirtualClock()
    private let stubs = Stubs()
    private let network = CountedNetwork()
    private let client: Client

    init() {
        client = Client(testing: stubs, clock: clock)
    }

    /// Waits 10 s before the first retry, and a second of it after the return of the network.
    private static let patient = RetryPolicy.exponential(limit: 2, baseDelay: .seconds(10))

    /// Begins a call whose first attempt has this reply, and whose second succeeds.
    private func call(
        _ policy: RetryPolicy, _ reply: StubReply = .connectionLost, _ step: (Request) -> Request = { $0 }
    ) -> Promise<Int> {
        stubs.get("/a").reply { call in call.attempt == 1 ? reply : .reply(data: 7) }
        return step(client.get("/a").retry(policy)).execute(as: Int.self)
    }

    @Test("a wait ends when the network is back, after a random part of a tenth of its rest")
    func early() async throws {
        let call = call(Self.patient.whenOnline(network))
        await network.waiting(1)
        await clock.scheduled(.seconds(10))
        clock.advance(by: .seconds(2))
        network.report(true)
        await clock.scheduled(.milliseconds(800))
        #expect(stubs.requests.count == 1)
        clock.advance(by: .milliseconds(800))
        #expect(try await call.value == 7)
        #expect(clock.now == .milliseconds(2800))
        await network.waiting(0)
    }

    @Test("over sockets, a lost request is sent again when the network is back")
    func sockets() async throws {
        let server = try LoopbackServer()
        server.get("/a") { $0.visit == 1 ? .connectionLost : .json(text: "7") }
        let client = Client(transport: PlatformTransport.chosen.transport, timers: clock, random: { 1 })
        let call = client.host(server.url).get("/a").retry(Self.patient.whenOnline(network)).execute(as: Int.self)
        await network.waiting(1)
        await clock.scheduled(.seconds(10))
        network.report(true)
        await clock.scheduled(.seconds(1))
        #expect(server.requestCount == 1)
        clock.advance(by: .seconds(1))
        #expect(try await call.value == 7)
        #expect(server.requestCount == 2)
    }

    @Test("a network that fails after the wait has begun ends it, too, when it is back")
    func lateFailure() async throws {
        network.report(true)
        let call = call(Self.patient.whenOnline(network))
        await network.listened.reached(1)
        await clock.scheduled(.seconds(10))
        network.report(false)
        network.report(true)
        await clock.scheduled(.seconds(1))
        clock.advance(by: .seconds(1))
        #expect(try await call.value == 7)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var reply = StubReply.connectionLost
        var wait = Duration.seconds(10)
        var changes = [false, true]
        var hasStep = true
    }

    @Test(
        "a wait keeps its length after a response, if the server asks for it, and while the network stays as it is",
        arguments: [
            Row(testDescription: "503", reply: .status(503)),
            Row(testDescription: "Retry-After", reply: .status(503).header("Retry-After", "5"), wait: .seconds(15)),
            Row(testDescription: "429", reply: .status(429).header("Retry-After", "1"), wait: .seconds(11)),
            Row(testDescription: "always gone", changes: []),
            Row(testDescription: "gone once more", changes: [false, false]),
            Row(testDescription: "without the step", hasStep: false),
        ])
    func whole(_ row: Row) async throws {
        let call = call(row.hasStep ? Self.patient.whenOnline(network) : Self.patient, row.reply)
        await clock.scheduled(row.wait)
        await giveChances()
        for isReachable in row.changes { network.report(isReachable) }
        await giveChances()
        #expect(clock.delays == [row.wait])
        clock.advance(by: row.wait - .milliseconds(1))
        await giveChances()
        #expect(stubs.requests.count == 1)
        clock.advance(by: .milliseconds(1))
        #expect(try await call.value == 7)
    }

    @Test("a network that was there all the time, or that reports nothing more, ends no wait", arguments: [true, false])
    func unchanged(isThere: Bool) async throws {
        network.report(true)
        let call = call(Self.patient.whenOnline(isThere ? network : SilentNetwork()))
        await clock.scheduled(.seconds(10))
        await giveChances()
        clock.advance(by: .seconds(10))
        #expect(try await call.value == 7)
        #expect(clock.now == .seconds(10))
    }

    @Test("a network that is gone again before the attempt ends no wait, and no wait becomes longer")
    func flapping() async throws {
        let call = call(Self.patient.whenOnline(network))
        await network.waiting(1)
        await clock.scheduled(.seconds(10))
        var rest = Duration.seconds(10)
        for _ in 1...3 {
            network.report(true)
            await clock.scheduled(rest / 10)
            network.report(false)
            clock.advance(by: rest / 10)
            rest = rest * 9 / 10
            await network.waiting(1)
            await clock.scheduled(rest)
        }
        #expect(stubs.requests.count == 1)
        clock.advance(by: rest)
        #expect(try await call.value == 7)
        #expect(clock.now == .seconds(10))
    }

    @Test("a thousand waiting calls have one listener, and begin one after another")
    func crowd() async throws {
        let client = Client(testing: stubs, clock: clock, seed: 7)
        stubs.get("/a").reply { call in call.attempt == 1 ? .connectionLost : .reply(data: 7) }
        var policy = Self.patient
        policy.budget = nil
        // Each call makes its own policy.
        let calls = (0..<1000).map { _ in client.get("/a").retry(policy.whenOnline(network)).execute(as: Int.self) }
        await network.waiting(1000)
        await clock.delays { $0.count == 1000 }
        network.report(true)
        await clock.delays { $0.count == 1000 && $0.allSatisfy { $0 < .seconds(1) } }
        #expect(network.listened.count == 1)
        #expect(Set(clock.delays).count > 900)
        clock.advance(by: .milliseconds(50))
        await stubs.requestsReceived(1001)
        #expect(stubs.requests.count < 1500)
        clock.advance(by: .milliseconds(950))
        for call in calls { #expect(try await call.value == 7) }
        #expect(stubs.requests.count == 2000)
    }

    @Test("the deadline holds in the wait, and leaves time for an attempt if the network is back before", arguments: [true, false])
    func deadline(isBack: Bool) async {
        let call = call(Self.patient.whenOnline(network)) { $0.deadline(.seconds(5)) }
        await network.waiting(1)
        await clock.scheduled(.seconds(10))
        clock.advance(by: .seconds(4))
        if isBack {
            network.report(true)
            await clock.scheduled(.milliseconds(600))
        }
        clock.advance(by: isBack ? .milliseconds(600) : .seconds(1))
        let result = await call.result
        #expect((try? result.get()) == (isBack ? 7 : nil))
        #expect(result.apiError?.kind == (isBack ? nil : .timeout))
        #expect(stubs.requests.count == (isBack ? 2 : 1))
    }

    @Test("cancelling a call ends its wait at once, and leaves the listener to the others")
    func cancelled() async throws {
        let policy = Self.patient.whenOnline(network)
        let first = call(policy)
        let second = call(policy)
        await network.waiting(2)
        await clock.delays { $0.count == 2 }
        first.cancel()
        await network.waiting(1)
        #expect(clock.delays == [.seconds(10)])
        second.cancel()
        await network.waiting(0)
        await client.hasNoCalls()
        #expect(clock.delays == [])
        #expect(network.listened.count == 1)
    }

    @Test("an app's own waits end early, too")
    func ownDelay() async throws {
        let call = call(.exponential(limit: 1).delay { _ in .seconds(60) }.whenOnline(network))
        await network.waiting(1)
        await clock.scheduled(.seconds(60))
        network.report(true)
        await clock.scheduled(.seconds(6))
        clock.advance(by: .seconds(6))
        #expect(try await call.value == 7)
    }

    @Test("policies are equal if they wait for the same network")
    func equality() {
        let policy = RetryPolicy.exponential(limit: 2)
        #expect(policy.whenOnline(network) == policy.whenOnline(network))
        #expect(policy.whenOnline(network).hashValue == policy.whenOnline(network).hashValue)
        #expect(policy.whenOnline() == policy.whenOnline())
        for other in [policy, policy.whenOnline(), policy.whenOnline(CountedNetwork()), policy.whenOnline(SilentNetwork())] {
            #expect(policy.whenOnline(network) != other)
        }
    }

    @Test("explain() names the step, and a policy that retries nothing has no use for it")
    func words() async {
        #expect(client.get("/a").retry(Self.patient.whenOnline(network)).explain().contains("waiting only until the network is back"))
        #expect(!client.get("/a").retry(Self.patient).explain().contains("network"))
        let error = await client.get("/a").retry(.never.whenOnline(network)).execute(.void).result.apiError
        #expect(error?.kind == .invalidRequest)
        #expect(error?.message.contains("whenOnline has no effect on .never") == true)
    }

    #if !canImport(Network)
    @Test("where no network is reported, waits have their full length, and a diagnostic says so once")
    func unknown() async throws {
        let stubs = Stubs()
        let client = Client(testing: stubs)
        let events = Recorder<DiagnosticEvent>()
        client.onDiagnostic { events.note($0) }
        stubs.get("/a").reply { call in call.attempt == 1 ? .connectionLost : .reply(data: 7) }
        for _ in 1...2 {
            #expect(try await client.get("/a").retry(.exponential(limit: 1).whenOnline()).value(as: Int.self) == 7)
        }
        #expect(stubs.clock.now == .seconds(1))
        #expect(events.events.map(\.kind) == [.ineffectiveStep])
        #expect(events.events.allSatisfy { $0.message.contains("whenOnline") })
    }
    #endif
}
