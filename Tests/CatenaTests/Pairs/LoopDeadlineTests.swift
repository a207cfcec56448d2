import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("The deadline of a loop of calls", .limitedParallelism)
struct LoopDeadlineTests {
    let stubs = Stubs()

    @Test("the deadline of an event stream holds for all of its connections")
    func events() async throws {
        stubs.get("/feed").reply(.text("data: 1\n\n", contentType: "text/event-stream"))
        let client = Client(testing: stubs)
        let count = Counter()
        let error = await #expect(throws: APIError.self) {
            for try await _ in client.get("/feed").deadline(.seconds(10)).events(reconnecting: .after(.seconds(3), limit: 3)) {
                count.increment()
                if count.count > 20 { break }
            }
        }
        #expect(error?.kind == .timeout)
        #expect(stubs.clock.now == .seconds(10))
        #expect(count.count == 4)
    }
}
