/// A call whose response is checked.
typealias Call = @Sendable () async throws -> Void

/// The times for which a client is warmed up and measured.
struct Effort: Sendable {
    var warmUp = 0.4
    var seconds = 1.0
}

/// Calls for a while to warm up, and then measures as many calls as the time allows.
func measureCalls(width: Int, effort: Effort, _ call: @escaping Call) async throws -> Figures {
    _ = try await calls(width: width, seconds: effort.warmUp, call)
    let before = Usage(of: .thisProcess)
    let start = ContinuousClock.now
    let count = try await calls(width: width, seconds: effort.seconds, call)
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let usage = Usage(of: .thisProcess) - before
    return Figures(calls: count, seconds: seconds, processorSeconds: usage.processorSeconds, contextSwitches: usage.contextSwitches)
}

/// Runs `width` tasks that call repeatedly until the time is over. Each calls at least once.
private func calls(width: Int, seconds: Double, _ call: @escaping Call) async throws -> Int {
    let end = ContinuousClock.now + .seconds(seconds)
    return try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<width {
            group.addTask {
                var count = 0
                repeat {
                    try await call()
                    count += 1
                } while ContinuousClock.now < end
                return count
            }
        }
        return try await group.reduce(0, +)
    }
}
