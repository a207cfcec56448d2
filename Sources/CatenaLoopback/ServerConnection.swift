import Catena
import CatenaPlatform
import CatenaPromise

/// Reads the requests of one connection, gets their responses and plays the scripts. Used only on the server's thread.
final class ServerConnection {
    private enum Phase {
        case reading
        /// An asynchronous handler is running.
        case answering(Task<Void, Never>)
        case playing
        /// The script is paused; only a message or the timer resumes it.
        case waiting
        /// The last bytes are sent; further input is discarded.
        case draining
        case ended
    }

    /// The maximum input read while a response is in progress; the kernel keeps the rest. A request that is being read has the server's limits.
    private static let inputBound = 65_536

    /// The time that a refused client has to disconnect.
    private static let drainTime: Duration = .seconds(2)

    let number: Int
    /// The time at which to call ``timerFired()``.
    private(set) var deadline: ContinuousClock.Instant?

    private let core: ServerCore
    private var channel: ServerChannel
    private var phase = Phase.reading
    private var input = ServerInput()
    private var parser: ServerRequestParser
    private var script = ServerScript([])
    /// The stream that writes the current body, if any.
    private var stream: LoopbackStream?
    private var unsent = Data()
    private var isBlocked = false
    private var omitsBody = false
    private var keepsAlive = true

    init(number: Int, socket: ServerSocket, core: ServerCore) {
        self.number = number
        self.core = core
        channel = ServerChannel(socket, identity: core.identity)
        parser = ServerRequestParser(limits: core.limits)
        deadline = core.limits.headTime.map { .now + $0 }
    }

    var hasEnded: Bool {
        if case .ended = phase { true } else { false }
    }

    /// Whether to read. Reading continues while a response is in progress, because only the end of the stream shows that the client has disconnected.
    var wantsToRead: Bool {
        switch phase {
        case .reading, .draining: true
        case .answering, .playing, .waiting, .ended: input.count < Self.inputBound
        }
    }

    var wantsToWrite: Bool { isBlocked || channel.hasOutgoing }

    func receive(through buffer: UnsafeMutableRawBufferPointer) {
        switch channel.receive(into: buffer) {
        case .blocked:
            return
        case .gone:
            end()
        case .bytes(let count):
            if case .draining = phase { return }
            input.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            if case .reading = phase { proceed() }
        }
    }

    func writable() {
        isBlocked = false
        if flush() { proceed() }
    }

    func timerFired() {
        deadline = nil
        switch phase {
        // The head did not arrive in time, or the client did not disconnect.
        case .reading, .draining: end()
        default: resume()
        }
    }

    func resume() {
        guard case .waiting = phase else { return }
        phase = .playing
        proceed()
    }

    func answer(_ reply: StubReply) {
        guard case .answering = phase else {
            reply.stream?.close()
            return
        }
        play(reply)
        proceed()
    }

    /// Closes the connection, unless it is closed already.
    func end(resetting: Bool = false) {
        if case .ended = phase { return }
        if case .answering(let task) = phase { task.cancel() }
        phase = .ended
        deadline = nil
        stream?.close()
        if resetting { channel.reset() } else { channel.close() }
        core.closed.increment()
    }

    private func proceed() {
        while true {
            switch phase {
            case .reading: if !readRequest() { return }
            case .playing: if !playStep() { return }
            case .answering, .waiting, .draining, .ended: return
            }
        }
    }

