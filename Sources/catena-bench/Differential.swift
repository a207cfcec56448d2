import DecodingDifference
import Foundation

/// Decodes random types and texts with JSONDecoder and with the library's decoder, and prints the first difference:
///
///   catena-bench differential [cases] [seed]
func differential(_ arguments: [String]) -> Int32 {
    let count = arguments.first.flatMap { UInt64($0) } ?? 100_000
    let seed = arguments.dropFirst().first.flatMap { UInt64($0) } ?? 1
    let run = DecodingRun(seed: seed, count: count)
    print("\(count) cases from seed \(seed) on: \(run.summary)")
    guard let difference = run.difference else { return 0 }
    print(difference)
    return 1
}
