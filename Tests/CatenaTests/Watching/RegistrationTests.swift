import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Registrations of a client", .limitedParallelism)
struct RegistrationTests {
    private let stubs = Stubs()
    private let lines = Recorder<String>()

    private func answeringClient() -> Client {
        stubs.get("/a").reply(data: 1)
        return Client(testing: stubs)
    }

    private func finished(_ client: Client) async throws {
        try await client.get("/a").execute(.void).value
        await client.observation.finish()
    }

    @Test("an observer receives events until its registration ends", arguments: [1, 3])
    func observer(times: Int) async throws {
        let (client, heard) = (answeringClient(), Recorder<CallEvent>())
        let observing = client.observe { heard.note($0) }
        try await finished(client)
        #expect(heard.count == 4)
        for _ in 0..<times { observing.end() }
        try await finished(client)
        #expect(heard.count == 4)
        #expect(client.snapshot.settings.observers.isEmpty)
    }

    @Test("an observer whose registration is not kept stays, and the end of another one does not affect it")
    func dropped() async throws {
        let (client, first, second) = (answeringClient(), Counter(), Counter())
        client.observe { _ in first.increment() }
        client.observe { _ in second.increment() }.end()
        try await finished(client)
        #expect(first.count == 4 && second.count == 0)
    }

    @Test("an observer receives no event of calls in progress after its end")
    func underWay() async throws {
        let (client, heard) = (Client(testing: stubs), Recorder<CallEvent>())
        let (arrived, arrival) = Promise<Void>.pending()
        let (gate, opening) = Promise<Void>.pending()
        stubs.get("/a").reply { _ in
            arrival.fulfill(())
            try await gate.value
            return .reply(data: 1)
        }
        let observing = client.observe { heard.note($0) }
        let call: Promise<Void> = client.get("/a").execute(.void)
        try await arrived.value
        await client.observation.finish()
        let count = heard.count
        observing.end()
        opening.fulfill(())
        try await call.value
        await client.observation.finish()
        #expect(heard.count == count)
    }

    @Test("an observer receives no pending event after its end")
    func waiting() async throws {
        let (client, heard) = (answeringClient(), Counter())
        let gate = DispatchSemaphore(value: 0)
        client.observe { _ in gate.wait() }
        let observing = client.observe { _ in heard.increment() }
        try await client.get("/a").execute(.void).value
        observing.end()
        for _ in 0..<8 { gate.signal() }
        await client.observation.finish()
        #expect(heard.count == 0)
    }

    @Test("an observer may end itself, and many threads may register and end observers at once")
    func itself() async throws {
        let (client, heard) = (answeringClient(), Counter())
        let own = Mutex<Registration?>(nil)
        let observing = client.observe { _ in
            heard.increment()
            own.withLock { $0 }?.end()
        }
        own.withLock { $0 = observing }
        try await finished(client)
        #expect(heard.count == 1)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    let observing = client.observe { _ in }
                    _ = await client.get("/a").execute(.void).result
                    observing.end()
                }
            }
        }
        #expect(client.snapshot.settings.observers.isEmpty)
    }

    @Test("a registration does not keep its client alive")
    func lifetime() async throws {
        weak var former: Client?
        let observing: Registration
        do {
            let client = Client(testing: stubs)
            former = client
            observing = client.observe { _ in }
        }
        #expect(former == nil)
        observing.end()
    }

    // MARK: Logs

    @Test("a second log to a sink replaces the first, whose end then has no effect")
    func sameSink() async throws {
        let client = answeringClient()
        let sink = LogSink { [lines] in lines.note($0) }
        let first = client.log(to: sink)
        let second = client.log(.verbose, to: sink)
        try await finished(client)
        await lines.reached(1)
        #expect(lines.events.count == 1 && lines.events[0].contains("\n  > "))
        first.end()
        try await finished(client)
        await lines.reached(2)
        second.end()
        #expect(client.snapshot.settings.observers.isEmpty)
    }

    @Test("two sinks have a log each")
    func otherSink() async throws {
        let (client, others) = (answeringClient(), Recorder<String>())
        client.log(to: LogSink { [lines] in lines.note($0) })
        client.log(to: LogSink { others.note($0) })
        try await finished(client)
        await lines.reached(1)
        await others.reached(1)
    }

    @Test("the standard sinks are the same ones each time")
    func usualSinks() {
        let client = answeringClient()
        for _ in 0..<3 { client.log() }
        for _ in 0..<3 { client.log(.verbose, to: .standardError) }
        #if canImport(os)
        #expect(client.snapshot.settings.observers.count == 2)
        #else
        // On a system without a log, the standard log is standard error.
        #expect(client.snapshot.settings.observers.count == 1)
        #endif
    }

    @Test("a log that has ended still writes the earlier events")
    func logEnds() async throws {
        let client = answeringClient()
        let (gate, isWriting) = (DispatchSemaphore(value: 0), Counter())
        let logging = client.log(
            to: LogSink { [lines] line in
                isWriting.increment()
                gate.wait()
                lines.note(line)
            })
        for _ in 0..<2 { try await client.get("/a").execute(.void).value }
        await isWriting.reached(1)
        logging.end()
        try await client.get("/a").execute(.void).value
        for _ in 0..<4 { gate.signal() }
        await lines.reached(2)
        #expect(lines.events.count == 2 && client.snapshot.settings.observers.isEmpty)
    }

    // MARK: Interceptors

    @Test("ending an interceptor's registration removes only that interceptor")
    func interceptor() async throws {
        let (client, passed) = (answeringClient(), Recorder<String>())
        func add(_ name: String, _ word: String) -> Registration {
            client.intercept(name) { call, next in
                passed.note(word)
                return try await next(call)
            }
        }
        let first = add("a", "first")
        let second = add("a", "second")
        let other = add("b", "other")
        first.end()
        try await finished(client)
        #expect(passed.events == ["second", "other"])
        second.end()
        second.end()
        try await finished(client)
        #expect(passed.events == ["second", "other", "other"])
        other.end()
        try await finished(client)
        #expect(passed.events.count == 3)
    }

    @Test("a call in progress keeps the interceptors with which it began")
    func interceptorUnderWay() async throws {
        let client = answeringClient()
        let interceptions = Counter()
        let (registered, registering) = Promise<Registration>.pending()
        let registration = client.intercept("a") { call, next in
            interceptions.increment()
            try await registered.value.end()
            return try await next(call)
        }
        registering.fulfill(registration)
        stubs.get("/b").sequence(.status(503), .reply(data: 1))
        try await client.get("/b").retry(.exponential(limit: 1, baseDelay: .zero)).execute(.void).value
        #expect(interceptions.count == 2)
        try await finished(client)
        #expect(interceptions.count == 2)
    }
}
