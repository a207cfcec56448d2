#if os(Linux)
import Foundation

/// The frames of HTTP/2 (RFC 9113 §6) that the servers of tests send.
enum Frame {
    enum Kind: UInt8 {
        case data, headers, priority, reset, settings, push, ping, goAway, windowUpdate, continuation
    }

    static let (endStream, acknowledged, endHeaders): (UInt8, UInt8, UInt8) = (1, 1, 4)

    static func bytes(_ kind: Kind, _ flags: UInt8 = 0, stream: Int, _ payload: [UInt8] = []) -> [UInt8] {
        number(payload.count, 3) + [kind.rawValue, flags] + number(stream, 4) + payload
    }

    static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }

    /// Returns a head whose block is cut into pieces, each in a frame.
    static func head(
        _ status: Int, _ fields: [(String, String)] = [], stream: Int, isLast: Bool = false, pieces: [Int] = [], end: UInt8 = endHeaders
    ) -> [UInt8] {
        // Literals without indexing, whose names are in the block (RFC 7541 §6.2.2).
        var block: [UInt8] = [0x08, 3] + Array("\(status)".utf8)
        for (name, value) in fields { block += [0] + text(name) + text(value) }
        var parts: [ArraySlice<UInt8>] = []
        var rest = block[...]
        for length in pieces {
            parts.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        while !rest.isEmpty {
            parts.append(rest.prefix(16_384))
            rest = rest.dropFirst(16_384)
        }
        var result: [UInt8] = []
        for (index, part) in parts.enumerated() {
            let flags = (index == 0 && isLast ? endStream : 0) | (index == parts.count - 1 ? end : 0)
            result += bytes(index == 0 ? .headers : .continuation, flags, stream: stream, Array(part))
        }
        return result
    }

    /// Returns a string as in RFC 7541 §5.2, without the code of Huffman.
    private static func text(_ text: String) -> [UInt8] {
        var count = text.utf8.count
        guard count >= 127 else { return [UInt8(count)] + text.utf8 }
        var length: [UInt8] = [127]
        count -= 127
        while count >= 128 {
            length.append(UInt8(count % 128 + 128))
            count /= 128
        }
        return length + [UInt8(count)] + text.utf8
    }

    static func data(_ body: [UInt8], stream: Int, isLast: Bool = false) -> [UInt8] {
        bytes(.data, isLast ? endStream : 0, stream: stream, body)
    }

    static func reset(_ code: Int, stream: Int) -> [UInt8] { bytes(.reset, stream: stream, number(code, 4)) }

    static func goAway(_ code: Int, last: Int) -> [UInt8] { bytes(.goAway, stream: 0, number(last, 4) + number(code, 4)) }

    static func windowUpdate(_ count: Int, stream: Int) -> [UInt8] { bytes(.windowUpdate, stream: stream, number(count, 4)) }
}

/// A step of the response to a request.
enum FrameStep: Sendable {
    /// Sends bytes at once.
    case send([UInt8])
    /// Waits for a number of bytes of the request's body.
    case body(Int)
    /// Waits for the end of the request.
    case request
    /// Sends no WINDOW_UPDATE for the bytes of this connection.
    case starve
    /// Ends the connection in one of these ways.
    case finish, end, reset
}

/// A server of HTTP/2 whose responses are composed of frames. It does not decode the requests.
enum FrameServer {
    struct Request: Sendable {
        let stream: Int
        /// The numbers of the connection, and of the request on it, from 1.
        let connection, number: Int
        /// The number of requests on the connection that have no response yet, including this one.
        let open: Int
        /// Whether the client has sent the request before it acknowledged the SETTINGS.
        let isEarly: Bool
    }

    /// - Parameter isDistant: Whether the SETTINGS of all connections but the first are sent when the client pauses.
    static func make(
        isSecure: Bool = true, settings: [(Int, Int)] = [], isDistant: Bool = false, _ respond: @escaping @Sendable (Request) -> [FrameStep]
    ) throws -> RawServer {
        try RawServer(isSecure ? .tlsWithHTTP2 : .plain) { connection in
            FrameConnection(connection, respond).run(settings, areLate: isDistant && connection.number > 1)
        }
    }
}

