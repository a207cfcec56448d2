/// Finds the end of a chunked body (RFC 9112 §7.1) in the bytes of the connection. Pure.
///
/// libcurl decodes the chunks. But it waits after the last one if the request's body is not yet sent or the final line break is missing.
struct ChunkEndReader {
    private enum State {
        case size, sizeLineEnd, data(Int), dataLineEnd
        /// At the beginning of a line after the last chunk.
        case trailerStart
        case trailer, complete, malformed
    }

    private var state = State.size
    private var size = 0
    private var digits = 0

    private var hasTrailers = false

    /// Whether the end has been read: the last chunk, any trailers and the blank line.
    var isComplete: Bool {
        if case .complete = state { return true }
        return false
    }

    /// Whether the last chunk has been read and at most the blank line is missing.
    var hasLastChunk: Bool {
        if case .trailerStart = state { return !hasTrailers }
        return isComplete
    }

    mutating func read(_ bytes: UnsafeRawBufferPointer) {
        var position = 0
        while position < bytes.count {
            if case .data(let left) = state {
                let skipped = min(left, bytes.count - position)
                position += skipped
                state = skipped == left ? .dataLineEnd : .data(left - skipped)
                continue
            }
            guard take(bytes[position]) else { return }
            position += 1
        }
    }

    /// Reads a byte of the framing, and returns whether there is more to read.
    private mutating func take(_ byte: UInt8) -> Bool {
        switch state {
        case .size:
            guard let digit = PercentDecoding.hexValue(byte) else {
                guard digits > 0 else { return end(.malformed) }
                state = .sizeLineEnd
                return take(byte)
            }
            digits += 1
            // A size of more than 15 hexadecimal digits overflows an `Int`, so the chunk is malformed.
            guard digits <= 15 else { return end(.malformed) }
            size = size << 4 | Int(digit)
        // Ignore extensions of a chunk.
        case .sizeLineEnd:
            guard byte == 0x0A else { return true }
            if size == 0 {
                state = .trailerStart
                return true
            }
            state = .data(size)
            (size, digits) = (0, 0)
        case .dataLineEnd: if byte == 0x0A { state = .size } else if byte != 0x0D { return end(.malformed) }
        case .trailerStart:
            if byte == 0x0A { return end(.complete) }
            guard byte != 0x0D else { return true }
            hasTrailers = true
            state = .trailer
        case .trailer: if byte == 0x0A { state = .trailerStart }
        case .data, .complete, .malformed: return false
        }
        return true
    }

    private mutating func end(_ state: State) -> Bool {
        self.state = state
        return false
    }
}
