/// How long each phase of an attempt took; `nil` where a phase did not happen, as with a connection that is used again, or where the
/// transport does not tell.
public struct CallTimings: Sendable, Equatable {
    /// Waiting for a turn and for a connection.
    public var queue: Duration?
    /// Looking up the host's name.
    public var dns: Duration?
    /// Connecting, without what ``tls`` took.
    public var connect: Duration?
    /// Agreeing on the encryption.
    public var tls: Duration?
    /// From sending the request to the first byte of the response.
    public var firstByte: Duration?
    /// From the first byte of the response to the last.
    public var transfer: Duration?

    /// Makes timings in which no phase has happened.
    public init() {}

    /// All phases together.
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
    /// Adds what the call has waited before the transport got it.
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
    /// Milliseconds with one digit behind the point, as people read them: `12.3 ms`.
    var milliseconds: String {
        let tenths = (self / .microseconds(100)).rounded()
        return tenths.magnitude < 1e15 ? "\(Int(tenths) / 10).\(Int(tenths.magnitude) % 10) ms" : "\(self)"
    }
}
