import Catena
import CatenaPlatform

/// Reads requests from the bytes of one connection as they arrive.
struct ServerRequestParser {
    enum Outcome {
        case incomplete
        /// A head whose body has not been read yet. The next call reads it.
        case head(ServerRequestHead)
        /// The client waits for `100 Continue` before it sends the body (RFC 9110 §10.1.1).
        case continueExpected
        case complete(ServerRequestHead, body: Data, length: Int)
        case refused(ServerRefusal)
    }

    private enum Stage {
        case head
        case fixed(remaining: Int)
        case chunkSize
        case chunk(remaining: Int)
        case chunkEnd
        case trailers
        case complete
    }

    private let limits: LoopbackServer.Limits
    private var stage = Stage.head
    private var head: ServerRequestHead?
    private var body = Data()
    /// The length of the body so far, including bytes that are not stored.
    private var bodyLength = 0
    /// The number of bytes already searched for the end of the head, so that the search does not restart with every packet.
    private var searched = 0
    private var trailerBytes = 0
    /// Whether the head was returned, and its body is read next.
    private var isHeadShown = false

    /// Whether the parser waits for the head of a request.
    var isInHead: Bool {
        if case .head = stage { true } else { false }
    }

    init(limits: LoopbackServer.Limits) {
        self.limits = limits
    }

    mutating func next(from input: inout ServerInput) -> Outcome {
        do throws(ServerRefusal) {
            if case .head = stage {
                guard let bytes = try takeHead(&input) else { return .incomplete }
                let head = try ServerRequestHead(bytes)
                self.head = head
                try startBody(head)
                if head.framing != .length(0), !isHeadShown {
                    isHeadShown = true
                    return .head(head)
                }
            }
            if let head, isHeadShown {
                isHeadShown = false
                if head.expectsContinue, input.count == 0, head.framing != .length(0) { return .continueExpected }
            }
            while try advance(&input) {}
            guard case .complete = stage, let head else { return .incomplete }
            let (body, length) = (self.body, bodyLength)
            self = ServerRequestParser(limits: limits)
            return .complete(head, body: body, length: length)
        } catch {
            return .refused(error)
        }
    }

    private mutating func takeHead(_ input: inout ServerInput) throws(ServerRefusal) -> Data? {
        while let end = input.lineLength(from: searched) {
            guard end <= limits.headBytes else { throw .headTooLarge }
            let lineBytes = end - searched
            searched = end
            // The line that is empty but for its CR ends the head; empty lines before the request line are skipped (RFC 9112 §2.2).
            guard lineBytes <= 2 else { continue }
            searched = 0
            let bytes = input.take(end)
            if end > 2 { return bytes }
        }
        guard input.count <= limits.headBytes else { throw .headTooLarge }
        return nil
    }

    private mutating func startBody(_ head: ServerRequestHead) throws(ServerRefusal) {
        switch head.framing {
        case .length(let length):
            guard length <= limits.bodyBytes else { throw .bodyTooLarge }
            stage = length == 0 ? .complete : .fixed(remaining: length)
        case .chunked:
            stage = .chunkSize
        }
    }

    /// Reads the available bytes. Returns whether another call can read more.
    private mutating func advance(_ input: inout ServerInput) throws(ServerRefusal) -> Bool {
        switch stage {
        case .head, .complete:
            return false
        case .fixed(let remaining):
            let taken = takeBody(remaining, from: &input)
            stage = taken == remaining ? .complete : .fixed(remaining: remaining - taken)
            return false
        case .chunk(let remaining):
            let taken = takeBody(remaining, from: &input)
            stage = taken == remaining ? .chunkEnd : .chunk(remaining: remaining - taken)
            return taken == remaining
        case .chunkSize:
            guard let line = try takeLine(&input) else { return false }
            let size = try chunkSize(line)
            guard size <= limits.bodyBytes - bodyLength else { throw .bodyTooLarge }
            stage = size == 0 ? .trailers : .chunk(remaining: size)
            return true
        case .chunkEnd:
            guard let line = try takeLine(&input) else { return false }
            guard line.isEmpty else { throw .malformed("a chunk is longer than its size says") }
            stage = .chunkSize
            return true
        case .trailers:
            guard let line = try takeLine(&input) else { return false }
            trailerBytes += line.count
            guard trailerBytes <= limits.headBytes else { throw .headTooLarge }
            if line.isEmpty { stage = .complete }
            return true
        }
    }

    private mutating func takeBody(_ wanted: Int, from input: inout ServerInput) -> Int {
        let kept = input.take(min(wanted, max(0, limits.recordedBodyBytes - body.count)))
        if body.isEmpty { body = kept } else { body.append(kept) }
        let taken = kept.count + input.skip(wanted - kept.count)
        bodyLength += taken
        return taken
    }

    /// Returns a line without its end.
    private func takeLine(_ input: inout ServerInput) throws(ServerRefusal) -> Data? {
        guard let length = input.lineLength() else {
            guard input.count <= limits.headBytes else { throw .headTooLarge }
            return nil
        }
        let line = input.take(length).dropLast()
        return line.last == 0x0D ? line.dropLast() : line
    }

    /// Returns the size of a chunk. Extensions are ignored (RFC 9112 §7.1.1).
    private func chunkSize(_ line: Data) throws(ServerRefusal) -> Int {
        let digits = line.prefix { PercentDecoding.hexValue($0) != nil }
        let end = line.dropFirst(digits.count).first
        guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16), end == nil || end == 0x3B || end == 0x20 else {
            throw .malformed("a chunk size is not a number")
        }
        return size
    }
}
