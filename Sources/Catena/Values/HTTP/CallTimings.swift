/// The durations of the phases of an attempt. A phase is `nil` if it did not happen, as with a reused connection, or if the transport does
/// not report it.
public struct CallTimings: Sendable, Equatable {
    /// The time of waiting for a turn and for a connection.
    public var queue: Duration?
    /// The time of the lookup of the host's name.
    public var dns: Duration?
    /// The time of connecting, without the TLS handshake.
    public var connect: Duration?
    /// The time of the TLS handshake.
    public var tls: Duration?
    /// The time from sending the request to the first byte of the response.
    public var firstByte: Duration?
    /// The time from the first byte of the response to the last.
    public var transfer: Duration?

    /// Makes timings without any phase.
    public init() {}

    /// The sum of all phases.
    public var total: Duration { phases.reduce(.zero) { $0 + $1.duration } }

    /// The phases that happened, in order.
    var phases: [(name: String, duration: Duration)] {
        let all = [
            ("queue", queue), ("dns", dns), ("connect", connect), ("tls", tls), ("first byte", firstByte), ("transfer", transfer),
        ]
        return all.compactMap { name, duration in duration.map { (name, $0) } }
    }
}

extension HTTPResponse {
    /// Adds the time that the call waited before the transport received it.
    mutating func noteQueue(_ time: Duration) {
        var timings = timings ?? CallTimings()
        timings.queue = (timings.queue ?? .zero) + time
        self.timings = timings
    }
}

extension CallTimings: CustomStringConvertible {
    public var description: String { phases.map { "\($0.name) \($0.duration.milliseconds)" }.joined(separator: ", ") }
}

extension Duration {
    /// The duration in milliseconds with one decimal, such as `12.3 ms`.
    var milliseconds: String {
        let tenths = (self / .microseconds(100)).rounded()
        return tenths.magnitude < 1e15 ? "\(Int(tenths) / 10).\(Int(tenths.magnitude) % 10) ms" : "\(self)"
    }
}
