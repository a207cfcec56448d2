public import Foundation

/// What is to go wrong while a response is sent.
struct LoopbackFaults: Sendable {
    /// The point at which the connection ends early.
    struct Cut: Sendable {
        let isInHead: Bool
        let position: Int
        let resets: Bool
    }

    struct Pace: Sendable {
        let bytes: Int
        let interval: Duration
    }

    struct Stall: Sendable {
        let position: Int
        /// `nil`: for ever.
        let gate: LoopbackGate?
    }

    struct Stray: Sendable {
        let bytes: Data
        let gate: LoopbackGate?
    }

    enum Closing: Sendable {
        case announced
        case silent
    }

    var delay: Duration?
    var gate: LoopbackGate?
    var isUnanswered = false
    var cut: Cut?
    var pace: Pace?
    var stalls: [Stall] = []
    var stray: Stray?
    var closing: Closing?
}

/// Faults, each a copy of the response with one thing more going wrong; all can be combined.
///
/// Positions in a body count content, without the framing of chunks; at the end of a chunk its line end is sent too. In a raw response
/// every byte is content.
extension LoopbackResponse {
    /// Waits before the first byte.
    public func delayed(by time: Duration) -> Self {
        changed { $0.delay = time }
    }

    /// Waits at a gate before the first byte.
    public func held(by gate: LoopbackGate) -> Self {
        changed { $0.gate = gate }
    }

    /// Sends head and `position` bytes of the body, then waits at the gate before the rest; without a gate the rest never comes.
    ///
    /// ```swift
    /// .chunked(["data: 1\n\n", "data: 2\n\n"]).stalled(after: 9, by: gate)
    /// ```
    public func stalled(after position: Int, by gate: LoopbackGate? = nil) -> Self {
        changed { $0.stalls.append(LoopbackFaults.Stall(position: position, gate: gate)) }
    }

    /// Sends the body in steps of `bytes`, with a pause between two of them. The head goes out at once.
    public func dripping(_ bytes: Int = 1, every interval: Duration) -> Self {
        changed { $0.pace = LoopbackFaults.Pace(bytes: max(1, bytes), interval: interval) }
    }

    /// Closes the connection after `position` bytes of the body, while the head promises all of it.
    public func truncated(after position: Int) -> Self {
        cut(inHead: false, position, resets: false)
    }

    /// Closes the connection after `position` bytes of status line and headers.
    public func truncatedHead(after position: Int) -> Self {
        cut(inHead: true, position, resets: false)
    }

    /// Resets the connection (RST) after `position` bytes of the body.
    ///
    /// What was sent right before can be lost with some systems, since a reset discards what the receiver has not read yet.
    public func reset(after position: Int) -> Self {
        cut(inHead: false, position, resets: true)
    }

    /// Resets the connection (RST) after `position` bytes of status line and headers; 0 is before any byte.
    public func resetHead(after position: Int) -> Self {
        cut(inHead: true, position, resets: true)
    }

    /// States a length that need not be the body's. The body is sent whole all the same, and the connection is kept open.
    public func withContentLength(_ length: Int) -> Self {
        header("Content-Length", String(length))
    }

    /// Closes the connection after the response: with `Connection: close`, or without a word.
    public func closingConnection(announced: Bool = true) -> Self {
        changed { $0.closing = announced ? .announced : .silent }
    }

    /// Sends stray bytes behind the response: at once, or as soon as the gate opens.
    public func followed(by bytes: Data, after gate: LoopbackGate? = nil) -> Self {
        changed { $0.stray = LoopbackFaults.Stray(bytes: bytes, gate: gate) }
    }

    /// Sends stray text behind the response: at once, or as soon as the gate opens.
    public func followed(by text: String, after gate: LoopbackGate? = nil) -> Self {
        followed(by: Data(text.utf8), after: gate)
    }

    private func cut(inHead: Bool, _ position: Int, resets: Bool) -> Self {
        changed { $0.cut = LoopbackFaults.Cut(isInHead: inHead, position: position, resets: resets) }
    }

    private func changed(_ change: (inout LoopbackFaults) -> Void) -> Self {
        var copy = self
        change(&copy.faults)
        return copy
    }
}
