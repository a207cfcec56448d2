import DecodingDifference
import Foundation
import Testing

@Suite("Encoding, beside JSONEncoder", .limitedParallelism)
struct EncodingDifferenceTests {
    /// The number of random values. A release uses more.
    private static let count = UInt64(ProcessInfo.processInfo.environment["CATENA_DIFFERENTIAL_CASES"] ?? "") ?? 3000
    /// The first seed. A deep run has another one each day, so that it tries new cases.
    private static let seed = UInt64(ProcessInfo.processInfo.environment["CATENA_DIFFERENTIAL_SEED"] ?? "") ?? 1

    @Test("each value has the same text as with JSONEncoder, except for the order of members, or fails with the same error")
    func cases() {
        let run = EncodingRun(seed: Self.seed, count: Self.count)
        print("random values from seed \(Self.seed) on: \(run.summary)")
        if let difference = run.difference { Issue.record("\(difference)") }
        // Otherwise only JSONEncoder would be compared with itself.
        #expect(run.direct * 3 > run.same)
    }
}
