public import Foundation

/// The faults of a response.
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
        /// The gate that ends the stall, or `nil` if it lasts forever.
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

/// Faults. Each method returns a copy of the response with one more fault, and all faults can be combined.
///
/// Positions in a body count its content without the framing of chunks. At the end of a chunk its line end is sent too. In a raw response every
/// byte is content.
extension LoopbackResponse {
    /// Waits before the first byte.
    public func delayed(by time: Duration) -> Self {
        changed { $0.delay = time }
    }

    /// Waits at a gate before the first byte.
    public func held(by gate: LoopbackGate) -> Self {
        changed { $0.gate = gate }
    }

    /// Sends the head and `position` bytes of the body, then waits at the gate before the rest. Without a gate, the rest is never sent.
    ///
    /// ```swift
    /// .chunked(["data: 1\n\n", "data: 2\n\n"]).stalled(after: 9, by: gate)
    /// ```
    public func stalled(after position: Int, by gate: LoopbackGate? = nil) -> Self {
        changed { $0.stalls.append(LoopbackFaults.Stall(position: position, gate: gate)) }
    }

    /// Sends the body in steps of `bytes`, with a pause between them. The head is sent at once.
    public func dripping(_ bytes: Int = 1, every interval: Duration) -> Self {
        changed { $0.pace = LoopbackFaults.Pace(bytes: max(1, bytes), interval: interval) }
    }

    /// Closes the connection after `position` bytes of the body, although the head announces all of it.
    public func truncated(after position: Int) -> Self {
        cut(inHead: false, position, resets: false)
    }

    /// Closes the connection after `position` bytes of the status line and headers.
    public func truncatedHead(after position: Int) -> Self {
        cut(inHead: true, position, resets: false)
    }

    /// Resets the connection (RST) after `position` bytes of the body.
    ///
    /// Some systems lose bytes sent right before, because a reset discards bytes that the receiver has not read yet.
    public func reset(after position: Int) -> Self {
        cut(inHead: false, position, resets: true)
    }

    /// Resets the connection (RST) after `position` bytes of the status line and headers; 0 is before any byte.
    public func resetHead(after position: Int) -> Self {
        cut(inHead: true, position, resets: true)
    }

    /// Sets a `Content-Length` that may differ from the body's length. The whole body is sent anyway, and the connection stays open.
    public func withContentLength(_ length: Int) -> Self {
        header("Content-Length", String(length))
    }

    /// Closes the connection after the response, with or without `Connection: close`.
    public func closingConnection(announced: Bool = true) -> Self {
        changed { $0.closing = announced ? .announced : .silent }
    }

    /// Sends stray bytes after the response, at once or when the gate opens.
    public func followed(by bytes: Data, after gate: LoopbackGate? = nil) -> Self {
        changed { $0.stray = LoopbackFaults.Stray(bytes: bytes, gate: gate) }
    }

    /// Sends stray text after the response, at once or when the gate opens.
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
