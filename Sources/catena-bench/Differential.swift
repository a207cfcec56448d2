import DecodingDifference
import Foundation

/// Decodes random types and texts with JSONDecoder and with the library's decoder, and prints the first difference. With `encoding`, encodes random
/// values with JSONEncoder and with the library's encoder:
///
///   catena-bench differential [encoding] [cases] [seed]
func differential(_ arguments: [String]) -> Int32 {
    let isEncoding = arguments.first == "encoding"
    let arguments = arguments.dropFirst(isEncoding ? 1 : 0)
    let count = arguments.first.flatMap { UInt64($0) } ?? 100_000
    let seed = arguments.dropFirst().first.flatMap { UInt64($0) } ?? 1
    let (summary, difference) = isEncoding ? encodingResult(seed, count) : decodingResult(seed, count)
    print("\(count) cases from seed \(seed) on: \(summary)")
    guard let difference else { return 0 }
    print(difference)
    return 1
}

private func decodingResult(_ seed: UInt64, _ count: UInt64) -> (String, String?) {
    let run = DecodingRun(seed: seed, count: count)
    return (run.summary, run.difference)
}

private func encodingResult(_ seed: UInt64, _ count: UInt64) -> (String, String?) {
    let run = EncodingRun(seed: seed, count: count)
    return (run.summary, run.difference)
}
