import Foundation
import Testing

/// Calls of all kinds, users that come and go, servers that do wrong, and whatever else can happen, at random: what must never be so is looked for after
/// each step.
///
/// `CATENA_PROPERTY_SEED` repeats a run, `CATENA_PROPERTY_STEPS` says how long one is.
@Suite("Whatever happens to the calls of a client", .limitedParallelism)
struct PropertyTests {
    @Test("each call ends once, in its caller's name only, within its bounds, and leaves nothing behind")
    func steps() async throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["CATENA_PROPERTY_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000_000)
        let steps = environment["CATENA_PROPERTY_STEPS"].flatMap { Int($0) } ?? 6_000
        print("CATENA_PROPERTY_SEED=\(seed) CATENA_PROPERTY_STEPS=\(steps)")
        for number in 0..<UInt64(max(steps / PropertyRun.steps, 1)) {
            let run = PropertyRun(seed: seed &+ number)
            guard let finding = try await run.finding() else { continue }
            Issue.record("\(finding)\nAgain with CATENA_PROPERTY_SEED=\(run.seed) CATENA_PROPERTY_STEPS=\(PropertyRun.steps)")
            return
        }
    }
}