    /// Returns whether there is more to do now.
    private func readRequest() -> Bool {
        let outcome = parser.next(from: &input)
        if parser.isInHead, case .incomplete = outcome {
            if deadline == nil { deadline = core.limits.headTime.map { .now + $0 } }
        } else {
            deadline = nil
        }
        switch outcome {
        case .incomplete:
            return false
        case .head(let head):
            let request = request(head)
            // The closure is called outside the lock.
            guard let refusal = core.admission.withLock({ $0 })?(request) else { return true }
            let message = ServerMessage(refusal, omitsBody: false, closes: true)
            play(ServerScript([.send(message.head + message.body), .finishSession, .closeGently]))
        case .continueExpected:
            guard core.continues else { return false }
            play(ServerScript([.send(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8))]))
        case .refused(let refusal):
            let reply = StubReply.json(["error": refusal.reason], status: refusal.status)
            let message = ServerMessage(reply, omitsBody: false, closes: true)
            play(ServerScript([.send(message.head + message.body), .finishSession, .closeGently]))
        case .complete(let head, let body, let length):
            omitsBody = head.method == .head
            keepsAlive = head.keepsAlive
            handle(request(head, body, length))
        }
        return true
    }

    private func request(_ head: ServerRequestHead, _ body: Data = Data(), _ length: Int = 0) -> StubRequest {
        StubRequest(
            ServerRequest(
                method: head.method, target: head.target, path: head.path, headers: head.headers, body: body, bodyLength: length,
                head: head.bytes, connection: number, isTLS: core.identity != nil))
    }

    private func handle(_ request: StubRequest) {
        var request = request
        switch core.record(&request) {
        case nil:
            play(.json(["error": "no route", "method": request.method.name, "path": request.path], status: 404))
        case .immediate(let handler):
            do {
                play(try handler(request))
            } catch {
                play(Self.failure(error))
            }
        case .suspending(let handler):
            phase = .answering(Self.start(handler, for: request, reportingTo: core.mailbox))
        }
    }

    private static func start(
        _ handler: @escaping @Sendable (StubRequest) async throws -> StubReply, for request: StubRequest,
        reportingTo mailbox: ServerMailbox
    ) -> Task<Void, Never> {
        Task {
            let reply: StubReply
            do {
                reply = try await handler(request)
            } catch {
                reply = failure(error)
            }
            mailbox.post(.answer(connection: request.connection, reply))
        }
    }

    private static func failure(_ error: any Error) -> StubReply {
        .json(["error": "the handler threw: \(error)"], status: 500)
    }

    private func play(_ reply: StubReply) {
        stream = reply.stream
        play(ServerScript(reply, omitsBody: omitsBody, keepsAlive: keepsAlive))
    }

    private func play(_ script: ServerScript) {
        self.script = script
        phase = .playing
    }

    /// Returns whether there is more to do now.
    private func playStep() -> Bool {
        guard sendUnsent() else { return false }
        guard let step = script.next() else {
            phase = .reading
            return true
        }
        switch step {
        case .send(let data), .drip(let data, _), .repeated(let data, _):
            unsent = data
            return true
        case .pause(let time):
            phase = .waiting
            deadline = .now + time
            return false
        case .wait(let gate):
            // Set first, because the gate may open and post its message during the call.
            phase = .waiting
            let passes = gate.passes { [mailbox = core.mailbox, number] in mailbox.post(.resume(connection: number)) }
            if passes { phase = .playing }
            return passes
        case .stream(let stream):
            // Set first, as for a gate.
            phase = .waiting
            let chunk = stream.take { [mailbox = core.mailbox, number] in mailbox.post(.resume(connection: number)) }
            guard let chunk else { return false }
            phase = .playing
            unsent = chunk
            return true
        case .hold:
            phase = .waiting
        case .finishSession:
            channel.finishSession()
            return true
        case .close:
            end()
        case .closeGently:
            phase = .draining
            channel.finishSending()
            deadline = .now + Self.drainTime
        case .reset:
            end(resetting: true)
        }
        return false
    }

    /// Returns whether everything was sent.
    private func sendUnsent() -> Bool {
        guard !isBlocked else { return false }
        while !unsent.isEmpty {
            switch unsent.withUnsafeBytes({ channel.send($0) }) {
            case .bytes(let count):
                unsent = count == unsent.count ? Data() : unsent.dropFirst(count)
            case .blocked:
                isBlocked = true
                return false
            case .gone:
                end()
                return false
            }
        }
        return flush()
    }

    /// Sends the remaining bytes of TLS. Returns whether none are left.
    private func flush() -> Bool {
        switch channel.flush() {
        case .bytes: return true
        case .blocked: isBlocked = true
        case .gone: end()
        }
        return false
    }
}
