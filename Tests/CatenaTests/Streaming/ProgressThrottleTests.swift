import Testing

@testable import Catena

@Suite(.limitedParallelism) struct ProgressThrottleTests {
    @Test("the first count is told, then at most one for each interval") func interval() {
        var throttle = ProgressThrottle(.download)
        let told = (0..<1000).compactMap { throttle.note(Int64($0), of: 1000, at: .milliseconds($0)) }
        #expect(told.map(\.completed) == (0..<10).map { Int64($0 * 100) })
        #expect(told.map(\.fraction) == (0..<10).map { Double($0) / 10 })
    }

    @Test("the last byte is not told before the end, and the end is told once, at 1") func end() {
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

    @Test("an empty body ends at 1, too") func empty() {
        var throttle = ProgressThrottle(.download)
        #expect(throttle.note(0, of: 0, at: .zero)?.fraction == 0)
        #expect(throttle.finish(at: .zero)?.fraction == 1)
    }

    @Test("a second attempt that begins anew does not lead back") func monotonic() {
        var throttle = ProgressThrottle(.download)
        _ = throttle.note(50, of: 100, at: .zero)
        let again = throttle.note(0, of: 200, at: .seconds(1))
        #expect(again?.completed == 50)
        #expect(again?.fraction == 0.5)
        #expect(throttle.note(150, of: 200, at: .seconds(2))?.fraction == 0.75)
    }

    @Test("the end is that of the attempt that succeeded, and what never began has none") func lastAttempt() {
        var throttle = ProgressThrottle(.download)
        #expect(throttle.finish(at: .zero) == nil)
        _ = throttle.note(0, of: nil, at: .zero)
        _ = throttle.note(50, of: nil, at: .zero)
        _ = throttle.note(0, of: nil, at: .zero)
        _ = throttle.note(10, of: nil, at: .zero)
        #expect(throttle.finish(at: .zero)?.completed == 10)
    }

    @Test("more bytes than announced have no total any more") func wrongTotal() {
        var throttle = ProgressThrottle(.download)
        #expect(throttle.note(11, of: 10, at: .zero)?.total == nil)
    }

    @Test("the throughput is that of the last moments, without what was there at the beginning") func throughput() {
        var throttle = ProgressThrottle(.download)
        #expect(throttle.note(1_000_000, of: nil, at: .zero)?.throughput == 0)
        #expect(throttle.note(1_000_100, of: nil, at: .seconds(1))?.throughput == 100)
        #expect(throttle.note(1_000_400, of: nil, at: .seconds(2))?.throughput == 200)
        #expect(throttle.note(1_000_400, of: nil, at: .seconds(3))?.throughput == 100)
    }
}
