/// The waits between the calls of a poll. Has no side effects.
struct PollPace: Sendable {
    /// The longest wait between two calls.
    private static let longestWait = Duration.seconds(86_400)
    /// The longest wait that a server can ask for, because a longer one would stop the poll.
    private static let longestServerWait = Duration.seconds(3600)

    /// The reason why these waits make no sense, or `nil` if they do.
    let fault: String?
    private let longest: Duration
    private var interval: Duration

    /// - Parameter longest: The wait at which the interval stops doubling, or `nil` if it does not double.
    init(every interval: Duration, upTo longest: Duration?) {
        if interval <= .zero {
            fault = "the interval has to be longer than zero, and is \(interval)"
        } else if let longest, longest < interval {
            fault = "upTo: \(longest) is shorter than every: \(interval)"
        } else {
            fault = nil
        }
        self.interval = min(interval, Self.longestWait)
        self.longest = min(longest ?? interval, Self.longestWait)
    }

    /// Returns the wait before the next call: the interval, or the longer wait that the server asks for.
    mutating func next(asked: Duration?) -> Duration {
        let wait = max(interval, min(asked ?? .zero, Self.longestServerWait))
        interval = interval > longest / 2 ? longest : interval * 2
        return wait
    }
}
