import DecodingDifference
import Foundation
import Testing

@Suite("Decoding, beside JSONDecoder", .limitedParallelism)
struct DecodingDifferenceTests {
    /// How many random types and texts are decoded; more of them before a release.
    private static let count = UInt64(ProcessInfo.processInfo.environment["CATENA_DIFFERENTIAL_CASES"] ?? "") ?? 6000
    /// The first seed: another one each day of a deep run, so that it finds what others have not.
    private static let seed = UInt64(ProcessInfo.processInfo.environment["CATENA_DIFFERENTIAL_SEED"] ?? "") ?? 1

    @Test("wherever JSONDecoder gives a value, so does each way of decoding; where it fails, so does strict decoding, at the same place")
    func cases() {
        let run = DecodingRun(seed: Self.seed, count: Self.count)
        print("random types and texts from seed \(Self.seed) on: \(run.summary)")
        if let difference = run.difference { Issue.record("\(difference)") }
    }
}
