import Catena
import CatenaPlatform

/// The usage of the rate limits that several machines share, as stored. It has no side effects.
struct SharedRates: Codable, Sendable {
    /// Distinguishes the record from every other one. If two machines wrote equal records, both would believe that they had taken the turn.
    private var id = UUID().uuidString
    /// A time in which no call begins, because a server has asked for it.
    private struct Pause: Codable, Sendable {
        let begin: SharedMoment
        let end: SharedMoment

        init(_ length: Duration, at now: Duration) {
            (begin, end) = (SharedMoment(now), SharedMoment(now + length))
        }

        /// Returns a pause that is no longer than allowed. It begins now if the store's clock was ahead when it began.
        func corrected(at now: Duration) -> Pause {
            Pause(min(end.time - begin.time, longestPause), at: min(begin.time, now))
        }
    }

    private var pause: Pause?
    /// The maximum length of a pause.
    static let longestPause = Duration.seconds(86_400)
    /// The moment at which each bucket will be full again, by length of the period. A limit with another count uses the same bucket.
    private var full: [String: SharedMoment] = [:]

    /// Takes turns for calls.
    ///
    /// - Parameters:
    ///   - most: The maximum number of turns. At most one turn is taken that requires a wait.
    ///   - longestWait: The maximum wait for a turn.
    /// - Returns: The number of turns, and the wait for the first.
    mutating func take(_ limits: [RateLimit], most: Int, longestWait: Duration, at now: Duration) -> (turns: Int, wait: Duration) {
        id = UUID().uuidString
        var buckets = limits.map { limit in
            // Ignore a moment that is too far ahead for any machine to have caused it.
            TokenBucket(limit, full: full[Self.name(of: limit)]?.time, notAfter: now + longestWait)
        }
        pause = pause?.corrected(at: now)
        let rest = max((pause?.end.time ?? now) - now, .zero)
        func wait() -> Duration { buckets.reduce(rest) { max($0, $1.wait(at: now)) } }
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

    /// Lets no call begin for a time, because a server has asked for it.
    mutating func hold(for time: Duration, at now: Duration) {
        id = UUID().uuidString
        let new = Pause(min(time, Self.longestPause), at: now)
        pause = pause?.corrected(at: now)
        if let pause, pause.end > new.end { return }
        pause = new
    }

    private static func name(of limit: RateLimit) -> String {
        let (seconds, attoseconds) = limit.period.components
        return "\(seconds).\(attoseconds)"
    }
}
