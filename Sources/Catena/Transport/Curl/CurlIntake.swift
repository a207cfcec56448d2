#if os(Linux) && canImport(Glibc)
import Foundation

/// Takes in the body of a response: unpacks it, as far as there is room, and keeps it for who wants the whole or passes it on to who reads
/// it piece by piece. Touched by the loop's thread only.
struct CurlIntake {
    /// What has become of bytes from libcurl.
    enum Outcome {
        case taken, paused, refused
    }

    /// In bytes: how long a whole body may become; `nil` if it is read piece by piece.
    var limit: Int?
    private var decoder: ContentDecoder?
    private var pipe: BodyPipe?
    /// What has arrived: the body for who wants the whole, else what arrived before somebody could read it.
    private(set) var body = Data()
    /// How many bytes have come from libcurl, which decompresses none.
    private var wireBytes: Int64 = 0

    init(limit: Int?) {
        self.limit = limit
    }

    mutating func begin(_ headers: HTTPHeaders) throws {
        decoder = try ContentDecoder(headers)
    }

    /// Whether the bytes are as the server sent them, so that their length is the announced one.
    var isPlain: Bool { decoder == nil }

    /// Whether what has arrived waits for room to be unpacked to.
    var isBehind: Bool { decoder?.hasMore == true }

    /// Whether the body has come to its end, if it ends here.
    var isComplete: Bool { decoder?.isComplete != false }

    private var hasRoom: Bool {
        if let pipe { return pipe.room == .open }
        return limit != nil || body.count < BodyPipe.capacity
    }

    /// Takes bytes from the network; `false` if they have to come again when there is room.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
        guard !isBehind, hasRoom else { return false }
        wireBytes += Int64(bytes.count)
        if let decoder {
            decoder.append(bytes)
            try unpack()
        } else {
            try keep(Data(bytes))
        }
        return true
    }

    /// Unpacks what has arrived, as far as there is room.
    mutating func unpack() throws {
        while isBehind, hasRoom {
            if let piece = try decoder?.next() { try keep(piece) }
        }
    }

    private mutating func keep(_ piece: Data) throws {
        if let pipe { return pipe.receive(piece, wireBytes: wireBytes) }
        if let limit, piece.count > limit - body.count { throw TransportBody.tooLarge(limit) }
        if body.isEmpty { body = piece } else { body.append(piece) }
    }

    /// Passes everything on to a pipe from here on.
    mutating func flow(to pipe: BodyPipe) {
        if !body.isEmpty { pipe.receive(body, wireBytes: wireBytes) }
        body = Data()
        self.pipe = pipe
        // A pipe that has been asked in vain tells when there is room again.
        _ = pipe.room
    }

    /// Ends what flows on.
    func finish(throwing error: (any Error)? = nil) {
        pipe?.finish(throwing: error)
    }
}
#endif
