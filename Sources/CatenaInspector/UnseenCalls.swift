import Catena

/// The newest calls that failed while no page was open, within limits of number and memory.
struct UnseenCalls: Sendable {
    private struct Slot: Sendable {
        let call: FailedCall
        let size: Int
    }

    private let most: Int
    private let mostBytes: Int
    private var slots: [Slot] = []
    private var bytes = 0
    /// The number of calls that were removed for newer ones.
    private var missed = 0

    init(most: Int, bytes: Int) {
        (self.most, mostBytes) = (max(most, 1), bytes)
    }

    /// Adds a call, and returns the calls that are removed for it.
    mutating func add(_ call: FailedCall, size: Int) -> [FailedCall] {
        slots.append(Slot(call: call, size: size))
        bytes += size
        var count = 0
        while slots.count - count > most || (bytes > mostBytes && slots.count - count > 1) {
            bytes -= slots[count].size
            count += 1
        }
        if count == 0 { return [] }
        let gone = slots.prefix(count).map(\.call)
        slots.removeFirst(count)
        missed += count
        return gone
    }

    /// Removes and returns all calls, the newest last, and the number of calls that were removed before.
    mutating func take() -> (calls: [FailedCall], missed: Int) {
        defer { (slots, bytes, missed) = ([], 0, 0) }
        return (slots.map(\.call), missed)
    }
}
