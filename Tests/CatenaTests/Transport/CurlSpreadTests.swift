#if os(Linux)
import Testing

@testable import Catena

@Suite(.limitedParallelism) struct CurlSpreadTests {
    private static func seat(_ freedom: CurlSeat.Freedom, distance: Int = 0) -> CurlSeat {
        CurlSeat(loads: nil, distance: distance, freedom: freedom)
    }

    @Test(
        "the shares of the loops are the limit together, and none is small",
        arguments: [(64, 1, [64]), (64, 2, [32, 32]), (64, 3, [22, 21, 21]), (64, 8, [16, 16, 16, 16]), (31, 4, [31]), (0, 4, [1])])
    func shares(limit: Int, loops: Int, shares: [Int]) {
        let spread = CurlSpread(limit: limit, loops: loops)
        #expect(spread.width == shares.count)
        #expect((0..<spread.width).map { spread.limit(at: Self.seat(.full, distance: $0), to: "a") } == shares)
        #expect(spread.limit(at: Self.seat(.none), to: "a") == max(1, limit))
    }

    @Test("an origin over TLS is spread once its own loop has no more than its share")
    func opening() {
        let spread = CurlSpread(limit: 64, loops: 2)
        #expect(!spread.isOpen("a"))
        #expect(spread.limit(at: Self.seat(.whenKnown), to: "a") == 64)
        spread.noteExclusive("a", running: 33)
        #expect(!spread.isOpen("a"))
        #expect(spread.limit(at: Self.seat(.whenKnown), to: "a") == 32)
        spread.noteExclusive("a", running: 32)
        #expect(spread.isOpen("a"))
        #expect(!spread.isOpen("b"))
    }
}
#endif
