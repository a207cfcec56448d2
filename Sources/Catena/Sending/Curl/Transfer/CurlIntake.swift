#if os(Linux) && canImport(Glibc)
import CatenaPlatform

/// Receives the body of a response: decompresses it while there is room, and stores it or passes it to a pipe. Used on the loop's thread
/// only.
struct CurlIntake {
    /// The outcome of receiving bytes from libcurl.
    enum Outcome {
        case taken, paused, refused
    }

    /// The maximum length of a whole body in bytes, or `nil` if the body is read piece by piece.
    var limit: Int?
    private var decoder: ContentDecoder?
    /// The received bytes that the decoder has not received yet.
    private var packed = Data()
    /// Whether the pipe had no room for all received bytes.
    private var isHeldBack = false
    private var pipe: BodyPipe?
    /// The received bytes, unless they are in a block or with the reader.
    private var received = Data()
    /// The body, if its length was announced and it is large.
    private var block: BodyBlock?
    /// The number of bytes received from libcurl, which does not decompress them.
    private var wireBytes: Int64 = 0
    /// The announced length of the body, or 0.
    private var announced = 0
    /// The maximum number of bytes to allocate because a server has announced them. A longer body grows as it arrives.
    private static let mostAnnounced = 1 << 20
    /// The announced lengths for which a body gets a block. A smaller one takes few page faults. A larger one may never arrive.
    private static let blockLengths = 32 << 10...mostAnnounced

    init(limit: Int?) {
        self.limit = limit
    }

    mutating func begin(_ headers: HTTPHeaders) throws {
        decoder = try ContentDecoder(headers)
    }

    /// The received bytes: the whole body, or the bytes that arrived before a pipe was set.
    var body: Data { block?.body ?? received }

    /// Expects a body of a length that the head announces.
    mutating func expect(_ length: Int64) {
        if isPlain, limit != nil { announced = Int(clamping: length) }
    }

    /// Whether the bytes are as the server sent them, so that their number is the announced length.
    var isPlain: Bool { decoder == nil }

    /// Whether received bytes wait for room.
    var isBehind: Bool { isHeldBack || !packed.isEmpty || decoder?.hasMore == true }

    /// Whether the body is complete if it ends here.
    var isComplete: Bool { decoder?.isComplete != false }

    private var hasRoom: Bool {
        if let pipe { return pipe.room == .open }
        return limit != nil || received.count < BodyPipe.capacity
    }

    /// Whether a reader receives the body piece by piece.
    var isPiped: Bool { pipe != nil }

    /// Whether received bytes are to be passed on to the reader.
    var isFlowing: Bool { isPiped && !received.isEmpty }

    /// Receives bytes from the network. Returns `false` if libcurl has to deliver them again when there is room.
    ///
    /// - Parameter isRepeated: Whether libcurl delivers bytes again. They are taken even if there is no room, because libcurl 8.16 loses
    ///   bytes that are refused twice, and wait here.
    mutating func receive(_ bytes: UnsafeRawBufferPointer, isRepeated: Bool = false) throws -> Bool {
        guard isRepeated || (!isBehind && hasRoom) else { return false }
        wireBytes += Int64(bytes.count)
        if decoder != nil {
            packed.append(bytes.bindMemory(to: UInt8.self))
            try catchUp()
        } else if isPiped {
            // A full buffer is probably followed by others.
            if received.isEmpty, bytes.count >= CurlLibrary.usualReceiveBuffer { received.reserveCapacity(CurlTurn.besideOthers) }
            received.append(bytes.bindMemory(to: UInt8.self))
            if received.count >= CurlTurn.longest { passOn() }
        } else {
            try store(bytes)
        }
        return true
    }

    /// Stores bytes of a whole body: in one allocation of the announced length, so that each byte is copied once.
    private mutating func store(_ bytes: UnsafeRawBufferPointer) throws {
        try checkLimit(bytes.count)
        if received.isEmpty, block == nil, announced > bytes.count {
            if Self.blockLengths.contains(announced) {
                block = BodyMemory.shared.take(announced)
            } else {
                received.reserveCapacity(min(announced, Self.mostAnnounced))
            }
        }
        if block?.append(bytes) == true { return }
        // The block has no room for more than the announced length.
        if let block { received = block.body }
        block = nil
        received.append(bytes.bindMemory(to: UInt8.self))
    }

    /// Passes on or decompresses the received bytes that wait, while there is room.
    mutating func catchUp() throws {
        if isHeldBack { passOn() }
        while let decoder, isBehind, hasRoom {
            if !decoder.hasMore {
                // The decoder limits what a piece of the usual length unpacks to.
                let piece = packed.prefix(CurlLibrary.usualReceiveBuffer)
                packed = packed.count == piece.count ? Data() : packed.dropFirst(piece.count)
                decoder.append(piece)
            }
            if let piece = try decoder.next() { try keep(piece) }
        }
    }

    private mutating func keep(_ piece: Data) throws {
        if let pipe { return pipe.receive(piece, wireBytes: wireBytes) }
        try checkLimit(piece.count)
        if received.isEmpty { received = piece } else { received.append(piece) }
    }

    private func checkLimit(_ count: Int) throws {
        if let limit, count > limit - (block?.count ?? received.count) { throw TransportBody.tooLarge(limit) }
    }

    /// Passes the received bytes and all later ones to a pipe.
    mutating func flow(to pipe: BodyPipe) {
        self.pipe = pipe
        passOn()
        // Check the room once, because a pipe that was found full notifies when there is room again.
        _ = pipe.room
    }

    /// Passes the bytes received since the last call to the reader, if there is one and while there is room. Together, they wake its thread
    /// once.
    mutating func passOn() {
        guard let pipe else { return }
        while !received.isEmpty, pipe.room != .full {
            // libcurl may have delivered all that it held of a paused HTTP/2 stream.
            let piece = received.count <= CurlTurn.longest ? received : Data(received.prefix(CurlTurn.longest))
            received = piece.count == received.count ? Data() : received.dropFirst(piece.count)
            pipe.receive(piece, wireBytes: wireBytes)
        }
        isHeldBack = !received.isEmpty
    }

    /// Ends the pipe, if there is one.
    mutating func finish(throwing error: (any Error)? = nil) {
        passOn()
        pipe?.finish(throwing: error)
    }
}
#endif
