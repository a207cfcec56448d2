#if os(Linux) && canImport(Glibc)
import CCurl
import CatenaPlatform

/// A request body that is read while it is sent. Used on the loop's thread only.
struct CurlUpload {
    private let source: BodySource
    /// The announced length, or `nil` if it is unknown or 0.
    let length: Int64?
    private let onBytes: @Sendable () -> Void
    private let onFailure: @Sendable (any Error) -> Void
    /// The pump, or `nil` until libcurl asks for the first bytes.
    private var pump: UploadPump?
    /// The bytes taken from the pump but not copied to libcurl yet.
    private var pieces: ArraySlice<Data> = []
    /// The number of bytes of the first piece that have been copied.
    private var position = 0
    /// Whether libcurl reads no more until the loop notifies it of more bytes.
    private(set) var isPaused = false
    /// Whether libcurl has read the whole body, and the zero that ends it. It reads no zero after a body of known length.
    private(set) var isAtEnd = false

    init(_ source: BodySource, onBytes: @escaping @Sendable () -> Void, onFailure: @escaping @Sendable (any Error) -> Void) {
        self.source = source
        // libcurl reads the end of an empty body, as of one of unknown length.
        length = source.length.flatMap { $0 > 0 ? $0 : nil }
        self.onBytes = onBytes
        self.onFailure = onFailure
    }

    /// Fills libcurl's buffer. Returns the number of bytes, zero at the end, or libcurl's code for pausing.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var filled = 0
        while filled < buffer.count {
            guard let piece = pieces.first else {
                switch running().take(awaiting: filled == 0) {
                case .pieces(let taken):
                    pieces = taken[...]
                    continue
                case .end:
                    isAtEnd = filled == 0
                    return filled
                case .wait:
                    isPaused = filled == 0
                    return isPaused ? CurlLibrary.pauseReading : filled
                }
            }
            let count = min(piece.count - position, buffer.count - filled)
            piece.withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: bytes[position..<position + count]))
            }
            filled += count
            position += count
            if position == piece.count {
                pieces.removeFirst()
                position = 0
            }
        }
        return filled
    }

    private mutating func running() -> UploadPump {
        if let pump { return pump }
        let started = UploadPump(source, onBytes: onBytes, onFailure: onFailure)
        pump = started
        started.start()
        return started
    }

    /// Rewinds to the first byte. Returns `false` if the body cannot be read again.
    mutating func rewind() -> Bool {
        guard pump != nil else { return true }
        guard source.isReplayable else { return false }
        stop()
        return true
    }

    /// Records that libcurl continues to read, and returns whether it was paused.
    mutating func willResume() -> Bool {
        defer { isPaused = false }
        return isPaused
    }

    mutating func stop() {
        pump?.stop()
        pump = nil
        pieces = []
        position = 0
        isPaused = false
        isAtEnd = false
    }
}

extension CurlHandle {
    /// Sets a body that libcurl reads while it sends. A body of unknown length is sent in chunks over HTTP/1.1, and in frames over HTTP/2.
    func setUpload(_ source: BodySource, method: HTTPMethod) throws {
        try set(.upload, 1)
        try set(.uploadBufferSize, CurlLibrary.uploadBufferSize)
        // -1 means an unknown length. It also stands for 0, because libcurl would then never read the stream, and not detect that it is
        // longer than announced.
        try set(.uploadSize, source.length.flatMap { $0 > 0 ? $0 : nil } ?? -1)
        try set(.customMethod, method.name)
    }
}

extension CurlCallbacks {
    static func attachUpload(to handle: CurlHandle, transfer: UnsafeMutableRawPointer) throws {
        try handle.set(.readContext, UnsafeRawPointer(transfer))
        try handle.set(.seekContext, UnsafeRawPointer(transfer))
        try handle.set(.readCallback, data: read)
        try handle.set(.seekCallback, seek: seek)
    }

    private static let read: CurlDataCallback = { bytes, size, count, context in
        guard let context else { return CurlLibrary.abortReading }
        let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
        return transfer(context).readBody(into: buffer)
    }

    /// Rewinds the body. libcurl seeks only to the start, before it sends a request again.
    private static let seek: CurlSeekCallback = { context, offset, origin in
        guard let context, offset == 0, origin == 0 else { return 1 }
        return transfer(context).rewindBody() ? 0 : 1
    }
}
#endif
