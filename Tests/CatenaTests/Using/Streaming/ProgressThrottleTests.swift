import Testing

@testable import Catena

@Suite(.limitedParallelism) struct ProgressThrottleTests {
    @Test("the first count is reported, and then at most one for each interval") func interval() {
        var throttle = ProgressThrottle(.download)
        let told = (0..<1000).compactMap { throttle.note(Int64($0), of: 1000, at: .milliseconds($0)) }
        #expect(told.map(\.completed) == (0..<10).map { Int64($0 * 100) })
        #expect(told.map(\.fraction) == (0..<10).map { Double($0) / 10 })
    }

    @Test("the last byte is reported only with the end, which is reported once and has the fraction 1") func end() {
        var throttle = ProgressThrottle(.upload)
        _ = throttle.note(0, of: 10, at: .zero)
        #expect(throttle.note(10, of: 10, at: .seconds(1)) == nil)
        let end = throttle.finish(at: .seconds(1))
        #expect(end?.fraction == 1)
        #expect(end?.completed == 10)
        #expect(end?.total == 10)
        #expect(end?.throughput == 10)
        #expect(end?.direction == .upload)
        #expect(throttle.finish(at: .seconds(2)) == nil)
        #expect(throttle.note(10, of: 10, at: .seconds(3)) == nil)
    }

    @Test("without a total there is no fraction until the end") func unknown() {
        var throttle = ProgressThrottle(.download)
        #expect(throttle.note(5, of: nil, at: .zero)?.fraction == nil)
        #expect(throttle.note(6, of: nil, at: .seconds(1))?.fraction == nil)
        #expect(throttle.note(7, of: nil, at: .seconds(1)) == nil)
        let end = throttle.finish(at: .seconds(1))
        #expect(end?.fraction == 1)
        #expect(end?.completed == 7)
    }

    @Test("the fraction of an empty body also ends at 1") func empty() {
        var throttle = ProgressThrottle(.download)
        #expect(throttle.note(0, of: 0, at: .zero)?.fraction == 0)
        #expect(throttle.finish(at: .zero)?.fraction == 1)
    }

    @Test("the reported progress does not decrease if a second attempt starts over") func monotonic() {
        var throttle = ProgressThrottle(.download)
        _ = throttle.note(50, of: 100, at: .zero)
        let again = throttle.note(0, of: 200, at: .seconds(1))
        #expect(again?.completed == 50)
        #expect(again?.fraction == 0.5)
        #expect(throttle.note(150, of: 200, at: .seconds(2))?.fraction == 0.75)
    }

    @Test("the end reports the bytes of the attempt that succeeded, and a transfer that never began has no end") func lastAttempt() {
        var throttle = ProgressThrottle(.download)
        #expect(throttle.finish(at: .zero) == nil)
        _ = throttle.note(0, of: nil, at: .zero)
        _ = throttle.note(50, of: nil, at: .zero)
        _ = throttle.note(0, of: nil, at: .zero)
        _ = throttle.note(10, of: nil, at: .zero)
        #expect(throttle.finish(at: .zero)?.completed == 10)
    }

    @Test("a body with more bytes than announced has no total") func wrongTotal() {
        var throttle = ProgressThrottle(.download)
        #expect(throttle.note(11, of: 10, at: .zero)?.total == nil)
    }

    @Test("the throughput counts the most recent bytes, without those present at the start") func throughput() {
        var throttle = ProgressThrottle(.download)
        #expect(throttle.note(1_000_000, of: nil, at: .zero)?.throughput == 0)
        #expect(throttle.note(1_000_100, of: nil, at: .seconds(1))?.throughput == 100)
        #expect(throttle.note(1_000_400, of: nil, at: .seconds(2))?.throughput == 200)
        #expect(throttle.note(1_000_400, of: nil, at: .seconds(3))?.throughput == 100)
    }
}
