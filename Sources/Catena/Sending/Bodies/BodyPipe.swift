package import CatenaPlatform

/// Passes a body from a transport's callbacks to the task that reads it.
///
/// A state machine behind a lock: every change returns its effects, which are performed after the lock is released.
package final class BodyPipe: Sendable {
    fileprivate enum Ending {
        case complete
        case failed(any Error)
    }

    fileprivate struct State {
        var received = Data()
        /// The number of bytes received over the wire so far, before decompression, or `nil` if the transport does not report it.
        var wireBytes: Int64?
        /// The number of bytes that may be received before the reader fails. The reader sets it.
        var limit = Int.max
        var ending: Ending?
        /// Whether the transport waits for the reader to catch up.
        var isFull = false
        var isCollecting = false
        /// Whether the reader takes the available bytes instead of waiting for the end.
        var isReadingPieces = false
        var reader: UnsafeContinuation<Result<Data, any Error>, Never>?
        var stop: (@Sendable () -> Void)?
        var resume: (@Sendable () -> Void)?
        /// Whether the reader has received the end, or the body has been stopped.
        var isOver = false
        /// The actions to perform when `isOver` becomes true.
        var whenOver: [@Sendable () -> Void] = []
    }

    /// The number of bytes that may wait for the reader before the transfer pauses. It also roughly bounds a piece that the
    /// reader receives.
    static let capacity = 1024 * 1024

    /// The pipe's readiness for another piece.
    enum Room {
        case open
        /// The transfer pauses until `resume` is called.
        case full
        /// The body has ended; the pipe ignores further pieces.
        case closed
    }

    /// The effects of a change of state, performed after the lock is released.
    fileprivate struct Effects: Sendable {
        var reader: UnsafeContinuation<Result<Data, any Error>, Never>?
        var result: Result<Data, any Error>?
        var stop: (@Sendable () -> Void)?
        var resume: (@Sendable () -> Void)?
        var whenOver: [@Sendable () -> Void] = []

        init() {}

        /// Fails a second reader, because a body has one reader at a time.
        init(turningAway second: UnsafeContinuation<Result<Data, any Error>, Never>) {
            reader = second
            result = .failure(APIError.invalid("stream", "the body is being read by somebody else already"))
        }

        func perform() {
            stop?()
            resume?()
            for action in whenOver { action() }
            if let reader, let result { reader.resume(returning: result) }
        }
    }

    private let state: Mutex<State>

    package init(stop: @escaping @Sendable () -> Void, resume: @escaping @Sendable () -> Void = {}) {
        state = Mutex(State(stop: stop, resume: resume))
    }

    /// Makes a pipe with a whole body.
    init(_ data: Data) {
        state = Mutex(State(received: data, ending: .complete))
    }

    // MARK: The transport's side

    /// The pipe's readiness for another piece. The transport checks it before each piece.
    var room: Room {
        state.withLock { state in
            if state.ending != nil { return .closed }
            state.isFull = !state.isCollecting && state.received.count >= Self.capacity
            return state.isFull ? .full : .open
        }
    }

    /// - Parameter wireBytes: The number of bytes received over the wire so far, if the transport knows it.
    package func receive(_ piece: Data, wireBytes: Int64? = nil) {
        state.withLock { state in
            guard state.ending == nil else { return Effects() }
            if let wireBytes { state.wireBytes = wireBytes }
            if state.received.isEmpty { state.received = piece } else { state.received.append(piece) }
            return state.isReadingPieces ? state.handOver() : state.exceedsLimit()
        }.perform()
    }

    package func finish(throwing error: (any Error)? = nil) {
        state.withLock { state in
            guard state.ending == nil else { return Effects() }
            return state.end(error.map { .failed($0) } ?? .complete)
        }.perform()
    }

    // MARK: The reader's side

    /// The number of bytes received over the wire for the body so far, or `nil` if the transport does not report it.
    var wireBytes: Int64? { state.withLock { $0.wireBytes } }

    /// Ends a body that has not ended yet, and stops the transfer. A cancellation also discards a whole body that has arrived but is still to be
    /// read.
    func stop(with error: any Error) {
        state.withLock { state in
            guard state.ending == nil else {
                if !state.isOver, error is CancellationError {
                    state.ending = .failed(error)
                    state.received = Data()
                }
                var effects = Effects()
                effects.whenOver = state.over()
                return effects
            }
            return state.end(.failed(error), stopping: true)
        }.perform()
    }

    /// Performs an action when the reader has received the end or the body has been stopped. A body that has arrived but is still to be
    /// read is not over.
    func whenOver(_ action: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.isOver { state.whenOver.append(action) }
            return state.isOver
        }
        if isOver { action() }
    }

    /// Waits for the next bytes; returns `nil` at the end. Cancelling the task stops the transfer.
    func next() async throws -> Data? {
        let piece = try await wait { state in
            state.isReadingPieces = true
            return state.handOver()
        }
        return piece.isEmpty ? nil : piece
    }

    /// Waits for the end of the body; throws if it has more than `limit` bytes. Cancelling the task stops the transfer.
    func collect(limit: Int) async throws -> Data {
        try await wait { state in
            state.limit = limit
            state.isCollecting = true
            guard let ending = state.ending else { return state.caughtUp(state.exceedsLimit()) }
            if case .complete = ending, state.received.count > limit {
                return state.end(.failed(TransportBody.tooLarge(limit)))
            }
            return state.end(ending)
        }
    }

    /// Waits for a result as the only reader.
    private func wait(_ begin: (inout State) -> Effects) async throws -> Data {
        try await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                state.withLock { state in
                    guard state.reader == nil else { return Effects(turningAway: continuation) }
                    state.reader = continuation
                    return begin(&state)
                }.perform()
            }
        } onCancel: {
            stop(with: CancellationError())
        }.get()
    }
}

extension BodyPipe.State {
    /// Adds the effect that resumes a transfer that waits for the reader.
    fileprivate mutating func caughtUp(_ effects: BodyPipe.Effects) -> BodyPipe.Effects {
        guard isFull, ending == nil else { return effects }
        isFull = false
        var effects = effects
        effects.resume = resume
        return effects
    }

    fileprivate mutating func exceedsLimit() -> BodyPipe.Effects {
        received.count > limit ? end(.failed(TransportBody.tooLarge(limit)), stopping: true) : BodyPipe.Effects()
    }

    /// Returns the available bytes, or the end, for a reader of pieces.
    fileprivate mutating func handOver() -> BodyPipe.Effects {
        guard let reader else { return BodyPipe.Effects() }
        if received.isEmpty { return ending.map { end($0) } ?? BodyPipe.Effects() }
        self.reader = nil
        var effects = BodyPipe.Effects()
        effects.reader = reader
        effects.result = .success(received)
        received = Data()
        return caughtUp(effects)
    }

    /// Marks the pipe as over, and returns the actions that waited for this.
    fileprivate mutating func over() -> [@Sendable () -> Void] {
        isOver = true
        defer { whenOver = [] }
        return whenOver
    }

    /// Ends the body, and resumes the reader if there is one.
    fileprivate mutating func end(_ ending: BodyPipe.Ending, stopping: Bool = false) -> BodyPipe.Effects {
        self.ending = ending
        var effects = BodyPipe.Effects()
        if stopping { effects.stop = stop }
        if stopping || reader != nil { effects.whenOver = over() }
        stop = nil
        resume = nil
        guard let reader else { return effects }
        self.reader = nil
        effects.reader = reader
        switch ending {
        case .complete: effects.result = .success(received)
        case .failed(let error): effects.result = .failure(error)
        }
        received = Data()
        return effects
    }
}
