import Foundation

/// Reads a body in a task of its own, a little ahead of the transport that sends it.
///
/// The transport never waits: it takes what is there, and is called when there is more.
final class UploadPump: Sendable {
    fileprivate struct State {
        var buffer = UploadBuffer()
        /// The reading task, while it waits for the transport.
        var reader: UnsafeContinuation<Void, Never>?
        /// How few bytes may be left for the reading to go on.
        var level = 0
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let source: BodySource
    private let onBytes: @Sendable () -> Void
    private let onFailure: @Sendable (any Error) -> Void

    /// - Parameters:
    ///   - onBytes: called when there is something after the transport found nothing.
    ///   - onFailure: called when the body cannot be read to its end.
    init(_ source: BodySource, onBytes: @escaping @Sendable () -> Void, onFailure: @escaping @Sendable (any Error) -> Void) {
        self.source = source
        self.onBytes = onBytes
        self.onFailure = onFailure
    }

    // MARK: The transport's side

    func start() {
        // Under the lock, so that whoever stops it finds it.
        state.withLock { state in state.task = Task { [self] in await run() } }
    }

    func take(awaiting: Bool) -> UploadBuffer.Taking {
        let (taking, reader) = state.withLock { state in
            let taking = state.buffer.take(awaiting: awaiting)
            return (taking, state.readerThatMayGoOn())
        }
        reader?.resume()
        return taking
    }

    /// Ends the reading and closes what is open.
    func stop() {
        let (reader, task) = state.withLock { state in
            state.buffer.close()
            return (state.readerThatMayGoOn(), state.task.take())
        }
        reader?.resume()
        // Not here: what is told of a cancellation may be anybody's code, and may take its time.
        if let task { Task { task.cancel() } }
    }

    // MARK: The reader's side

    private func run() async {
        do {
            for try await piece in source {
                let isAwaited = state.withLock { $0.buffer.put(piece) }
                if isAwaited { onBytes() }
                guard await isBelow(UploadBuffer.room) else { return }
            }
            let isAwaited = state.withLock { $0.buffer.finish() }
            if isAwaited { onBytes() }
            if source.onSent != nil { _ = await isBelow(1) }
        } catch {
            if !state.withLock({ $0.buffer.isClosed }) { onFailure(error) }
        }
    }

    /// Waits until fewer bytes than `level` are left for the transport; `false` if it wants no more.
    private func isBelow(_ level: Int) async -> Bool {
        if state.withLock({ $0.buffer.count >= level && !$0.buffer.isClosed }) {
            await withUnsafeContinuation { continuation in
                let reader = state.withLock { state in
                    state.reader = continuation
                    state.level = level
                    return state.readerThatMayGoOn()
                }
                reader?.resume()
            }
        }
        let (isClosed, left, taken) = state.withLock { ($0.buffer.isClosed, $0.buffer.count, $0.buffer.taken) }
        // A transport that has all it needs may be done before this is.
        if !isClosed || left == 0 { source.onSent?(taken, source.length) }
        return !isClosed
    }
}

extension UploadPump.State {
    fileprivate mutating func readerThatMayGoOn() -> UnsafeContinuation<Void, Never>? {
        buffer.isClosed || buffer.count < level ? reader.take() : nil
    }
}

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
