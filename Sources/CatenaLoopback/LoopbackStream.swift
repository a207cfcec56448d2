import Catena
import CatenaPromise
package import Foundation

/// The body of a response that is written while it goes out, for as long as its client stays: server-sent events, for instance.
///
/// What a slow client has not taken yet is bounded; what has no room is refused, and its writer decides what becomes of it.
package final class LoopbackStream: Sendable {
    private struct State {
        var waiting: [Data] = []
        var bytes = 0
        /// Nothing more is written.
        var isFinished = false
        /// Nothing more goes out.
        var isOver = false
        var wake: (@Sendable () -> Void)?
    }

    private let limit: Int
    private let whenOver: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: How many bytes may wait for the client.
    ///   - whenOver: Is told once that the client has gone, or has everything; on the server's thread, which it must not block.
    package init(limit: Int = 4 << 20, whenOver: @escaping @Sendable () -> Void = {}) {
        self.limit = limit
        self.whenOver = whenOver
    }

    /// How many bytes wait for the client.
    package var waitingBytes: Int { state.withLock { $0.bytes } }

    /// Adds bytes to the body; `false` if there is no room for them, or nobody who takes them any more.
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

    /// Ends the body behind what was added until now.
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

    // MARK: The server's side

    var isOver: Bool { state.withLock { $0.isOver } }

    /// What goes out next, as a chunk (RFC 9112 §7.1); `nil` if there is nothing now, and then `wake` is called once when there is.
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

    /// Takes it that the client has gone.
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

extension LoopbackResponse {
    /// A response whose body is written later.
    package static func streaming(_ stream: LoopbackStream, contentType: String) -> Self {
        var response = Self(headers: ["Content-Type": contentType])
        response.stream = stream
        return response
    }
}
