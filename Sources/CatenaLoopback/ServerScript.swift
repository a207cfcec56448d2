import Catena
import CatenaPlatform

/// The remaining steps of a response: bytes, waits and an end. Without an end the connection stays open.
struct ServerScript {
    enum Step {
        case send(Data)
        case drip(Data, StubFaults.Pace)
        case repeated(Data, count: Int)
        case pause(Duration)
        /// Sends a stream until its writer ends it.
        case stream(LoopbackStream)
        case wait(LoopbackGate)
        /// Waits until the client disconnects or the server stops.
        case hold
        /// Ends TLS, if there is any. An end without this step is a cut (RFC 8446 §6.1).
        case finishSession
        case close
        /// Closes for writing and discards further input. Closing with unread bytes would be a reset, which can discard the response (RFC 9112 §9.6).
        case closeGently
        case reset
    }

    /// The steps in reverse order.
    private var steps: [Step]

    init(_ steps: [Step]) {
        self.steps = steps.reversed()
    }

    /// Creates the steps of a reply to a HEAD or another request, which may allow to keep the connection open.
    init(_ reply: StubReply, omitsBody: Bool, keepsAlive: Bool) {
        let reply = reply.onTheWire()
        let faults = reply.faults
        var steps: [Step] = []
        if let delay = faults.delay { steps.append(.pause(delay)) }
        if let gate = faults.gate { steps.append(.wait(gate)) }
        if case .silence = reply.content {
            steps.append(.hold)
        } else {
            var closes = faults.closing != nil
            // Raw bytes do not depend on the request. Other responses close if the request or their own headers say so.
            if case .raw = reply.content {
            } else if !keepsAlive || reply.headers["Connection"]?.lowercased() == "close" {
                closes = true
            }
            let message = ServerMessage(reply, omitsBody: omitsBody, closes: closes && faults.closing != .silent)
            if let cut = faults.cut, cut.isInHead {
                steps.append(.send(message.head.prefix(cut.position)))
            } else {
                Self.append(message, faults, to: &steps)
            }
            if let cut = faults.cut {
                steps.append(cut.resets ? .reset : .close)
            } else {
                if case .stream(let stream) = reply.content, !omitsBody { steps.append(.stream(stream)) }
                if let gate = faults.stray?.gate { steps.append(.wait(gate)) }
                if let stray = faults.stray { steps.append(.send(stray.bytes)) }
                if closes { steps += [.finishSession, .close] }
            }
        }
        self.init(steps)
    }

    mutating func next() -> Step? {
        guard let step = steps.popLast() else { return nil }
        // A stream is repeated until it has ended.
        if case .stream(let stream) = step {
            if stream.isOver { return next() }
            steps.append(step)
            return step
        }
        // These steps are expanded one by one, because a large body would need millions of steps.
        switch step {
        case .drip(let data, let pace):
            if data.count > pace.bytes {
                steps.append(.drip(data.dropFirst(pace.bytes), pace))
                steps.append(.pause(pace.interval))
            }
            return .send(data.prefix(pace.bytes))
        case .repeated(let data, let count):
            if count > 1 { steps.append(.repeated(data, count: count - 1)) }
            return .send(count > 0 ? data : Data())
        default:
            return step
        }
    }

    /// The maximum size of a body that is sent together with its head.
    private static let packetBytes = 16_384

    private static func append(_ message: ServerMessage, _ faults: StubFaults, to steps: inout [Step]) {
        defer { if let repetition = message.repetition { steps.append(.repeated(repetition.data, count: repetition.count)) } }
        let body = faults.cut.map { message.body.prefix(message.position(ofContent: $0.position)) } ?? message.body
        if faults.stalls.isEmpty && faults.pace == nil && body.count <= packetBytes {
            steps.append(.send(body.isEmpty ? message.head : message.head + body))
            return
        }
        steps.append(.send(message.head))
        var rest = body
        func appendBody(_ part: Data) {
            guard !part.isEmpty else { return }
            steps.append(faults.pace.map { .drip(part, $0) } ?? .send(part))
        }
        for stall in faults.stalls.sorted(by: { $0.position < $1.position }) {
            let position = message.position(ofContent: stall.position) - (body.count - rest.count)
            appendBody(rest.prefix(position))
            rest = rest.dropFirst(position)
            steps.append(stall.gate.map { .wait($0) } ?? .hold)
        }
        appendBody(rest)
    }
}
