#if os(Linux) && canImport(Glibc)
import CatenaPlatform

/// Memory for bodies of known length. A block is used again after the last copy of its `Data` has been released.
///
/// `malloc` returns freed blocks of this size to the system. The next body would then take a page fault for each 4 KB, 25 for 100 KB.
///
/// The proof for the unsafe code: each block has one owner at a time. `take` removes it from the list and gives it to a `Data`, whose
/// deallocator returns it. Foundation calls a deallocator once, after the last use. A block is freed only after it has left the list.
final class BodyMemory: Sendable {
    private struct Block {
        // A number, because a pointer is not `Sendable`.
        let address: UInt
        let size: Int

        var pointer: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: address) }
    }

    private struct State {
        /// The free blocks, the one released last at the end.
        var blocks: [Block] = []
        var bytes = 0
    }

    static let shared = BodyMemory(limit: 4 << 20)

    /// The maximum number of free bytes to keep.
    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = limit
    }

    deinit {
        for block in state.withLock({ $0.blocks }) { block.pointer?.deallocate() }
    }

    /// The number of free blocks.
    var freeBlocks: Int { state.withLock { $0.blocks.count } }

    /// Returns memory for at least this number of bytes, which have no defined values yet.
    func take(_ length: Int) -> BodyBlock {
        // `Data` copies a few bytes into itself, and would give their block back at once.
        let length = max(length, 1024)
        let found = state.withLock { state -> Block? in
            // The block released last is the most likely to be in the processor's cache. A much larger one would waste memory as long as the body lives.
            guard let index = state.blocks.lastIndex(where: { length...length + length / 4 ~= $0.size }) else { return nil }
            state.bytes -= state.blocks[index].size
            return state.blocks.remove(at: index)
        }
        let size = found?.size ?? length
        let pointer = found?.pointer ?? .allocate(byteCount: size, alignment: 16)
        let memory = Data(
            bytesNoCopy: pointer, count: size,
            deallocator: .custom { [self] pointer, _ in give(back: Block(address: UInt(bitPattern: pointer), size: size)) })
        return BodyBlock(memory: memory, start: pointer)
    }

    private func give(back block: Block) {
        let surplus = state.withLock { state -> [Block] in
            state.blocks.append(block)
            state.bytes += block.size
            var surplus: [Block] = []
            while state.bytes > limit {
                let oldest = state.blocks.removeFirst()
                state.bytes -= oldest.size
                surplus.append(oldest)
            }
            return surplus
        }
        for block in surplus { block.pointer?.deallocate() }
    }
}

/// A body that is being received into one block of memory.
///
/// The proof for the unsafe code: `memory` keeps the bytes at `start` alive, and nothing reads them before `body` is requested.
struct BodyBlock {
    fileprivate let memory: Data
    fileprivate let start: UnsafeMutableRawPointer
    private(set) var count = 0

    /// The received bytes. A body that ended early is a copy, because it would keep the whole block.
    var body: Data { count < memory.count / 4 * 3 ? Data(memory.prefix(count)) : memory.prefix(count) }

    /// Adds bytes. Returns `false` if there is no room for them.
    mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= memory.count - count else { return false }
        if let source = bytes.baseAddress { (start + count).copyMemory(from: source, byteCount: bytes.count) }
        count += bytes.count
        return true
    }
}
#endif
