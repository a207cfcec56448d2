import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("The room of a queue of observers", .limitedParallelism)
struct ObservationQueueTests {
    private let queue = ObservationQueue(label: "test", limit: 100)
    private let gate = DispatchSemaphore(value: 0)

    /// Adds work that lasts until the gate is opened.
    private func block(size: Int = 0) -> Bool {
        queue.add(size: size) { [gate] in gate.wait() }
    }

    @Test("work of any size is admitted if nothing waits, and other work only within the limit", arguments: [0, 60, 100, 101, 1000])
    func limit(size: Int) async {
        #expect(block(size: size))
        let hasRoom = queue.add(size: 40) {}
        #expect(hasRoom == (size <= 60))
        #expect(queue.add {}, "it retains nothing")
        gate.signal()
        await queue.finish()
        #expect(queue.waiting == 0)
    }

    @Test("a body that several items retain needs its room once, until the last of them is done")
    func shared() async throws {
        let body = try #require(RetainedBody(Data(count: 60)))
        let other = try #require(RetainedBody(Data(count: 50)))
        let second = DispatchSemaphore(value: 0)
        #expect(block())
        for _ in 1...3 { #expect(queue.add(retaining: [body]) {}) }
        #expect(queue.add(retaining: [body]) { second.wait() })
        #expect(queue.waiting == 60)
        #expect(!queue.add(retaining: [other]) {})
        #expect(!queue.add(retaining: [body, other]) {})
        gate.signal()
        second.signal()
        await queue.finish()
        #expect(queue.waiting == 0)
        #expect(queue.add(retaining: [body, other]) {})
        await queue.finish()
        #expect(queue.waiting == 0)
    }
}
