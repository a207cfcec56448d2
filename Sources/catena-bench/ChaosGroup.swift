import CatenaTesting
import Foundation

/// Makes calls with all features on against a server that fails at random. Each call must end once, with an expected outcome.
func chaosGroup(_ effort: Effort) async throws {
    let count = effort.isSmoke ? 500 : 5_000
    let tally = try await Chaos(count: count).run(width: 64)
    print("  \(count) calls, 64 at a time, on loopback")
    print("    values \(tally.values), cancelled \(tally.cancelled), lost \(count - tally.total), settled \(tally.settled)")
    for (error, number) in tally.errors.sorted(by: { $0.key < $1.key }) { print("    \(error): \(number)") }
    for wrong in tally.wrong.prefix(10) { print("    WRONG: \(wrong)") }
    if tally.total != count || tally.settled != count || !tally.wrong.isEmpty { exit(1) }
}
