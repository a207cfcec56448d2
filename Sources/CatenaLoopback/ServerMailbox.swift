import CatenaPlatform
import CatenaPromise

/// Passes messages from other threads to the server's thread, and wakes its `poll` through a pipe.
final class ServerMailbox: Sendable {
    enum Message: Sendable {
        case stop
        /// The gate at which the connection waits has opened.
        case resume(connection: Int)
        /// The asynchronous handler has returned a response.
        case answer(connection: Int, StubReply)
    }

    private struct Contents {
        var messages: [Message] = []
        var isClosed = false
    }

    /// A descriptor that is readable while messages wait.
    let wakeDescriptor: Int32
    private let writeDescriptor: Int32
    private let contents = Mutex(Contents())

    init() throws(LoopbackServer.StartError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw LoopbackServer.StartError(operation: "pipe") }
        ends.forEach(ServerSocket.makeNonBlocking)
        wakeDescriptor = ends[0]
        writeDescriptor = ends[1]
    }

    deinit {
        close()
    }

    func post(_ message: Message) {
        contents.withLock { contents in
            // The descriptors are closed under this lock too, so that a late message cannot write to a reused one.
            guard !contents.isClosed else { return }
            contents.messages.append(message)
            if contents.messages.count == 1 {
                var signal: UInt8 = 1
                _ = write(writeDescriptor, &signal, 1)
            }
        }
    }

    /// Removes and returns all messages.
    func take() -> [Message] {
        contents.withLock { contents in
            guard !contents.messages.isEmpty else { return [] }
            var signal: UInt8 = 0
            _ = read(wakeDescriptor, &signal, 1)
            defer { contents.messages = [] }
            return contents.messages
        }
    }

    /// Closes the pipe. Later messages are dropped.
    func close() {
        contents.withLock { contents in
            guard !contents.isClosed else { return }
            contents.isClosed = true
            contents.messages = []
            for descriptor in [wakeDescriptor, writeDescriptor] {
                ServerSocket(descriptor: descriptor).close()
            }
        }
    }
}
