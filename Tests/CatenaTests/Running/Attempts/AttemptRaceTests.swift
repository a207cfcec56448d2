import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Racing attempts", .limitedParallelism)
struct AttemptRaceTests {
    @Test("an attempt that has not begun when the race ends still runs, cancelled, so that it releases what it holds")
    func endedAtOnce() async {
        let cancelled = Counter()
        let ended = Recorder<Int>()
        for number in 0..<1000 {
            let race = AttemptRace()
            race.start(1) {
                if Task.isCancelled { cancelled.increment() }
                ended.note(number)
                throw CancellationError()
            }
            race.stop()
        }
        await ended.reached(1000)
        #expect(ended.events.count == 1000)
    }

    @Test("a race knows of a response that has not been taken yet")
    func unseenResponse() async throws {
        let race = AttemptRace()
        #expect(!race.hasResponse)
        race.note(.ended(attemptIndex: 1, .failure(CancellationError())))
        #expect(!race.hasResponse)
        race.note(.ended(attemptIndex: 2, .success(HTTPResponse(status: 204, address: try HTTPAddress(parsing: "https://example.com")))))
        #expect(race.hasResponse)
        _ = try await race.next()
        #expect(race.hasResponse)
        _ = try await race.next()
        #expect(!race.hasResponse)
    }
}
