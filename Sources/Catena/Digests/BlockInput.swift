/// Cuts a message into the blocks of 64 bytes on which MD5 works, and pads the last one (RFC 1321 §3.1, §3.2).
struct BlockInput<State> {
    private static var blockSize: Int { 64 }

    private let compress: (inout State, UnsafeRawBufferPointer) -> Void
    private(set) var state: State
    /// The bytes of a block that is not full yet.
    private var pending: [UInt8] = []
    private var length: UInt64 = 0

    init(_ state: State, _ compress: @escaping (inout State, UnsafeRawBufferPointer) -> Void) {
        self.state = state
        self.compress = compress
        pending.reserveCapacity(Self.blockSize)
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        length += UInt64(bytes.count)
        var rest = bytes[...]
        if !pending.isEmpty {
            let missing = rest.prefix(Self.blockSize - pending.count)
            pending.append(contentsOf: missing)
            rest = rest.dropFirst(missing.count)
            guard pending.count == Self.blockSize else { return }
            let block = pending
            pending.removeAll()
            block.withUnsafeBytes { compress(&state, $0) }
        }
        while rest.count >= Self.blockSize {
            compress(&state, UnsafeRawBufferPointer(rebasing: rest.prefix(Self.blockSize)))
            rest = rest.dropFirst(Self.blockSize)
        }
        pending.append(contentsOf: rest)
    }

    /// Ends the message: a one bit, zeros, and the length in bits.
    mutating func finish() {
        let bits = length << 3
        var padding: [UInt8] = [0x80]
        let used = (pending.count + 1) % Self.blockSize
        padding += repeatElement(0, count: (used <= 56 ? 56 : 120) - used)
        withUnsafeBytes(of: bits.littleEndian) { padding += $0 }
        padding.withUnsafeBytes { update($0) }
    }
}

extension Collection<UInt8> {
    /// Lends the bytes in one piece.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) } ?? Array(self).withUnsafeBytes(body)
    }
}
