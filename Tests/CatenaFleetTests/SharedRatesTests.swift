import Foundation
import Testing

@testable import Catena
@testable import CatenaFleet

@Suite("The record of a shared rate", .limitedParallelism)
struct SharedRatesTests {
    private static let now = Duration.seconds(1_800_000_000)

    private static func take(_ rates: inout SharedRates, _ limits: [RateLimit], most: Int = 1, after time: Duration = .zero) -> [Duration] {
        let (turns, wait) = rates.take(limits, most: most, longestWait: .seconds(60), at: now + time)
        return [.seconds(turns), wait]
    }

    @Test("the turns of a burst are due at once, and later ones one at a time")
    func turns() {
        var rates = SharedRates()
        let limits = [RateLimit(10, per: .seconds(1), burst: 3)]
        #expect(Self.take(&rates, limits, most: 5) == [.seconds(3), .zero])
        #expect(Self.take(&rates, limits, most: 5) == [.seconds(1), .milliseconds(100)])
        #expect(Self.take(&rates, limits, most: 5) == [.seconds(1), .milliseconds(200)])
        #expect(Self.take(&rates, limits, most: 5, after: .seconds(10)) == [.seconds(3), .zero])
    }

    @Test("no turn is taken beyond the longest wait")
    func distant() {
        var rates = SharedRates()
        let limits = [RateLimit(1, per: .seconds(50))]
        #expect(Self.take(&rates, limits) == [.seconds(1), .zero])
        #expect(Self.take(&rates, limits) == [.seconds(1), .seconds(50)])
        for _ in 0..<2 { #expect(Self.take(&rates, limits) == [.zero, .seconds(100)]) }
    }

    @Test("a requested pause is kept, also one that is longer than any wait, up to a day")
    func held() {
        var rates = SharedRates()
        rates.hold(for: .seconds(3), at: Self.now)
        rates.hold(for: .seconds(2), at: Self.now)
        #expect(Self.take(&rates, [RateLimit(10, per: .seconds(1))]) == [.seconds(1), .seconds(3)])
        rates.hold(for: .seconds(1000), at: Self.now)
        #expect(Self.take(&rates, [RateLimit(10, per: .seconds(1))]) == [.zero, .seconds(1000)])
        rates.hold(for: .seconds(200_000), at: Self.now)
        #expect(Self.take(&rates, [RateLimit(10, per: .seconds(1))]) == [.zero, .seconds(86_400)])
    }

    @Test("a pause keeps its length if the store's clock was ahead when it began")
    func clockAhead() {
        let limits = [RateLimit(10, per: .seconds(1))]
        var rates = SharedRates()
        rates.hold(for: .seconds(3), at: Self.now + .seconds(3600))
        #expect(Self.take(&rates, limits) == [.seconds(1), .seconds(3)])
        #expect(Self.take(&rates, limits, after: .seconds(2)) == [.seconds(1), .seconds(1)])
        #expect(Self.take(&rates, limits, after: .seconds(3)) == [.seconds(1), .zero])
        rates.hold(for: .seconds(300), at: Self.now + .seconds(3600))
        rates.hold(for: .seconds(5), at: Self.now + .seconds(4))
        #expect(Self.take(&rates, limits, after: .seconds(4)) == [.zero, .seconds(300)])
    }

    @Test("an impossible time in the record is ignored")
    func distantFullness() {
        var rates = SharedRates()
        let limits = [RateLimit(1, per: .seconds(50))]
        _ = Self.take(&rates, limits, after: .seconds(100_000))
        #expect(Self.take(&rates, limits) == [.seconds(1), .zero])
    }

    @Test("two machines that take the same turn write different records")
    func distinct() throws {
        let limits = [RateLimit(10, per: .seconds(1), burst: 1)]
        var rates = SharedRates()
        _ = Self.take(&rates, limits)
        var (one, other) = (rates, rates)
        _ = Self.take(&one, limits)
        _ = Self.take(&other, limits)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(try encoder.encode(one) != encoder.encode(other))
    }
}
