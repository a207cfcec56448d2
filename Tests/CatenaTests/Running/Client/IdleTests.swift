import CatenaTesting
import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Catena
@testable import CatenaArchive

@Suite("Waiting until a client is idle", .limitedParallelism)
struct IdleTests {
    private let journal = Recorder<String>()

    /// Starts a wait, and records its end.
    private func waiting(for client: Client) -> Task<Void, Never> {
        let journal = journal
        return Task {
            await client.waitUntilIdle()
            journal.note("idle")
        }
    }

    /// Returns a sink that blocks until the test opens it.
    private func slowSink() -> (sink: LogSink, arrived: Promise<Void>, open: @Sendable () -> Void) {
        let semaphore = DispatchSemaphore(value: 0)
        let (arrived, resolver) = Promise<Void>.pending()
        let journal = journal
        let sink = LogSink { _ in
            resolver.fulfill(())
            semaphore.wait()
            semaphore.signal()
            journal.note("written")
        }
        return (sink, arrived, { semaphore.signal() })
    }

    @Test("a client without calls is idle")
    func idle() async {
        let client = Client(testing: Stubs())
        await client.waitUntilIdle()
        #expect(await client.waitUntilIdle(for: .zero))
    }

    @Test("the wait ends when the call has ended, also after a shutdown", arguments: [false, true])
    func running(isShutDown: Bool) async throws {
        let gated = GatedClient()
        let journal = journal
        gated.client.observe { event in if case .finished = event.kind { journal.note("finished") } }
        let call = gated.client.get("/a").execute(as: Int.self)
        await gated.arrived(1)
        if isShutDown { gated.client.shutdown() }
        let wait = waiting(for: gated.client)
        await giveChances()
        #expect(journal.events == [])
        gated.open()
        await wait.value
        #expect(journal.events == ["finished", "idle"])
        #expect(try await call.value == 7)
    }

    @Test(
        "the client is not idle while a sink writes, even if its log has ended or been replaced", arguments: ["logs", "ended", "replaced"])
    func slow(what: String) async throws {
        let stubs = Stubs()
        let client = Client(testing: stubs)
        let (sink, arrived, open) = slowSink()
        let log = client.log(to: sink)
        stubs.get("/a").reply(data: 1)
        try await client.host("https://example.com").get("/a").execute(.void).value
        try await arrived.value
        if what == "ended" { log.end() }
        if what == "replaced" { client.log(.verbose, to: sink) }
        let wait = waiting(for: client)
        await giveChances()
        #expect(journal.events == [])
        open()
        await wait.value
        #expect(journal.events == ["written", "idle"])
    }

    @Test("the client is not idle while a recorder or an observer has pending events", arguments: [false, true])
    func behind(isObserver: Bool) async throws {
        let stubs = Stubs()
        let client = Client(testing: stubs)
        let recorder = HARRecorder()
        if isObserver { client.observe { _ in } } else { client.record(into: recorder) }
        let queue = isObserver ? client.observation : recorder.queue
        queue.queue.suspend()
        stubs.get("/a").reply(data: 1)
        try await client.host("https://example.com").get("/a").execute(.void).value
        let wait = waiting(for: client)
        await giveChances()
        #expect(journal.events == [])
        queue.queue.resume()
        await wait.value
        #expect(queue.waiting == 0)
    }

    @Test("observers receive the end of cancelled calls before the wait ends", arguments: [1, 20])
    func cancelled(count: Int) async {
        let gated = GatedClient()
        let journal = journal
        gated.client.observe { event in if case .finished(.failure) = event.kind { journal.note("finished") } }
        for _ in 0..<count { gated.client.get("/a").execute() }
        await gated.arrived(count)
        gated.client.shutdown()
        gated.client.calls.cancelAll()
        await gated.client.waitUntilIdle()
        #expect(journal.events.count == count)
    }

    @Test("the wait includes calls without an observer, however they end", arguments: [false, true])
    func unobserved(isCancelled: Bool) async {
        let gated = GatedClient()
        let call: Promise<Void> = gated.client.get("/a").execute(.void)
        await gated.arrived(1)
        let wait = waiting(for: gated.client)
        await giveChances()
        #expect(journal.events == [])
        if isCancelled { call.cancel() } else { gated.open() }
        await wait.value
        #expect(gated.client.calls.tasks().isEmpty)
    }

    @Test("a stream is in progress until it has been read")
    func stream() async throws {
        let client = Client(
            transport: ClosureTransport { _ in TransportResponse(status: 200, body: TransportBody(Data("12".utf8))) }, clock: VirtualClock()
        )
        let answer = try await client.host("https://example.com").get("/a").stream().open()
        let wait = waiting(for: client)
        await giveChances()
        #expect(journal.events == [])
        for try await _ in answer {}
        await wait.value
    }

    @Test("cancelling the waiting task ends the wait for a call and for a blocked sink", arguments: [false, true])
    func impatient(isWriting: Bool) async throws {
        let gated = GatedClient()
        let (sink, arrived, open) = slowSink()
        gated.client.log(to: sink)
        gated.client.get("/a").execute()
        await gated.arrived(1)
        if isWriting {
            gated.open()
            try await arrived.value
        }
        let wait = waiting(for: gated.client)
        await giveChances()
        #expect(journal.events == [])
        wait.cancel()
        await wait.value
        #expect(journal.events == ["idle"])
        open()
        gated.open()
    }

    @Test("the wait includes calls that began under an earlier configuration")
    func changed() async {
        let gated = GatedClient()
        let journal = journal
        let former = gated.client.observe { _ in }
        gated.client.get("/a").execute()
        await gated.arrived(1)
        former.end()
        gated.client.get("/b").execute()
        await gated.arrived(2)
        gated.client.observe { _ in journal.note("seen") }
        gated.open()
        await gated.client.waitUntilIdle()
        #expect(journal.events == [])
    }

    @Test("a wait with a limit says whether the client is idle, and the calls continue after it", arguments: [true, false])
    func limited(isInTime: Bool) async throws {
        let clock = VirtualClock()
        let gated = GatedClient(clock: clock)
        let call = gated.client.get("/a").execute(as: Int.self)
        await gated.arrived(1)
        gated.client.shutdown()
        let wait = Task { await gated.client.waitUntilIdle(for: .seconds(10)) }
        await clock.scheduled(.seconds(10))
        if isInTime { gated.open() } else { clock.advance(by: .seconds(10)) }
        #expect(await wait.value == isInTime)
        #expect(gated.client.calls.tasks().isEmpty == isInTime)
        gated.open()
        #expect(try await call.value == 7)
        #expect(await gated.client.waitUntilIdle(for: .seconds(10)))
    }

    @Test("cancelling a wait with a limit ends it, and the client is not idle")
    func limitedAndCancelled() async {
        let clock = VirtualClock()
        let gated = GatedClient(clock: clock)
        gated.client.get("/a").execute()
        await gated.arrived(1)
        let wait = Task { await gated.client.waitUntilIdle(for: .seconds(10)) }
        await clock.scheduled(.seconds(10))
        wait.cancel()
        #expect(await !wait.value)
        #expect(clock.delays.filter { $0 == .seconds(10) } == [])
        gated.open()
    }
}
