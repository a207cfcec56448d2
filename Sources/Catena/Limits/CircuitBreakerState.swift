/// Decides whether calls may go to a backend. Pure.
struct CircuitBreakerState {
    /// Says in which phase a call was let through; its outcome counts for that phase only.
    struct Pass: Equatable {
        fileprivate let phase: Int
    }

    enum Entry: Equatable {
        case admitted(Pass)
        case rejected(retryAfter: Duration)
    }

    private enum Phase {
        case closed
        case open(until: Duration)
        /// One call is on its way to find out. A probe that is never heard of again counts as failed at `until`.
        case probing(until: Duration)
    }

    private let policy: CircuitBreakerPolicy
    private var phase = Phase.closed
    private var number = 0
    private var pause: Duration
    private var recent: RecentCalls

    init(_ policy: CircuitBreakerPolicy) {
        self.policy = policy
        pause = policy.pause
        recent = RecentCalls(window: policy.window)
    }

    var isClosed: Bool {
        if case .closed = phase { return true }
        return false
    }

    mutating func enter(at now: Duration) -> Entry {
        switch phase {
        case .closed: break
        case .open(let until), .probing(let until):
            guard now >= until else { return .rejected(retryAfter: until - now) }
            change(to: .probing(until: now + pause))
        }
        return .admitted(Pass(phase: number))
    }

    mutating func leave(_ pass: Pass, _ health: CallHealth, at now: Duration) {
        guard pass.phase == number else { return }
        switch (phase, health) {
        case (.closed, .unknown), (.open, _): break
        case (.closed, _):
            recent.note(isFailure: health == .ill, at: now)
            let (total, failures) = recent.counts(at: now)
            guard total >= max(policy.minimumCalls, 1), failures > 0,
                Double(failures) >= Double(total) * policy.failureShare
            else { return }
            pause = policy.pause
            change(to: .open(until: now + pause))
        case (.probing, .well):
            recent = RecentCalls(window: policy.window)
            change(to: .closed)
        case (.probing, .ill):
            pause = pause > policy.longestPause / 2 ? max(policy.longestPause, policy.pause) : pause * 2
            change(to: .open(until: now + pause))
        case (.probing, .unknown):
            // Nothing was found out, so the next call tries.
            change(to: .open(until: now))
        }
    }

    private mutating func change(to phase: Phase) {
        self.phase = phase
        number += 1
    }
}

/// How the calls of the last while ended, counted in slices of time.
private struct RecentCalls {
    private static let slices = 10

    private let slice: Duration
    private var counts: [(index: Int, total: Int, failures: Int)] = []

    init(window: Duration) {
        slice = max(window / Self.slices, .milliseconds(1))
    }

    mutating func note(isFailure: Bool, at now: Duration) {
        let index = index(now)
        if counts.last?.index != index {
            counts.removeAll { $0.index <= index - Self.slices }
            counts.append((index, 0, 0))
        }
        counts[counts.count - 1].total += 1
        if isFailure { counts[counts.count - 1].failures += 1 }
    }

    func counts(at now: Duration) -> (total: Int, failures: Int) {
        let oldest = index(now) - Self.slices
        return counts.reduce((0, 0)) { sum, slice in
            slice.index > oldest ? (sum.0 + slice.total, sum.1 + slice.failures) : sum
        }
    }

    private func index(_ now: Duration) -> Int { Int(now / slice) }
}
