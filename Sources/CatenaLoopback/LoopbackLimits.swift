extension LoopbackServer {
    /// The limits of a ``LoopbackServer``, so that a mistake in a test ends instead of growing.
    public struct Limits: Sendable {
        /// The number of open connections. Further ones are closed as soon as they are accepted.
        public var connections = 1_100

        /// The time after which the server stops.
        public var lifetime: Duration = .seconds(600)

        /// The size of a request line with its header section, in bytes. The response to a larger one is 431.
        public var headBytes = 262_144

        /// The size of a request body, in bytes. The response to a larger one is 413.
        public var bodyBytes = 67_108_864

        /// The number of bytes of a request body that are stored. The others are read, counted and discarded.
        public var recordedBodyBytes = Int.max

        /// The number of requests that are stored. The oldest ones are discarded first.
        public var recordedRequests = 10_000

        /// The time for the head of a request, from when the server waits for it; then the connection is closed. `nil` is no limit.
        package var headTime: Duration?

        /// Creates limits that suit most tests.
        public init() {}
    }
}
