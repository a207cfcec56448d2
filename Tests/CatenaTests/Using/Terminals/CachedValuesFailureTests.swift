import CatenaFleet
import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Failures of calls with a cached value", .limitedParallelism)
struct CachedValuesFailureTests {
    private static let failures: [(name: String, reply: StubReply)] = [
        ("connection", .failure(.connectionLost)), ("offline", .failure(.offline)), ("status", .status(503)), ("code", .reply(code: 5)),
        ("decoding", .reply(data: "text")), ("no JSON", .text("{", contentType: "application/json")), ("missing", .status(404)),
    ]

    @Test(
        "a failure after the cached value ends the sequence, and only handlers, observers and a diagnostic report it",
        arguments: failures.map(\.name), [CachePolicy.protocol, .offline])
    func failed(name: String, policy: CachePolicy) async throws {
        let bench = ValuesBench()
        let client = bench.client
        let (handled, ends, events) = (Recorder<APIError.Kind>(), Recorder<Bool>(), Recorder<DiagnosticEvent>())
        client.configureDefaults { $0.cachePolicy = policy }
        client.onDiagnostic { events.note($0) }
        try await bench.fill()
        bench.pass(1)
        client.onError { error, _ in
            handled.note(error.kind)
            return .proceed
        }
        client.observe { event in
            if case .finished(let result) = event.kind { ends.note((try? result.get()) != nil) }
        }
        let reply = try #require(Self.failures.first { $0.name == name }).reply
        bench.server.set { $0.failure = reply }
        #expect(try await bench.values() == [1])
        #expect(handled.events.count == 1)
        #expect(events.events.filter { $0.kind == .unrefreshedValue }.count == 1)
        await ends.reached(1)
        #expect(ends.events == [false])
        // Without a cached value, the sequence throws the error.
        let error = await #expect(throws: APIError.self) { try await bench.values(client.get("/a").param("page", 2)) }
        #expect(error?.kind == handled.events.first)
        #expect(events.events.filter { $0.kind == .unrefreshedValue }.count == 1)
        #expect(handled.events.count == 2)
        // The cached value stays.
        bench.server.set { $0.failure = nil }
        #expect(try await bench.values() == [1])
    }

    @Test("a handler that ends the failure silently ends the sequence, without a diagnostic")
    func silent() async throws {
        let bench = ValuesBench()
        let events = Recorder<DiagnosticEvent>()
        bench.client.onDiagnostic { events.note($0) }
        try await bench.fill()
        bench.client.onError { _, _ in .cancelSilently }
        bench.server.set { $0.failure = .status(503) }
        #expect(try await bench.values() == [1])
        #expect(events.events.isEmpty)
        await #expect(throws: CancellationError.self) { try await bench.values(bench.client.get("/a").param("page", 2)) }
    }

    @Test(
        "the deadline counts from the beginning of the loop, and the timeout for the server's response", arguments: ["deadline", "timeout"])
    func late(limit: String) async throws {
        let clock = VirtualClock()
        let bench = ValuesBench(clock: clock)
        bench.client.onDiagnostic { _ in }
        try await bench.fill()
        let (gate, resolver) = Promise<Void>.pending()
        let keeper = gate.map {}
        bench.server.set { $0.gate = gate }
        let request = bench.client.get("/a")
        var values = (limit == "deadline" ? request.deadline(.seconds(5)) : request.timeout(.seconds(5))).values(of: Int.self)
            .makeAsyncIterator()
        #expect(try await values.next() == 1)
        await bench.stubs.requestsReceived(2)
        clock.advance(by: .seconds(5))
        #expect(try await values.next() == nil)
        let other = bench.client.get("/a").param("page", 2).timeout(.seconds(5))
        let task = Task { try await bench.values(other) }
        await bench.stubs.requestsReceived(3)
        clock.advance(by: .seconds(5))
        #expect((await task.result.apiError)?.kind == .timeout)
        resolver.fulfill(())
        try await keeper.value
    }

