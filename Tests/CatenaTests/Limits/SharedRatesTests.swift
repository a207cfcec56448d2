import Foundation
import Testing

@testable import Catena

@Suite("The rate that machines share, as it is written", .limitedParallelism)
struct SharedRatesTests {
    private static let now = Duration.seconds(1_800_000_000)

    private static func take(_ rates: inout SharedRates, _ limits: [RateLimit], most: Int = 1, after time: Duration = .zero) -> [Duration] {
        let (turns, wait) = rates.take(limits, most: most, longestWait: .seconds(60), at: now + time)
        return [.seconds(turns), wait]
    }

    @Test("as many turns as are due at once, then one at a time")
    func turns() {
        var rates = SharedRates()
        let limits = [RateLimit(10, per: .seconds(1), burst: 3)]
        #expect(Self.take(&rates, limits, most: 5) == [.seconds(3), .zero])
        #expect(Self.take(&rates, limits, most: 5) == [.seconds(1), .milliseconds(100)])
        #expect(Self.take(&rates, limits, most: 5) == [.seconds(1), .milliseconds(200)])
        #expect(Self.take(&rates, limits, most: 5, after: .seconds(10)) == [.seconds(3), .zero])
    }

    @Test("nothing is taken that is too far away")
    func distant() {
        var rates = SharedRates()
        let limits = [RateLimit(1, per: .seconds(50))]
        #expect(Self.take(&rates, limits) == [.seconds(1), .zero])
        #expect(Self.take(&rates, limits) == [.seconds(1), .seconds(50)])
        for _ in 0..<2 { #expect(Self.take(&rates, limits) == [.zero, .seconds(100)]) }
    }

    @Test("a server that asks for a pause has it; a pause longer than anybody may ask for is none")
    func held() {
        var rates = SharedRates()
        rates.hold(until: Self.now + .seconds(3))
        rates.hold(until: Self.now + .seconds(2))
        #expect(Self.take(&rates, [RateLimit(10, per: .seconds(1))]) == [.seconds(1), .seconds(3)])
        rates.hold(until: Self.now + .seconds(1000))
        #expect(Self.take(&rates, [RateLimit(10, per: .seconds(1))]) == [.seconds(1), .zero])
    }

    @Test("a moment of fullness that nobody can have brought about is none")
    func distantFullness() {
        var rates = SharedRates()
        let limits = [RateLimit(1, per: .seconds(50))]
        _ = Self.take(&rates, limits, after: .seconds(100_000))
        #expect(Self.take(&rates, limits) == [.seconds(1), .zero])
    }

    @Test("two machines that take the same turn write different things")
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
