import CatenaTesting
import TestSupport
import Testing

@testable import Catena

@Suite("The timer of an attempt", .limitedParallelism) struct AttemptTimerTests {
    enum Step: Sendable {
        case pause, resume, cancel
        case advance(Int)
    }

    static let rows: [(steps: [Step], ends: Int)] = [
        ([.advance(9)], 0), ([.advance(10)], 1), ([.advance(9), .pause, .advance(100)], 0),
        ([.advance(9), .pause, .advance(100), .resume], 0), ([.advance(9), .pause, .advance(100), .resume, .advance(1)], 1),
        ([.pause, .advance(100), .resume, .advance(9)], 0), ([.pause, .advance(100), .resume, .advance(10)], 1),
        ([.advance(4), .pause, .resume, .advance(4), .pause, .resume, .advance(1)], 0),
        ([.advance(4), .pause, .resume, .advance(4), .pause, .resume, .advance(2)], 1),
        ([.pause, .pause, .resume, .resume, .advance(10)], 1), ([.resume, .advance(10)], 1), ([.cancel, .advance(100)], 0),
        ([.pause, .cancel, .resume, .advance(100)], 0), ([.advance(10), .pause, .resume, .advance(100)], 1),
    ]

    @Test("the timer ends the attempt after its time, not counting the time while it was paused", arguments: rows.indices)
    func ends(row: Int) {
        let (steps, ends) = Self.rows[row]
        let clock = VirtualClock()
        let count = Counter()
        let timer = AttemptTimer(.seconds(10), on: clock) { count.increment() }
        for step in steps {
            switch step {
            case .pause: timer.pause()
            case .resume: timer.resume()
            case .cancel: timer.cancel()
            case .advance(let seconds): clock.advance(by: .seconds(seconds))
            }
        }
        #expect(count.count == ends)
        timer.cancel()
    }
}
