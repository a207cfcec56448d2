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

    @Test("a requested pause is kept, also one that is longer than any wait, unless no server would ask for it")
    func held() {
        var rates = SharedRates()
        rates.hold(until: Self.now + .seconds(3))
        rates.hold(until: Self.now + .seconds(2))
        #expect(Self.take(&rates, [RateLimit(10, per: .seconds(1))]) == [.seconds(1), .seconds(3)])
        rates.hold(until: Self.now + .seconds(1000))
        #expect(Self.take(&rates, [RateLimit(10, per: .seconds(1))]) == [.zero, .seconds(1000)])
        rates.hold(until: Self.now + .seconds(200_000))
        #expect(Self.take(&rates, [RateLimit(10, per: .seconds(1))]) == [.seconds(1), .zero])
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
