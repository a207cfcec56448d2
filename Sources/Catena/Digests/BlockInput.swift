/// Cuts a message into the blocks of 64 bytes on which MD5 and SHA-256 work, and pads the last one (RFC 1321 §3.1, FIPS 180-4 §5.1.1).
struct BlockInput<State> {
    enum LengthOrder {
        case littleEndian, bigEndian
    }

    private static var blockSize: Int { 64 }

    /// Takes one block or several in one piece.
    private let process: (inout State, UnsafeRawBufferPointer) -> Void
    private let lengthOrder: LengthOrder
    private(set) var state: State
    /// The bytes of a block that is not full yet.
    private var pending: [UInt8] = []
    private var length: UInt64 = 0

    init(_ state: State, lengthOrder: LengthOrder, _ process: @escaping (inout State, UnsafeRawBufferPointer) -> Void) {
        self.state = state
        self.lengthOrder = lengthOrder
        self.process = process
        pending.reserveCapacity(Self.blockSize)
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        length &+= UInt64(bytes.count)
        var rest = bytes[...]
        if !pending.isEmpty {
            let missing = rest.prefix(Self.blockSize - pending.count)
            pending.append(contentsOf: missing)
            rest = rest.dropFirst(missing.count)
            guard pending.count == Self.blockSize else { return }
            pending.withUnsafeBytes { process(&state, $0) }
            pending.removeAll(keepingCapacity: true)
        }
        let whole = rest.count / Self.blockSize * Self.blockSize
        if whole > 0 { process(&state, UnsafeRawBufferPointer(rebasing: rest.prefix(whole))) }
        pending.append(contentsOf: rest.dropFirst(whole))
    }

    /// Ends the message: a one bit, zeros, and the length in bits.
    mutating func finish() {
        let bits = length &* 8
        var padding: [UInt8] = []
        padding.reserveCapacity(2 * Self.blockSize)
        padding.append(0x80)
        let used = (pending.count + 1) % Self.blockSize
        padding += repeatElement(0, count: (used <= 56 ? 56 : 120) - used)
        withUnsafeBytes(of: lengthOrder == .bigEndian ? bits.bigEndian : bits.littleEndian) { padding += $0 }
        padding.withUnsafeBytes { update($0) }
    }
}

extension Collection<UInt8> {
    /// Lends the bytes in one piece.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) } ?? Array(self).withUnsafeBytes(body)
    }
}
