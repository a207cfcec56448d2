import CatenaPlatform

/// Reads a body in its own task, slightly ahead of the transport that sends it.
///
/// The transport never waits: it takes the available bytes, and is notified when there are more.
final class UploadPump: Sendable {
    fileprivate struct State {
        var buffer = UploadBuffer()
        /// The continuation of the reading task while it waits for the transport.
        var reader: UnsafeContinuation<Void, Never>?
        /// The number of remaining bytes below which the task continues reading.
        var level = 0
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let source: BodySource
    private let onBytes: @Sendable () -> Void
    private let onFailure: @Sendable (any Error) -> Void

    /// - Parameters:
    /// - onBytes: Called when bytes are available after the transport found none.
    ///  - onFailure: Called when the body cannot be read to its end.
    init(_ source: BodySource, onBytes: @escaping @Sendable () -> Void, onFailure: @escaping @Sendable (any Error) -> Void) {
        self.source = source
        self.onBytes = onBytes
        self.onFailure = onFailure
    }

    // MARK: The transport's side

    func start() {
        // Under the lock, so that `stop()` finds the task.
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

    /// Ends the reading and closes the open files and streams.
    func stop() {
        let (reader, task) = state.withLock { state in
            state.buffer.close()
            return (state.readerThatMayGoOn(), state.task.take())
        }
        reader?.resume()
        // Cancel in another task, because cancellation handlers may run slow code of the app.
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

    /// Waits until fewer than `level` bytes remain for the transport. Returns `false` if the transport wants no more.
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
        // The transport may have taken everything and stopped the pump before the reading ends. Report the bytes in this case too.
        if !isClosed || left == 0 { source.onSent?(taken, source.length) }
        return !isClosed
    }
}

extension UploadPump.State {
    fileprivate mutating func readerThatMayGoOn() -> UnsafeContinuation<Void, Never>? {
        buffer.isClosed || buffer.count < level ? reader.take() : nil
    }
}

/// The bytes of a body between the reading task and the sending transport. Pure.
struct UploadBuffer {
    /// The result of `take(awaiting:)`.
    enum Taking: Equatable {
        case pieces([Data])
        /// No bytes are available yet.
        case wait
        case end
    }

    /// The number of bytes that may wait before the reading pauses. The transport may hold as many again.
    static let room = 512 * 1024
    /// The length up to which pieces are joined, because each piece has a cost.
    private static let shortest = 16 * 1024

    private var pieces: [Data] = []
    private(set) var count = 0
    /// The number of bytes added so far.
    private(set) var total: Int64 = 0
    private(set) var isClosed = false
    private var isComplete = false
    private var isAwaited = false

    var isFull: Bool { count >= Self.room }

    /// The number of bytes that the transport has taken.
    var taken: Int64 { total - Int64(count) }

    /// Adds bytes, and returns whether the transport waits for them.
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

    /// Marks the body as complete, and returns whether the transport waits for this.
    ///
    /// Has no effect after ``close()``: a cancelled stream ends like a complete one, and a truncated body must not look whole.
    mutating func finish() -> Bool {
        guard !isClosed else { return false }
        isComplete = true
        return stopAwaiting()
    }

    /// Takes all available bytes.
    ///
    /// - Parameter awaiting: Whether the transport waits if there are none.
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

    /// Discards the remaining bytes and accepts no more.
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