    @Test(
        "cancelling the task or the call throws a cancellation, leaving the loop none, and each stops the transfer",
        arguments: ["task", "id", "all", "leaving"], [true, false])
    func cancelled(by: String, isCached: Bool) async throws {
        let bench = ValuesBench()
        let client = bench.client
        if isCached { try await bench.fill() }
        bench.server.set { $0.isSilent = true }
        let given = Recorder<Int>()
        let request = client.get("/a").id("values")
        let task = Task {
            for try await value in request.values(of: Int.self) {
                given.note(value)
                if by == "leaving" { break }
            }
        }
        if by != "leaving" || !isCached { await bench.stubs.requestsReceived(isCached ? 2 : 1) }
        switch by {
        case "id": client.calls.cancel(id: "values")
        case "all": client.calls.cancelAll()
        case "leaving" where isCached: break
        default: task.cancel()
        }
        let result = await task.result
        if by == "leaving", isCached {
            try result.get()
        } else {
            #expect(throws: CancellationError.self) { try result.get() }
            await bench.server.stopped.reached(1)
        }
        #expect(given.events == (isCached ? [1] : []))
        await client.hasNoCalls()
    }

    @Test("an iterator that is released between the values stops the call, which is active until then")
    func released() async throws {
        let bench = ValuesBench()
        try await bench.fill()
        bench.server.set { $0.isSilent = true }
        do {
            var values = bench.client.get("/a").id("values").values(of: Int.self).makeAsyncIterator()
            #expect(try await values.next() == 1)
            await bench.stubs.requestsReceived(2)
            #expect(bench.client.calls.tasks(id: "values").map(\.state) == [.running])
        }
        await bench.server.stopped.reached(1)
        await bench.client.hasNoCalls()
    }

    @Test("a storage that fails costs the cached value, and no call", arguments: ["store", "folder"])
    func failingStorage(kind: String) async throws {
        let folder = URL(fileURLWithPath: "/dev/null/none")
        let bench = ValuesBench(cache: kind == "store" ? .shared(UnreachableStore()) : .disk(folder: folder, limit: 1000))
        bench.client.onDiagnostic { _ in }
        if kind == "folder" {
            try await bench.fill()
            bench.server.set { $0.number = 2 }
            #expect(try await bench.values() == [2])
        } else {
            #expect(try await bench.values() == [1])
            bench.server.set { $0.number = 2 }
            // Meanwhile, the machine keeps responses in memory.
            #expect(try await bench.values().last == 2)
        }
    }

    // MARK: Users

    private func signedIn(_ bench: ValuesBench) async throws -> Authentication<CountingUsers> {
        let authentication = Authentication(CountingUsers(), store: MemoryCredentialStore("Ann"))
        bench.client.configureDefaults { $0.authentication = authentication }
        try await bench.fill()
        bench.server.set { $0.number = 2 }
        return authentication
    }

    @Test("another user is given nothing that is cached for the former one, and the former one finds it again")
    func users() async throws {
        let bench = ValuesBench()
        let authentication = try await signedIn(bench)
        try authentication.signIn("Bob")
        #expect(try await bench.values() == [2])
        try authentication.signOut()
        let error = await #expect(throws: APIError.self) { try await bench.values() }
        #expect(error?.kind == .missingCredential)
        bench.server.set { $0.number = 3 }
        try authentication.signIn("Ann")
        #expect(try await bench.values() == [1, 3])
    }

    /// The part of a call in which its user signs out.
    enum Moment: CaseIterable { case before, common, interceptor, loop, attempt }

    @Test(
        "after a sign-out during the call, neither its cached value nor the server's is given",
        arguments: Moment.allCases, [true, false])
    func signsOut(moment: Moment, signsIn: Bool) async throws {
        let bench = ValuesBench()
        let client = bench.client
        client.onDiagnostic { _ in }
        let authentication = try await signedIn(bench)
        let leave: @Sendable () throws -> Void = {
            try authentication.signOut()
            if signsIn { try authentication.signIn("Bob") }
        }
        var request = client.get("/a")
        switch moment {
        case .before: request = request.before { try leave() }
        case .common:
            client.commonParams { _ in
                try leave()
                return [:]
            }
        case .interceptor:
            client.intercept("leave", .before(.cache)) { call, next in
                try leave()
                return try await next(call)
            }
        case .attempt:
            client.intercept("leave", .after(.cache)) { call, next in
                try leave()
                return try await next(call)
            }
        case .loop: break
        }
        var given: [Int] = []
        var failure: (any Error)?
        do {
            for try await value in request.values(of: Int.self) {
                given.append(value)
                if moment == .loop { try leave() }
            }
        } catch {
            failure = error
        }
        switch moment {
        case .before, .common, .interceptor:
            #expect(given == [])
            #expect((failure as? APIError)?.kind == .missingCredential)
        case .attempt:
            #expect(given == [1])
            #expect(failure == nil)
        case .loop: #expect(given.first == 1)
        }
    }
}
