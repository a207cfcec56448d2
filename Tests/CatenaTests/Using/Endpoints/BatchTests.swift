import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite(.limitedParallelism) struct BatchTests {
    private struct Number: Endpoint {
        typealias Response = Int
        let number: Int
        var path: Path { "/\(number)" }
    }

    /// A server that answers a request with the number of its path once the test releases it. The number 3 fails.
    private final class Line: Sendable {
        let waiting = Monitor<[String: Resolver<Void>]>([:])
        let most = Mutex<Int>(0)

        func client() -> Client {
            let client = Client(
                transport: ClosureTransport { [self] request in
                    let (promise, resolver) = Promise<Void>.pending()
                    waiting.withLock { $0[request.address.path] = resolver }
                    most.withLock { most in most = max(most, count) }
                    try await promise.value
                    let name = request.address.path.dropFirst()
                    return name == "3" ? .json(#"{"code": 9, "msg": "three"}"#) : .json("{\"code\": 0, \"data\": \(name)}")
                })
            client.defaultHost = "https://example.com"
            return client
        }

        var count: Int { waiting.withLock { $0.count } }

        /// Waits until this number of requests wait for their responses.
        func reached(_ count: Int) async { await waiting.wait { $0.count >= count } }

        func release(_ number: Int) async {
            await waiting.wait { $0["/\(number)"] != nil }
            waiting.withLock { $0.removeValue(forKey: "/\(number)") }?.fulfill(())
        }
    }

    @Test("results are in the order of the requests, whichever ends first, and failures keep their places")
    func order() async throws {
        let line = Line()
        let promise = line.client().batch([1, 2, 3, 4].map(Number.init), concurrency: 4)
        for number in [4, 2, 3, 1] { await line.release(number) }
        let results = try await promise.value
        #expect(results.map { try? $0.get() } == [1, 2, nil, 4])
        guard case .failure(let error) = results[2] else { return }
        #expect(error.code == 9 && error.message == "three")
    }

    @Test("a chain that uses the result of a cancelled call of a batch is cancelled, not failed")
    func cancelledCall() async {
        let line = Line()
        let client = line.client()
        let seen = Recorder<String>()
        let end = client.batch([client.get("/1"), client.get("/2").id("two")], as: Int.self)
            .map { results in try results.map { try $0.get() } }
            .then { _ in seen.note("then") }
            .catch { _ in seen.note("catch") }
            .catch(.cancelled) { _ in seen.note("cancelled") }
        await line.reached(2)
        client.calls.cancel(id: "two")
        await line.release(1)
        await #expect(throws: CancellationError.self) { try await end.value }
        #expect(seen.events == ["cancelled"])
    }

    @Test("at most `concurrency` calls run at once, and the next begins when one ends")
    func concurrency() async throws {
        let line = Line()
        let client = line.client()
        let request = client.get("/1")
        // A request that is listed twice is sent twice.
        let promise = client.batch([request, client.get("/2"), client.get("/4"), request], as: Int.self, concurrency: 2)
        await line.reached(2)
        for number in [2, 1, 4, 1] { await line.release(number) }
        #expect(try await promise.value.map { try $0.get() } == [1, 2, 4, 1])
        #expect(line.most.withLock { $0 } == 2)
    }

    @Test("a suspended batch begins nothing until it is resumed")
    func pause() async throws {
        let line = Line()
        let client = line.client()
        let control = TransferControl()
        let promise = client.batch([client.get("/1"), client.get("/2")], as: Int.self, concurrency: 1, control: control)
        await line.reached(1)
        control.suspend()
        await line.release(1)
        await giveChances()
        #expect(line.count == 0 && promise.isPending)
        control.resume()
        await line.release(2)
        #expect(try await promise.value.map { try $0.get() } == [1, 2])
    }

    @Test("cancelling a batch ends it, and it begins no more calls")
    func cancellation() async throws {
        let line = Line()
        let client = line.client()
        let promise = client.batch((1...9).map { client.get("/\($0)") }, concurrency: 2)
        await line.reached(2)
        promise.cancel()
        await #expect(throws: CancellationError.self) { _ = try await promise.value }
        await giveChances()
        #expect(line.count == 2)
    }

    @Test("an empty batch has no results, and a concurrency of zero is an error")
    func edges() async throws {
        let client = Line().client()
        #expect(try await client.batch([Request]()).value.isEmpty)
        let error = await #expect(throws: APIError.self) { _ = try await client.batch([client.get("/1")], concurrency: 0).value }
        #expect(error?.kind == .invalidRequest && error?.message.hasPrefix("batch:") == true)
    }
}
