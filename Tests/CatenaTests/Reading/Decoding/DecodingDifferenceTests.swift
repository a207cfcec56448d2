import DecodingDifference
import Foundation
import Testing

@Suite("Decoding, beside JSONDecoder", .limitedParallelism)
struct DecodingDifferenceTests {
    /// The number of random types and texts. A release uses more.
    private static let count = UInt64(ProcessInfo.processInfo.environment["CATENA_DIFFERENTIAL_CASES"] ?? "") ?? 6000
    /// The first seed. A deep run has another one each day, so that it tries new cases.
    private static let seed = UInt64(ProcessInfo.processInfo.environment["CATENA_DIFFERENTIAL_SEED"] ?? "") ?? 1

    @Test("each way of decoding returns the value of JSONDecoder, and strict decoding fails where JSONDecoder fails")
    func cases() {
        let run = DecodingRun(seed: Self.seed, count: Self.count)
        print("random types and texts from seed \(Self.seed) on: \(run.summary)")
        if let difference = run.difference { Issue.record("\(difference)") }
    }
}
