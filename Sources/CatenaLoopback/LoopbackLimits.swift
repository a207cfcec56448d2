extension LoopbackServer {
    /// What a ``LoopbackServer`` allows at most, so that a mistake in a test ends instead of growing.
    public struct Limits: Sendable {
        /// Open connections; one more is closed as soon as it is accepted.
        public var connections = 1_100

        /// The time after which the server stops by itself.
        public var lifetime: Duration = .seconds(600)

        /// The size of a request line with its header section, in bytes; beyond it the response is 431.
        public var headBytes = 262_144

        /// The size of a request body, in bytes; beyond it the response is 413.
        public var bodyBytes = 67_108_864

        /// How much of a request body is kept, in bytes; the rest is read, counted and forgotten.
        public var recordedBodyBytes = Int.max

        /// How many requests are remembered; the oldest are forgotten first.
        public var recordedRequests = 10_000

        /// How long the head of a request may take, from the moment at which the server waits for it; then the connection is closed. `nil` is for ever.
        package var headTime: Duration?

        /// The limits that suit most tests.
        public init() {}
    }
}
