import Foundation

/// One of several implementations of an operation.
struct Alternative {
    let name: String
    /// Runs the operation a number of times.
    let run: (Int) async throws -> Void
    /// The factor by which `run` runs less often than its argument, because it is slow.
    var divisor = 1.0

    /// Returns a copy whose `run` runs less often by a factor.
    func scaled(by divisor: Int) -> Alternative {
        var scaled = self
        scaled.divisor = Double(divisor)
        return scaled
    }
}

/// Runs the alternatives in turns, and prints their medians with ratios to the first one.
func compare(_ title: String, iterations: Int, effort: Effort, _ alternatives: [Alternative]) async throws {
    var times = [[Double]](repeating: [], count: alternatives.count)
    for alternative in alternatives { try await alternative.run(max(1, iterations / 10)) }
    for _ in 0..<effort.rounds {
        for (index, alternative) in alternatives.enumerated() {
            let start = ContinuousClock.now
            try await alternative.run(iterations)
            times[index].append((ContinuousClock.now - start) / .nanoseconds(1) / Double(iterations) * alternatives[index].divisor)
        }
    }
    print("  \(title)")
    let medians = times.map(median)
    for (alternative, time) in zip(alternatives, medians) {
        let name = alternative.name.padding(toLength: 44, withPad: " ", startingAt: 0)
        print("    \(name) \(nanoseconds(time))   \(String(format: "%6.2f", time / medians[0])) x")
    }
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
}

private func nanoseconds(_ value: Double) -> String {
    value < 10_000 ? String(format: "%9.0f ns", value) : String(format: "%9.1f us", value / 1000)
}

/// Prevents the optimizer from removing a value.
@inline(never)
func keep<Value>(_ value: Value) {
    withExtendedLifetime(value) {}
}
