import CatenaTesting
import Foundation
import TestSupport

@testable import Catena

/// A series of steps in one world, determined by a seed.
struct PropertyRun {
    /// The number of steps with one client. Further steps get a new one.
    static let steps = 200

    let seed: UInt64

    /// Returns a description of the first violation, or `nil` if there is none, and the meetings of features.
    func result() async throws -> (finding: String?, tally: PropertyTally) {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread {
                let result = Simulation.run(seed: seed) { simulation in
                    let world = PropertyWorld(simulation, seed: seed)
                    return (finding: explore(world), tally: world.state.withLock { $0.tally })
                }
                continuation.resume(
                    with: result.map { .success($0) } ?? .failure(PropertyViolation(description: "this version of Swift cannot simulate")))
            }
            thread.stackSize = 8 * 1024 * 1024
            thread.start()
        }
    }

    private func explore(_ world: PropertyWorld) -> String? {
        var step = 0
        let shutdown = world.draw(3) == 0 ? Self.steps - 5 : .max
        while step < Self.steps, world.violation == nil {
            step += 1
            if step == shutdown { world.shutDown() }
            world.step()
            if step == Self.steps / 2 { world.rest() }
        }
        if world.violation == nil { world.rest() }
        if world.violation == nil, shutdown == .max {
            world.checkHealth()
            world.rest()
        }
        defer { world.client.observation.queue.sync {} }
        return world.violation.map { world.report($0, step: step) }
    }
}

extension PropertyWorld {
    /// Describes a violation, with the steps before it.
    fileprivate func report(_ violation: String, step: Int) -> String {
        let lines = state.withLock { $0.log.suffix(80) }.joined(separator: "\n")
        let setups = state.withLock { $0.setups }.enumerated().map { "backend \($0): \($1)" }.joined(separator: "\n")
        client.calls.cancelAll()
        for number in state.withLock({ $0.exchanges.keys.sorted() }) { answer(number) }
        simulation.run()
        return "In step \(step): \(violation)\n\(setups)\nThe last that happened:\n\(lines)"
    }
}
