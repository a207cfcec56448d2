import Foundation

/// The bytes of a body between the task that reads them and the transport that sends them. Pure.
struct UploadBuffer {
    /// What the transport gets.
    enum Taking: Equatable {
        case pieces([Data])
        /// Nothing yet.
        case wait
        case end
    }

    /// How many bytes may wait before the reading does. Once more as many may be in the transport's hands.
    static let room = 512 * 1024
    /// Pieces shorter than this are joined, since each costs a little.
    private static let shortest = 16 * 1024

    private var pieces: [Data] = []
    private(set) var count = 0
    /// How many bytes have been put in so far.
    private(set) var total: Int64 = 0
    private(set) var isClosed = false
    private var isComplete = false
    private var isAwaited = false

    var isFull: Bool { count >= Self.room }

    /// How many bytes the transport has taken.
    var taken: Int64 { total - Int64(count) }

    /// Adds bytes. Whether the transport waits for them.
    mutating func put(_ piece: Data) -> Bool {
        guard !isClosed, !piece.isEmpty else { return false }
        if let last = pieces.indices.last, pieces[last].count + piece.count <= Self.shortest {
            pieces[last].append(piece)
        } else {
            pieces.append(piece)
        }
        count += piece.count
        total += Int64(piece.count)
        return stopAwaiting()
    }

    /// Says that this was all. Whether the transport waits for it.
    ///
    /// Nothing after ``close()``: a stream that is cancelled ends like one that is read, and what is cut must not look whole.
    mutating func finish() -> Bool {
        guard !isClosed else { return false }
        isComplete = true
        return stopAwaiting()
    }

    /// Takes everything there is.
    ///
    /// - Parameter awaiting: Whether the transport waits if there is nothing.
    mutating func take(awaiting: Bool) -> Taking {
        guard pieces.isEmpty else {
            let taken = pieces
            pieces = []
            count = 0
            return .pieces(taken)
        }
        if isComplete { return .end }
        isAwaited = awaiting && !isClosed
        return .wait
    }

    /// Takes no more bytes and forgets those it has.
    mutating func close() {
        isClosed = true
        isAwaited = false
        pieces = []
    }

    private mutating func stopAwaiting() -> Bool {
        defer { isAwaited = false }
        return isAwaited
    }
}
