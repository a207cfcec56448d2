import Catena
public import CatenaPlatform

/// The faults of a reply.
package struct StubFaults: Sendable {
    /// The point at which the connection ends early.
    package struct Cut: Sendable {
        package let isInHead: Bool
        package let position: Int
        let resets: Bool
    }

    package struct Pace: Sendable {
        package let bytes: Int
        package let interval: Duration
    }

    package struct Stall: Sendable {
        package let position: Int
        /// The gate that ends the stall, or `nil` if it lasts forever.
        package let gate: LoopbackGate?
    }

    struct Stray: Sendable {
        let bytes: Data
        let gate: LoopbackGate?
    }

    enum Closing: Sendable {
        case announced
        case silent
    }

    package var delay: Duration?
    package var gate: LoopbackGate?
    package var cut: Cut?
    package var pace: Pace?
    package var stalls: [Stall] = []
    /// The announced length of the body if it may differ from the actual one.
    package var contentLength: Int?
    var stray: Stray?
    var closing: Closing?
}

/// Steps. Each returns a copy of the reply with one more header or fault, and all can be combined.
///
/// Positions in a body count its content without the framing of chunks. At the end of a chunk its line end is sent too. In a raw response every
/// byte is content.
extension StubReply {
    /// Returns a copy with this header in place of those with the same name.
    public func header(_ name: String, _ value: String) -> StubReply { changed { $0.headers[name] = value } }

    /// Returns a copy with this header in addition to those with the same name.
    public func header(_ name: String, adding value: String) -> StubReply { changed { $0.headers.add(value, for: name) } }

    /// Waits before the first byte, a stub on the call's clock.
    public func delayed(by time: Duration) -> StubReply { changed { $0.faults.delay = time } }

    /// Waits at a gate before the first byte.
    public func held(by gate: LoopbackGate) -> StubReply { changed { $0.faults.gate = gate } }

    /// Sends the head and `position` bytes of the body, then waits at the gate before the rest. Without a gate, the rest is never sent.
    ///
    /// ```swift
    /// .chunked(["data: 1\n\n", "data: 2\n\n"]).stalled(after: 9, by: gate)
    /// ```
    public func stalled(after position: Int, by gate: LoopbackGate? = nil) -> StubReply {
        changed { $0.faults.stalls.append(StubFaults.Stall(position: max(position, 0), gate: gate)) }
    }

    /// Sends the body in steps of `bytes`, with a pause between them, a stub on the call's clock. The head is sent at once.
    public func dripping(_ bytes: Int = 1, every interval: Duration = .zero) -> StubReply {
        changed { $0.faults.pace = StubFaults.Pace(bytes: max(1, bytes), interval: interval) }
    }

    /// Loses the connection after `bytes` bytes of the body, although the head announces all of it.
    ///
    /// A body that ends early and looks complete is a shorter body.
    public func connectionLost(after bytes: Int) -> StubReply { cut(inHead: false, bytes, resets: false) }

    /// Announces a `Content-Length` that may differ from the body's length. A call reads no bytes beyond it, and fails if bytes are missing.
    public func withContentLength(_ length: Int) -> StubReply {
        changed {
            $0.headers["Content-Length"] = String(length)
            $0.faults.contentLength = max(length, 0)
        }
    }

    private func cut(inHead: Bool, _ position: Int, resets: Bool) -> StubReply {
        changed { $0.faults.cut = StubFaults.Cut(isInHead: inHead, position: max(position, 0), resets: resets) }
    }

    private func changed(_ change: (inout StubReply) -> Void) -> StubReply {
        var copy = self
        change(&copy)
        return copy
    }
}

/// Faults of a connection, which a server has. A stub has none: there, a cut or reset loses the connection, and the other steps have no effect.
extension StubReply {
    /// Closes the connection after `position` bytes of the status line and headers.
    public func truncatedHead(after position: Int) -> StubReply { cut(inHead: true, position, resets: false) }

    /// Resets the connection (RST) after `position` bytes of the body.
    ///
    /// Some systems lose bytes sent right before, because a reset discards bytes that the receiver has not read yet.
    public func reset(after position: Int) -> StubReply { cut(inHead: false, position, resets: true) }

    /// Resets the connection (RST) after `position` bytes of the status line and headers; 0 is before any byte.
    public func resetHead(after position: Int) -> StubReply { cut(inHead: true, position, resets: true) }

    /// Closes the connection after the response, with or without `Connection: close`.
    public func closingConnection(announced: Bool = true) -> StubReply {
        changed { $0.faults.closing = announced ? .announced : .silent }
    }

    /// Sends stray bytes after the response, at once or when the gate opens.
    public func followed(by bytes: Data, after gate: LoopbackGate? = nil) -> StubReply {
        changed { $0.faults.stray = StubFaults.Stray(bytes: bytes, gate: gate) }
    }

    /// Sends stray text after the response, at once or when the gate opens.
    public func followed(by text: String, after gate: LoopbackGate? = nil) -> StubReply { followed(by: Data(text.utf8), after: gate) }
}
