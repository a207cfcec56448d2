import Foundation
import Testing

/// Runs calls of all kinds with users who sign in and out, failing servers and other random events, and checks the invariants after each step.
///
/// `CATENA_PROPERTY_SEED` repeats a run, `CATENA_PROPERTY_STEPS` sets the number of steps.
@Suite("Random calls, users and failures", .limitedParallelism)
struct PropertyTests {
    /// The number of steps in which all features are sure to meet.
    private static let manySteps = 20_000

    @Test("each call ends once, uses only its caller's credential, keeps its limits and leaves nothing behind")
    func steps() async throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["CATENA_PROPERTY_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000_000)
        let steps = environment["CATENA_PROPERTY_STEPS"].flatMap { Int($0) } ?? 6_000
        print("CATENA_PROPERTY_SEED=\(seed) CATENA_PROPERTY_STEPS=\(steps)")
        var tally = PropertyTally()
        for number in 0..<UInt64(max(steps / PropertyRun.steps, 1)) {
            let run = PropertyRun(seed: seed &+ number)
            let result = try await run.result()
            tally.add(result.tally)
            guard let finding = result.finding else { continue }
            Issue.record("\(finding)\nAgain with CATENA_PROPERTY_SEED=\(run.seed) CATENA_PROPERTY_STEPS=\(PropertyRun.steps)")
            return
        }
        print(tally.text)
        if steps >= Self.manySteps { #expect(tally.missing.isEmpty) }
    }
}
