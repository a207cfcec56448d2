import CatenaPlatform

/// The bytes that a connection has received but not read yet.
struct ServerInput {
    private var bytes: [UInt8] = []
    private var start = 0

    var count: Int { bytes.count - start }

    mutating func append(_ received: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: received)
    }

    /// Removes and returns the first `count` bytes, or all if there are fewer.
    mutating func take(_ count: Int) -> Data {
        let taken = Data(bytes[start..<start + min(count, self.count)])
        skip(taken.count)
        return taken
    }

    /// Discards the first `count` bytes, or all if there are fewer. Returns their number.
    @discardableResult
    mutating func skip(_ count: Int) -> Int {
        let skipped = min(count, self.count)
        start += skipped
        if start == bytes.count {
            bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 20)
            start = 0
        } else if start > 1 << 16 {
            bytes.removeFirst(start)
            start = 0
        }
        return skipped
    }

    /// Returns the number of bytes up to and including the next line feed, searched from an offset, or `nil` if there is none yet.
    func lineLength(from offset: Int = 0) -> Int? {
        bytes.withUnsafeBytes { buffer in
            let from = start + offset
            guard from < buffer.count, let base = buffer.baseAddress,
                let found = memchr(base + from, 0x0A, buffer.count - from)
            else { return nil }
            return UnsafeRawPointer(found) - base - start + 1
        }
    }
}
