import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Cancellations of wrapped code", .limitedParallelism)
struct ForeignCancellationTests {
    /// The errors by which code says that it was cancelled.
    static let cancellations: [any Error & Sendable] = [
        CancellationError(), URLError(.cancelled), CocoaError(.userCancelled), NSError(domain: NSURLErrorDomain, code: NSURLErrorCancelled),
        NSError(domain: NSCocoaErrorDomain, code: CocoaError.Code.userCancelled.rawValue), APIError(.cancelled),
    ]

    /// Errors that only resemble a cancellation.
    static let failures: [any Error & Sendable] = [
        URLError(.timedOut), CocoaError(.fileNoSuchFile), NSError(domain: "made.up", code: NSURLErrorCancelled),
    ]

    private let client = Client(testing: Stubs())

    @Test("a promise whose work throws one, or whose resolver is rejected with one, is cancelled", arguments: cancellations.indices)
    func promise(index: Int) async {
        let error = Self.cancellations[index]
        let (pending, resolver) = Promise<Int>.pending()
        resolver.reject(error)
        let promises = [
            Promise<Int> { () async throws -> Int in throw error }, Promise<Int>(error: error), pending,
            Promise(value: 1).map { _ -> Int in throw error },
        ]
        for promise in promises {
            let seen = Recorder<String>()
            let end = promise.catch { _ in seen.note("catch") }.catch(.cancelled) { _ in seen.note("cancelled") }.finally {
                seen.note("finally")
            }
            await #expect(throws: CancellationError.self) { try await end.value }
            #expect(!seen.events.contains("catch"))
        }
    }

    @Test("another error rejects the promise", arguments: failures.indices)
    func failure(index: Int) async {
        let error = Self.failures[index]
        let seen = Recorder<String>()
        _ = await Promise<Int> { () async throws -> Int in throw error }.catch { _ in seen.note("catch") }.result
        #expect(seen.events == ["catch"])
    }

    @Test("an interceptor that throws one cancels the call, over each kind of terminal", arguments: cancellations.indices)
    func interceptor(index: Int) async {
        client.intercept("stop") { _, _ in throw Self.cancellations[index] }
        await expectCancelled(client)
    }

    @Test("a transport that throws one cancels the call, over each kind of terminal", arguments: cancellations.indices)
    func transport(index: Int) async {
        await expectCancelled(Client(transport: ClosureTransport { _ in throw Self.cancellations[index] }))
    }

    private func expectCancelled(_ client: Client) async {
        client.defaultHost = "https://example.com"
        let seen = Recorder<String>()
        client.onError { _, _ in
            seen.note("handler")
            return .proceed
        }
        client.observe { event in
            if case .finished(.failure(let error)) = event.kind { seen.note("finished \(error is CancellationError)") }
        }
        let request = client.get("/a").retry(.exponential(limit: 3))
        await #expect(throws: CancellationError.self) { try await request.value() }
        let promise = request.execute(as: Int.self).catch { _ in seen.note("catch") }
        await #expect(throws: CancellationError.self) { try await promise.value }
        await #expect(throws: CancellationError.self) { for try await _ in request.stream() {} }
        await client.waitUntilIdle()
        #expect(seen.events == Array(repeating: "finished true", count: 3))
        #expect(client.calls.tasks().isEmpty)
    }

    @Test("calls that joined a call which its transport cancels are sent themselves")
    func joined() async throws {
        let gated = Promise<Void>.pending()
        let sent = Counter()
        let client = Client(
            transport: ClosureTransport { _ in
                sent.increment()
                guard sent.count == 1 else { return .json("7") }
                try await gated.promise.value
                throw URLError(.cancelled)
            })
        client.defaultHost = "https://example.com"
        let request = client.get("/a").set(\.dedupe, true)
        let first = request.execute(as: Int.self)
        await sent.reached(1)
        let second = request.execute(as: Int.self)
        gated.resolver.fulfill(())
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(try await second.value == 7)
    }

    @Test("a common closure that throws one fails the call", arguments: cancellations.indices)
    func closure(index: Int) async {
        client.defaultHost = "https://example.com"
        client.commonHeaders { _ in throw Self.cancellations[index] }
        let error = await #expect(throws: APIError.self) { try await client.get("/a").value() }
        #expect(error?.kind == .other && error?.message.lowercased().contains("headers") == true)
    }

    @Test("the matcher for cancellations matches each of them", arguments: cancellations.indices)
    func matcher(index: Int) {
        #expect(ErrorMatcher.cancelled ~= Self.cancellations[index])
        #expect(!(ErrorMatcher.any ~= Self.cancellations[index]))
    }
}
