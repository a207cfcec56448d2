import Catena
package import CatenaPlatform
import CatenaPromise

/// A response body that is written while it is sent, as long as the client stays connected, for example server-sent events.
///
/// Bytes that a slow client has not received are bounded. Bytes beyond the limit are refused, and the writer decides what to do with them.
package final class LoopbackStream: Sendable {
    private struct State {
        var waiting: [Data] = []
        var bytes = 0
        /// Whether the writer has finished.
        var isFinished = false
        /// Whether no more bytes are sent.
        var isOver = false
        var wake: (@Sendable () -> Void)?
    }

    private let limit: Int
    private let whenOver: @Sendable () -> Void
    private let state = Mutex(State())

    /// Creates a stream.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes that wait for the client.
    ///   - whenOver: Called once when the client has disconnected or has received everything. It runs on the server's thread and must not block.
    package init(limit: Int = 4 << 20, whenOver: @escaping @Sendable () -> Void = {}) {
        self.limit = limit
        self.whenOver = whenOver
    }

    /// The number of bytes that wait for the client.
    package var waitingBytes: Int { state.withLock { $0.bytes } }

    /// Adds bytes to the body. Returns `false` if there is no room for them, or if the body has ended.
    @discardableResult
    package func send(_ piece: Data) -> Bool {
        guard !piece.isEmpty else { return true }
        return change { state in
            guard !state.isFinished, !state.isOver, state.bytes + piece.count <= limit else { return false }
            state.waiting.append(piece)
            state.bytes += piece.count
            return true
        }
    }

    /// Ends the body after the bytes added so far.
    package func finish() {
        change { state in
            state.isFinished = true
            return true
        }
    }

    @discardableResult
    private func change(_ change: (inout State) -> Bool) -> Bool {
        let (isDone, wake) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            guard change(&state) else { return (false, nil) }
            defer { state.wake = nil }
            return (true, state.wake)
        }
        wake?()
        return isDone
    }

    // MARK: Server side

    var isOver: Bool { state.withLock { $0.isOver } }

    /// Returns the next chunk (RFC 9112 §7.1). Returns `nil` if there is none yet, and then calls `wake` once when there is.
    func take(orElse wake: @escaping @Sendable () -> Void) -> Data? {
        let (chunk, isLast) = state.withLock { state -> (Data?, Bool) in
            if !state.waiting.isEmpty {
                let body = state.waiting.reduce(into: Data()) { $0.append($1) }
                state.waiting = []
                state.bytes = 0
                return (Data((String(body.count, radix: 16) + "\r\n").utf8) + body + Data("\r\n".utf8), false)
            }
            guard state.isFinished else {
                state.wake = wake
                return (nil, false)
            }
            let isFirst = !state.isOver
            state.isOver = true
            return (Data("0\r\n\r\n".utf8), isFirst)
        }
        if isLast { whenOver() }
        return chunk
    }

    /// Notes that the client has disconnected.
    func close() {
        let isFirst = state.withLock { state in
            defer {
                state.isOver = true
                state.waiting = []
                state.bytes = 0
                state.wake = nil
            }
            return !state.isOver
        }
        if isFirst { whenOver() }
    }
}