/// The state of an HTTP/2 connection of a server.
private final class FrameConnection {
    private struct Stream {
        var steps: ArraySlice<FrameStep>
        var received = 0
        var isEnded = false
    }

    private let connection: RawConnection
    private let respond: (FrameServer.Request) -> [FrameStep]
    private var input: [UInt8] = []
    private var streams: [Int: Stream] = [:]
    private var requests = 0
    private var isStarved = false
    private var isOver = false
    /// Whether SETTINGS have been sent, which are the first frame, and whether the client has acknowledged them.
    private var hasSettings = false, isAcknowledged = false
    /// The frames that follow the SETTINGS.
    private var held: [UInt8] = []

    init(_ connection: RawConnection, _ respond: @escaping (FrameServer.Request) -> [FrameStep]) {
        (self.connection, self.respond) = (connection, respond)
    }

    func run(_ settings: [(Int, Int)], areLate: Bool) {
        // The preface of the client (RFC 9113 §3.4).
        guard fill(24) else { return }
        input.removeFirst(24)
        while !isOver {
            if !hasSettings, !areLate || (requests > 0 && input.isEmpty && connection.isQuiet) {
                hasSettings = true
                connection.send(
                    Frame.bytes(.settings, stream: 0, settings.flatMap { Frame.number($0.0, 2) + Frame.number($0.1, 4) }) + held)
                advance()
            }
            guard fill(9) else { break }
            let length = Int(input[0]) << 16 | Int(input[1]) << 8 | Int(input[2])
            guard fill(9 + length) else { return }
            let (kind, flags, stream) = (
                input[3], input[4], Int(input[5] & 0x7F) << 24 | Int(input[6]) << 16 | Int(input[7]) << 8 | Int(input[8])
            )
            let payload = Array(input[9..<(9 + length)])
            input.removeFirst(9 + length)
            take(Frame.Kind(rawValue: kind), flags, stream, payload)
            advance()
        }
        connection.drain()
    }

    private func fill(_ count: Int) -> Bool {
        while input.count < count {
            guard let bytes = connection.receive() else { return false }
            input += bytes
        }
        return true
    }

    private func send(_ frame: [UInt8]) {
        if hasSettings { connection.send(frame) } else { held += frame }
    }

    private func take(_ kind: Frame.Kind?, _ flags: UInt8, _ stream: Int, _ payload: [UInt8]) {
        switch kind {
        case .settings where flags & Frame.acknowledged == 0: send(Frame.bytes(.settings, Frame.acknowledged, stream: 0))
        case .settings: isAcknowledged = true
        case .ping where flags & Frame.acknowledged == 0:
            send(Frame.bytes(.ping, Frame.acknowledged, stream: 0, payload))
        case .headers:
            requests += 1
            let open = 1 + streams.values.count { !$0.steps.isEmpty }
            let request = FrameServer.Request(
                stream: stream, connection: connection.number, number: requests, open: open, isEarly: !isAcknowledged)
            streams[stream] = Stream(steps: respond(request)[...], isEnded: flags & Frame.endStream != 0)
        case .data:
            streams[stream]?.received += payload.count
            if flags & Frame.endStream != 0 { streams[stream]?.isEnded = true }
            guard !isStarved, !payload.isEmpty else { break }
            send(Frame.windowUpdate(payload.count, stream: 0))
            if streams[stream] != nil, flags & Frame.endStream == 0 { send(Frame.windowUpdate(payload.count, stream: stream)) }
        case .reset: streams[stream] = nil
        case .goAway: isOver = true
        default: break
        }
    }

    private func advance() {
        guard hasSettings else { return }
        for number in streams.keys.sorted() {
            while let step = streams[number]?.steps.first, perform(step, streams[number]) { streams[number]?.steps.removeFirst() }
        }
    }

    /// Performs a step, or returns `false` if it has to wait.
    private func perform(_ step: FrameStep, _ stream: Stream?) -> Bool {
        guard !isOver, let stream else { return false }
        switch step {
        case .send(let bytes): connection.send(bytes)
        case .body(let count): return stream.received >= count
        case .request: return stream.isEnded
        case .starve: isStarved = true
        case .finish, .end, .reset:
            isOver = true
            switch step {
            case .finish: connection.finish()
            case .end: connection.end()
            default: connection.reset()
            }
        }
        return true
    }
}
#endif
