import Foundation
import Testing

@testable import Catena

@Suite("Decoding, beside JSONDecoder", .limitedParallelism)
struct DecodingDifferenceTests {
    /// How many random models are decoded; more of them by hand and before a release.
    private static let count = UInt64(ProcessInfo.processInfo.environment["CATENA_DECODING_CASES"] ?? "") ?? 4000
    /// The first seed: another one each day of a deep run, so that it finds what others have not.
    private static let seed = UInt64(ProcessInfo.processInfo.environment["CATENA_DECODING_SEED"] ?? "") ?? 1

    @Test("wherever JSONDecoder gives a value, so does each way of decoding; where it fails, so does strict decoding, at the same place")
    func models() {
        print("random models from seed \(Self.seed) on: \(Self.count)")
        for seed in Self.seed..<Self.seed + Self.count {
            guard let difference = DecodingComparison(seed: seed).difference else { continue }
            Issue.record("seed \(seed), \(difference)")
            return
        }
    }
}
