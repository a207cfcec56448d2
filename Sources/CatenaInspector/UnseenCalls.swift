import Catena

/// The failed calls that nobody watched: the newest so many, with so many bytes of bodies.
struct UnseenCalls: Sendable {
    private struct Slot: Sendable {
        let call: FailedCall
        let size: Int
    }

    private let most: Int
    private let mostBytes: Int
    private var slots: [Slot] = []
    private var bytes = 0
    /// How many have gone for newer ones.
    private var missed = 0

    init(most: Int, bytes: Int) {
        (self.most, mostBytes) = (max(most, 1), bytes)
    }

    /// Puts a call behind the others, and gives those that have to go for it.
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

    /// Gives the calls, the newest last, and how many have gone before them.
    mutating func take() -> (calls: [FailedCall], missed: Int) {
        defer { (slots, bytes, missed) = ([], 0, 0) }
        return (slots.map(\.call), missed)
    }
}
