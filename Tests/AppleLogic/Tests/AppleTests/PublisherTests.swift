import CatenaPromise
import Combine
import TestSupport
import Testing

@Suite("A promise as a publisher", .limitedParallelism, .timeLimit(.minutes(1))) struct PublisherTests {
    private struct Failure: Error {}

    /// Records the events of a subscriber.
    private final class Seen<Value: Sendable>: @unchecked Sendable {
        let ended = Promise<Void>.pending()
        private(set) var values: [Value] = []
        private(set) var failure: (any Error)?
        private var subscription: AnyCancellable?

        func subscribe(to publisher: AnyPublisher<Value, any Error>) {
            subscription = publisher.sink(
                receiveCompletion: { [self] completion in
                    if case .failure(let error) = completion { failure = error }
                    ended.resolver.fulfill(())
                },
                receiveValue: { [self] in values.append($0) })
        }

        func cancel() { subscription?.cancel() }
    }

    @Test("publishes the value and finishes, for every subscriber, also after the promise has settled")
    func value() async throws {
        let (promise, resolver) = Promise<Int>.pending()
        let seen = [Seen<Int>(), Seen<Int>()]
        seen[0].subscribe(to: promise.publisher)
        resolver.fulfill(7)
        try await seen[0].ended.promise.value
        seen[1].subscribe(to: promise.publisher)
        try await seen[1].ended.promise.value
        #expect(seen.map(\.values) == [[7], [7]])
        #expect(seen.allSatisfy { $0.failure == nil })
    }

    @Test("publishes the error")
    func failure() async throws {
        let seen = Seen<Int>()
        seen.subscribe(to: Promise<Int>(error: Failure()).publisher)
        try await seen.ended.promise.value
        #expect(seen.values.isEmpty)
        #expect(seen.failure is Failure)
    }

    @Test("a cancelled subscription cancels the promise")
    func cancelled() async throws {
        let (promise, _resolver) = Promise<Int>.pending()
        let seen = Seen<Int>()
        seen.subscribe(to: promise.publisher)
        seen.cancel()
        await #expect(throws: CancellationError.self) { try await promise.value }
        #expect(seen.values.isEmpty && seen.failure == nil)
        _resolver.fulfill(7)
    }

    @Test("a cancelled subscription does not cancel the promise while another subscriber waits")
    func shared() async throws {
        let (promise, resolver) = Promise<Int>.pending()
        let publisher = promise.publisher
        let seen = [Seen<Int>(), Seen<Int>()]
        seen.forEach { $0.subscribe(to: publisher) }
        seen[0].cancel()
        resolver.fulfill(7)
        try await seen[1].ended.promise.value
        #expect(seen.map(\.values) == [[], [7]])
    }
}
