import Foundation

/// How far the rate limits of several machines are used up, as it is written to a shared store. Pure.
struct SharedRates: Codable, Sendable {
    /// Tells it from every other one: two machines that take the same turn must not write the same, or each would believe that it has it.
    private var id = UUID().uuidString
    /// Nothing begins before this moment.
    private var held: SharedMoment?
    /// For each length of a period the moment at which its bucket will be full again. A limit with another count goes on with the same bucket.
    private var full: [String: SharedMoment] = [:]

    /// Takes turns for calls.
    ///
    /// - Parameters:
    ///   - most: How many turns are of use; only one that has to be waited for is taken.
    ///   - longestWait: No turn is taken that is further away.
    /// - Returns: The number of turns, and how long the first is to be waited for.
    mutating func take(_ limits: [RateLimit], most: Int, longestWait: Duration, at now: Duration) -> (turns: Int, wait: Duration) {
        id = UUID().uuidString
        var buckets = limits.map { limit in
            // A moment so far ahead that nobody can have brought it about is no moment.
            TokenBucket(limit, full: full[Self.name(of: limit)]?.time, notAfter: now + longestWait)
        }
        let hold = held.map { $0.time <= now + longestWait ? max($0.time - now, .zero) : .zero } ?? .zero
        func wait() -> Duration { buckets.reduce(hold) { max($0, $1.wait(at: now)) } }
        let first = wait()
        guard first <= longestWait else { return (0, first) }
        var turns = 0
        repeat {
            for index in buckets.indices { buckets[index].take(at: now) }
            turns += 1
        } while turns < most && wait() == .zero
        for (limit, bucket) in zip(limits, buckets) { full[Self.name(of: limit)] = bucket.full.map(SharedMoment.init) }
        return (turns, first)
    }

    mutating func hold(until moment: Duration) {
        id = UUID().uuidString
        held = max(held ?? SharedMoment(.zero), SharedMoment(moment))
    }

    private static func name(of limit: RateLimit) -> String {
        let (seconds, attoseconds) = limit.period.components
        return "\(seconds).\(attoseconds)"
    }
}
