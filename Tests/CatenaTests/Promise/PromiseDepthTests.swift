import Catena
import Foundation
import TestSupport
import Testing

/// Chains of any length need the stack of one link. Each case runs on a thread with 512 KB of stack, the least that a thread has by
/// default.
@Suite(.serialized, .limitedParallelism) struct PromiseDepthTests {
    private static let links = 1_000_000
    private static let stack = 512 * 1024

    /// Returns a pending chain and its resolver.
    private static func chain() -> (end: Promise<Int>, resolver: Resolver<Int>) {
        let (start, resolver) = Promise<Int>.pending()
        var end = start
        for _ in 0..<links { end = end.map { $0 &+ 1 } }
        return (end, resolver)
    }

    @Test("a million links settle") func settle() async throws {
        let seen = Recorder<Promise<Int>>()
        await onThread(stackSize: Self.stack) {
            let (end, resolver) = Self.chain()
            resolver.fulfill(0)
            seen.note(end)
        }
        #expect(try await seen.events[0].value == Self.links)
    }

    @Test("a million links reject") func reject() async {
        let seen = Recorder<Promise<Int>>()
        await onThread(stackSize: Self.stack) {
            let (end, resolver) = Self.chain()
            resolver.reject(Failure(1))
            seen.note(end)
        }
        await #expect(throws: Failure(1)) { try await seen.events[0].value }
    }

    @Test("a million links are dropped") func drop() async {
        await onThread(stackSize: Self.stack) {
            _ = Self.chain()
        }
    }

    @Test("a million links are cancelled from the end") func cancel() async {
        let stops = Recorder<Int>()
        await onThread(stackSize: Self.stack) {
            let (end, resolver) = Self.chain()
            resolver.onCancel { stops.note(1) }
            end.cancel()
        }
        #expect(stops.count == 1)
    }

    @Test("a recursion of a million steps on a queue") func recursion() async throws {
        let queue = DispatchQueue(label: "recursion")
        @Sendable func step(_ number: Int) -> Promise<Int> {
            if number == 0 { return Promise(value: 0) }
            let (promise, resolver) = Promise<Void>.pending()
            queue.async { resolver.fulfill(()) }
            return promise.flatMap { step(number - 1) }
        }
        #expect(try await step(Self.links).value == 0)
    }

    @Test("a recursion over promises that are settled already, 300,000 deep") func settledRecursion() async throws {
        let seen = Recorder<Promise<Int>>()
        await onThread(stackSize: Self.stack) {
            @Sendable func step(_ number: Int) -> Promise<Int> {
                number == 0 ? Promise(value: 0) : Promise(value: number).flatMap { step($0 - 1) }
            }
            seen.note(step(300_000))
        }
        #expect(try await seen.events[0].value == 0)
    }
}
